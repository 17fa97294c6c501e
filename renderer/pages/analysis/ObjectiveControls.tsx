import type { JSX } from 'solid-js';
import { RangeEnd, PopoverFilter } from '#renderer/components/explorer/PopoverFilter.tsx';
import { Select } from '#renderer/components/Select.tsx';
import { decimalProblem, parseDecimal } from '#renderer/state/decimal.ts';
import { createObjective, directions } from './asked-objective.ts';
import { directionSourceWords, targetWords, type AnsweredObjective } from './objective.ts';

/** Direction and target with their sources; a choice stands in the URL until it is taken back. */
export function ObjectiveControls(props: { answer: AnsweredObjective | undefined }): JSX.Element {
  const objective = createObjective();
  const target = () => props.answer && targetWords(props.answer);
  return (
    <>
      <Select
        label="Direction"
        value={objective.direction() ?? ''}
        shown={props.answer?.objectiveDirection ?? objective.direction() ?? '…'}
        detail={props.answer && directionSourceWords(props.answer)}
        options={[
          { value: '', label: 'As the experiment or its problem says' },
          { value: 'min', label: 'min: lower is better' },
          { value: 'max', label: 'max: higher is better' },
        ]}
        onChange={(direction) =>
          objective.setDirection(directions.find((known) => known === direction))
        }
      />
      <PopoverFilter
        label="Target"
        summary={target()?.value ?? '…'}
        detail={target()?.source}
        onClear={() => objective.setTarget(undefined)}
      >
        <RangeEnd
          label="Target fitness"
          kind="number"
          value={String(objective.target() ?? '')}
          check={decimalProblem}
          onCommit={(text) => objective.setTarget(parseDecimal(text))}
        />
        <p class="field-note muted">Left empty: the target of the configuration, if it has one.</p>
      </PopoverFilter>
    </>
  );
}
