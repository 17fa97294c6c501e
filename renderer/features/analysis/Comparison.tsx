import { createMemo, type JSX } from 'solid-js';
import { boldRule, describePassedTarget, formatGroupTitle } from '#shared/group-metrics.ts';
import type { ProblemComparison, GroupSummary } from '#shared/schemas/analysis.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { Notes } from '#renderer/ui/Notes.tsx';
import { PageTerms } from '#renderer/ui/TermCard.tsx';
import { getGroupsOfComparison } from './analysed-groups.ts';
import {
  createMainCharts,
  createProfileCharts,
  createRanksChart,
  makeDrawableCharts,
} from './analysis-charts.tsx';
import { groupLooks, getLabelsByResult, type GroupLook } from './group-looks.ts';
import { getNotesAt } from './note-places.ts';
import { PairwiseCard } from './PairwiseCard.tsx';
import { createGroupTraces } from './run-traces.ts';
import { getTermsOfComparison } from './terms-here.ts';
import { useAnalysisChoice } from './analysis-choice.ts';
import { describeRankClaim } from './rank-words.ts';
import { Verdict } from './Verdict.tsx';
import './analysis.css';
import { describeSmallestBudget } from '#shared/number-format.ts';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { groupColumns } from './group-columns.tsx';
import { TableLatex } from './TableLatex.tsx';
import { createEmphasis } from '#renderer/charts/page-emphasis.ts';

interface ComparisonProps {
  answer: ProblemComparison;
  /** All algorithms of the problem, which keep their colours in every selection. */
  knownAlgorithms: readonly string[];
  /** Prefix of the names of exported files. */
  subject: string;
  isPlaceholder: boolean;
}

/** Comparison of groups of runs on one problem instance: verdict, tables and tests, charts, and exclusions. */
export function Comparison(props: ComparisonProps): JSX.Element {
  const emphasis = createEmphasis(
    () => props.answer.algorithms.map(formatGroupTitle),
    () => getLabelsByResult(props.answer),
  );
  const look = createMemo(() =>
    groupLooks(props.answer.algorithms, props.answer.groupBy, props.knownAlgorithms, emphasis()),
  );
  const analysed = createMemo(() => getGroupsOfComparison(props.answer, look()));
  const traces = createGroupTraces(analysed);
  const { heldTarget } = useAnalysisChoice();
  const charts = [
    ...createMainCharts(analysed, traces),
    createRanksChart(
      () => ({
        ...props.answer,
        pairs: props.answer.pairwise.fitness,
        claim: describeRankClaim(props.answer),
      }),
      look,
    ),
    ...createProfileCharts(analysed),
  ];
  // Values of a parameter have no ranks over several algorithms.
  const entries = createMemo(() =>
    makeDrawableCharts(charts, props.answer).filter(
      ({ id }) =>
        id !== 'ranks' ||
        !props.answer.notes.some(({ code }) => code === 'TESTED_WITHIN_ALGORITHMS'),
    ),
  );
  return (
    <PageTerms terms={getTermsOfComparison(props.answer, (algorithm) => look()(algorithm).name)}>
      <div
        class="card-stack"
        classList={{ 'previous-data': props.isPlaceholder && heldTarget.heldValue() === undefined }}
      >
        <Verdict answer={props.answer} />
        <Notes notes={getNotesAt(props.answer.notes, 'general')} />
        <GroupTable
          answer={props.answer}
          look={look()}
          notes={getNotesAt(props.answer.notes, 'groups', 'success', 'sample')}
        />
        <PairwiseCard
          answer={props.answer}
          look={look()}
          notes={getNotesAt(props.answer.notes, 'pairs')}
        />
        <ChartGrid entries={entries()} subject={props.subject} />
      </div>
    </PageTerms>
  );
}

interface GroupTableProps {
  answer: ProblemComparison;
  look: (algorithm: string) => GroupLook;
  notes: readonly string[];
}

/** Results of the groups within their common budget: counts, success, ERT, SP1, best fitness. */
function GroupTable(props: GroupTableProps): JSX.Element {
  return (
    <DataCard<GroupSummary>
      name="groups"
      urlKey="group-"
      title="Groups"
      description={describeGroups(props.answer)}
      notes={props.notes}
      controls={<TableLatex table="groups" title="Groups" />}
      columns={groupColumns({ answer: props.answer, look: props.look })}
      rows={props.answer.algorithms}
      rowId={(group) => group.algorithm}
      empty="No runs on this instance."
    />
  );
}

function describeGroups({ guard, targetFitness }: ProblemComparison): string {
  const budget = describeSmallestBudget(guard.commonBudget);
  return [budget, describePassedTarget(guard, targetFitness !== null), boldRule]
    .filter(Boolean)
    .join(' ');
}
