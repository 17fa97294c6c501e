import { useSearchParams } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { ChoiceFilter } from '#renderer/pages/analysis/ChoiceFilter.tsx';
import { ObjectiveControls } from '#renderer/pages/analysis/ObjectiveControls.tsx';
import { Select } from '#renderer/components/Select.tsx';
import { shortInstanceLabel, type ProblemView } from './problem-view.ts';

interface ProblemBarProps {
  view: ProblemView;
  answer: ProblemComparison | undefined;
  /** All algorithms that were tried on the problem. */
  algorithms: readonly string[];
}

const groupNames = { algorithm: 'algorithm', model: 'model', experiment: 'experiment' } as const;

/** What is compared, and by which measure: instance, algorithms, direction, target, groups. */
export function ProblemBar(props: ProblemBarProps): JSX.Element {
  const [, setSearch] = useSearchParams();
  return (
    <div class="analysis-bar">
      <Show when={props.answer}>{(answer) => <InstanceSelect answer={answer()} />}</Show>
      <ChoiceFilter
        label="Algorithms"
        options={props.algorithms}
        chosen={props.view.algorithms}
        onChange={(algorithm) => setSearch({ algorithm: [...algorithm] })}
      />
      <ObjectiveControls answer={props.answer} />
      <Select
        label="Group by"
        value={props.view.groupBy}
        options={Object.entries(groupNames).map(([value, label]) => ({ value, label }))}
        onChange={(by) => setSearch({ by: by === 'algorithm' ? undefined : by })}
      />
    </div>
  );
}

function InstanceSelect(props: { answer: ProblemComparison }): JSX.Element {
  const [, setSearch] = useSearchParams();
  const instances = () => props.answer.instances;
  const selected = () => instances().find((instance) => instance.selected);
  const label = (text: string): string => shortInstanceLabel(text, props.answer.problemType);
  return (
    <Select
      label="Instance"
      value={selected()?.id ?? ''}
      detail={instances().length > 1 ? `of ${instances().length}` : undefined}
      options={instances().map((instance) => ({
        value: instance.id,
        label: label(instance.label),
        count: instance.runs,
      }))}
      onChange={(instance) => setSearch({ instance })}
    />
  );
}
