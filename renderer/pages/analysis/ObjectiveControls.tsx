import { useSearchParams } from '@solidjs/router';
import type { JSX } from 'solid-js';
import { RangeEnd, RangeFilter } from '#renderer/components/explorer/RangeFilter.tsx';
import { urlText } from '#renderer/components/explorer/list-view.ts';
import { Select } from '#renderer/components/Select.tsx';
import {
  askedObjective,
  directionSourceWords,
  targetProblem,
  targetWords,
  type AnsweredObjective,
} from './objective.ts';

/** Direction and target with their sources; a choice stands in the URL until it is taken back. */
export function ObjectiveControls(props: { answer: AnsweredObjective | undefined }): JSX.Element {
  const [search, setSearch] = useSearchParams();
  const asked = () => askedObjective(search);
  const target = () => props.answer && targetWords(props.answer);
  return (
    <>
      <Select
        label="Direction"
        value={asked().direction ?? ''}
        shown={props.answer?.objectiveDirection ?? asked().direction ?? '…'}
        detail={props.answer && directionSourceWords(props.answer)}
        options={[
          { value: '', label: 'As the experiment or its problem says' },
          { value: 'min', label: 'min: lower is better' },
          { value: 'max', label: 'max: higher is better' },
        ]}
        onChange={(direction) => setSearch({ direction: direction || undefined })}
      />
      <RangeFilter
        label="Target"
        summary={target()?.value ?? '…'}
        detail={target()?.source}
        onClear={() => setSearch({ target: undefined })}
      >
        <RangeEnd
          label="Target fitness"
          kind="number"
          value={urlText(search, 'target')}
          check={targetProblem}
          onCommit={(text) => setSearch({ target: text || undefined })}
        />
        <p class="field-note muted">Left empty: the target of the configuration, if it has one.</p>
      </RangeFilter>
    </>
  );
}
