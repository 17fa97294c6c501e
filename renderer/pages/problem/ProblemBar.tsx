import { Show, type JSX } from 'solid-js';
import type { Grouping, ProblemComparison } from '#shared/schemas/analysis.ts';
import { groupings } from '#shared/words.ts';
import { ChoiceFilter } from '#renderer/features/analysis/ChoiceFilter.tsx';
import { ObjectiveControls } from '#renderer/features/analysis/ObjectiveControls.tsx';
import { useAlgorithmNames } from '#renderer/features/notes/display-names.ts';
import { Select } from '#renderer/ui/Select.tsx';
import { getShortInstanceLabel, type ProblemChoice } from './problem-choice.ts';

interface ProblemBarProps {
  choice: ProblemChoice;
  response: ProblemComparison | undefined;
  /** All algorithms that have run on the problem. */
  algorithms: readonly string[];
  /** Hides the choice of groups. */
  isOneGroup?: boolean;
  /** Further controls after the others. */
  children?: JSX.Element;
}

/** Choice of the comparison: instance, algorithms, direction, target, groups. */
export function ProblemBar(props: ProblemBarProps): JSX.Element {
  const getName = useAlgorithmNames(() => props.algorithms);
  return (
    <div class="toolbar">
      <Show when={props.response}>
        {(response) => <InstanceSelect response={response()} onChange={props.choice.setInstance} />}
      </Show>
      <ChoiceFilter
        label="Algorithms"
        options={props.algorithms}
        selection={props.choice.algorithms()}
        onChange={props.choice.setAlgorithms}
        getName={getName()}
      />
      <ObjectiveControls response={props.response} />
      <Show when={!props.isOneGroup}>
        <Select
          label="Group by"
          value={props.choice.groupBy()}
          options={makeGroupingOptions(props.response, props.choice.groupBy())}
          onChange={props.choice.setGroupBy}
        />
      </Show>
      {props.children}
    </div>
  );
}

/** The groupings, the parameters that differ, and the chosen grouping. */
function makeGroupingOptions(
  response: ProblemComparison | undefined,
  grouping: Grouping,
): { value: Grouping; label: string }[] {
  const params = (response?.varyingParameters ?? []).map((path): Grouping => `param:${path}`);
  return [...new Set<Grouping>([...groupings, ...params, grouping])].map((value) => ({
    value,
    label: value.replace(/^param:/, ''),
  }));
}

interface InstanceSelectProps {
  response: ProblemComparison;
  onChange: (instance: string) => void;
}

function InstanceSelect(props: InstanceSelectProps): JSX.Element {
  const instances = () => props.response.instances;
  const selectedInstance = () => instances().find((instance) => instance.selected);
  const label = (text: string): string => getShortInstanceLabel(text, props.response.problemType);
  return (
    <Select
      label="Instance"
      value={selectedInstance()?.id ?? ''}
      detail={instances().length > 1 ? `of ${instances().length}` : undefined}
      options={instances().map((instance) => ({
        value: instance.id,
        label: label(instance.label),
        count: instance.runs,
      }))}
      onChange={props.onChange}
    />
  );
}
