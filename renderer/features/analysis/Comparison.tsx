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
import { getGroupLooks, getLabelsByResult, type GroupLook } from './group-looks.ts';
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
import { makeGroupColumns } from './group-columns.tsx';
import { TableLatex } from './TableLatex.tsx';
import { createEmphasis } from '#renderer/charts/page-emphasis.ts';

interface ComparisonProps {
  response: ProblemComparison;
  /** All algorithms of the problem, which keep their colours in every selection. */
  knownAlgorithms: readonly string[];
  /** Prefix of the names of exported files. */
  subject: string;
  isPlaceholder: boolean;
}

/** Comparison of groups of runs on one problem instance: verdict, tables and tests, charts, and exclusions. */
export function Comparison(props: ComparisonProps): JSX.Element {
  const emphasis = createEmphasis(
    () => props.response.algorithms.map(formatGroupTitle),
    () => getLabelsByResult(props.response),
  );
  const look = createMemo(() =>
    getGroupLooks(
      props.response.algorithms,
      props.response.groupBy,
      props.knownAlgorithms,
      emphasis(),
    ),
  );
  const analysis = createMemo(() => getGroupsOfComparison(props.response, look()));
  const traces = createGroupTraces(analysis);
  const { heldTarget } = useAnalysisChoice();
  const charts = [
    ...createMainCharts(analysis, traces),
    createRanksChart(
      () => ({
        ...props.response,
        pairs: props.response.pairwise.fitness,
        claim: describeRankClaim(props.response),
      }),
      look,
    ),
    ...createProfileCharts(analysis),
  ];
  // Values of a parameter have no ranks over several algorithms.
  const entries = createMemo(() =>
    makeDrawableCharts(charts, props.response).filter(
      ({ id }) =>
        id !== 'ranks' ||
        !props.response.notes.some(({ code }) => code === 'TESTED_WITHIN_ALGORITHMS'),
    ),
  );
  return (
    <PageTerms terms={getTermsOfComparison(props.response, (algorithm) => look()(algorithm).name)}>
      <div
        class="card-stack"
        classList={{ 'previous-data': props.isPlaceholder && heldTarget.heldValue() === undefined }}
      >
        <Verdict response={props.response} />
        <Notes notes={getNotesAt(props.response.notes, 'general')} />
        <GroupTable
          response={props.response}
          look={look()}
          notes={getNotesAt(props.response.notes, 'groups', 'success', 'sample')}
        />
        <PairwiseCard
          response={props.response}
          look={look()}
          notes={getNotesAt(props.response.notes, 'pairs')}
        />
        <ChartGrid entries={entries()} subject={props.subject} />
      </div>
    </PageTerms>
  );
}

interface GroupTableProps {
  response: ProblemComparison;
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
      description={describeGroups(props.response)}
      notes={props.notes}
      controls={<TableLatex table="groups" title="Groups" />}
      columns={makeGroupColumns({ response: props.response, look: props.look })}
      rows={props.response.algorithms}
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
