import { For, Show, type JSX } from 'solid-js';
import { formatDistinctFitness } from '#shared/number-format.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { CommittedField } from '#renderer/ui/CommittedField.tsx';
import { Icon } from '#renderer/ui/Icon.tsx';
import { PopoverFilter } from '#renderer/ui/PopoverFilter.tsx';
import { Select } from '#renderer/ui/Select.tsx';
import { WithTerms } from '#renderer/ui/TermCard.tsx';
import { parseDecimal } from '#shared/syntax.ts';
import { getDecimalError, isSameDecimal } from '#renderer/state/decimal.ts';
import { useAnalysisChoice } from './analysis-choice.ts';
import { getNotesAt } from './note-places.ts';
import {
  describeDirectionSource,
  getSuggestedTargets,
  describeTarget,
  type ReportedObjective,
} from './objective.ts';

interface ObjectiveControlsProps {
  response: (ReportedObjective & { notes: readonly AnalysisNote[] }) | undefined;
}

/**
 * Direction and target with their sources; a choice is in the URL until it is reset. Below them, notes on the target:
 * that runs stopped at an easier one, or, without a target, suggested ones.
 */
export function ObjectiveControls(props: ObjectiveControlsProps): JSX.Element {
  const objective = useAnalysisChoice();
  const target = () => props.response && describeTarget(props.response);
  return (
    <>
      <Select
        label="Direction"
        value={objective.direction() ?? ''}
        valueText={props.response?.objectiveDirection ?? objective.direction() ?? '…'}
        detail={props.response && describeDirectionSource(props.response)}
        options={[
          { value: '', label: 'Automatic (from configuration or problem)' },
          { value: 'min', label: 'min: lower is better' },
          { value: 'max', label: 'max: higher is better' },
        ]}
        onChange={(direction) => objective.setDirection(direction || undefined)}
      />
      <PopoverFilter
        label="Target"
        summary={target()?.value ?? '…'}
        detail={target()?.source}
        onClear={() => objective.setTarget(undefined)}
      >
        <CommittedField
          label="Target fitness"
          inputMode="decimal"
          value={String(objective.target() ?? '')}
          check={getDecimalError}
          isSame={isSameDecimal}
          onCommit={(text) => objective.setTarget(parseDecimal(text))}
        />
        <p class="field-note muted">Leave empty to use the configured target.</p>
      </PopoverFilter>
      <Show when={props.response?.notes}>
        {(notes) => <TargetNotes notes={notes()} onChoose={objective.setTarget} />}
      </Show>
    </>
  );
}

interface TargetNotesProps {
  notes: readonly AnalysisNote[];
  onChoose: (target: number) => void;
}

function TargetNotes(props: TargetNotesProps): JSX.Element {
  const isWarning = (): boolean =>
    props.notes.some(({ code }) => code === 'TARGET_BEYOND_STOPPING');
  return (
    <For each={getNotesAt(props.notes, 'target')}>
      {(sentence) => (
        <div class="target-note" classList={{ 'target-warning': isWarning() }}>
          <Show when={isWarning()}>
            <Icon name="warning" size={14} />
          </Show>
          <p>
            <WithTerms text={sentence} />
          </p>
          <For each={getSuggestedTargets(props.notes)}>
            {(value, index) => (
              <Button size="small" onClick={() => props.onChoose(value)}>
                {formatDistinctFitness(getSuggestedTargets(props.notes))[index()]}
              </Button>
            )}
          </For>
        </div>
      )}
    </For>
  );
}
