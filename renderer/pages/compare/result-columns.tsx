import { A } from '@solidjs/router';
import { For, Show, type JSX } from 'solid-js';
import { formatCount, formatDuration, formatFitness } from '#shared/number-format.ts';
import type {
  ComparedRun,
  RunDifference,
  TelemetryOverlay,
} from '#shared/schemas/analysis-runs.ts';
import type { RunLook } from '#renderer/charts/figures/run-overlay.ts';
import { LineSample } from '#renderer/charts/ChartLegend.tsx';
import { RunState } from '#renderer/features/stop-and-delete/RunState.tsx';
import { seedColumn } from '#renderer/features/runs/run-columns.tsx';
import {
  makeFitnessColumn,
  makeLinkColumn,
  makeMutedColumn,
  makeNumberColumn,
  makeTextColumn,
  makeTimeColumn,
} from '#renderer/ui/table/column-kinds.tsx';
import { makeStatusColumn } from '#renderer/features/runs/status-column.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { getDiagnosisName, getDiagnosisPath } from '#renderer/features/runs/diagnoses.ts';
import { getExperimentPath, getRunPath } from '#renderer/paths.ts';
import { describeDifference } from './differences.ts';

/** A run in the table of results. */
export interface ResultRow extends ComparedRun, RunLook {
  isReference: boolean;
  /** Its diagnoses; undefined until they are loaded. */
  findings: TelemetryOverlay['runs'][number]['diagnosis'] | undefined;
}

const sofar = 'of a RUNNING run so far';

/** The columns of the results, each number with its difference from the reference. */
export const resultColumns: readonly TableColumn<ResultRow>[] = [
  {
    id: 'run',
    header: 'Run',
    fixed: true,
    maxWidthChars: 44,
    value: (row) => row.name,
    fields: [
      { header: 'Run id', value: (row) => row.runId },
      { header: 'Reference', value: (row) => row.isReference },
    ],
    cell: (row, context) => (
      <span class="swatch-name">
        <LineSample paletteIndex={row().paletteIndex} />
        <A
          class="clip"
          href={getRunPath(row().runId)}
          title={`${row().name} (${row().runId})`}
          tabIndex={context.tabIndex()}
        >
          {row().name}
        </A>
        <Show when={row().isReference}>
          <small class="muted">reference</small>
        </Show>
      </span>
    ),
  },
  makeStatusColumn<ResultRow>((row) => row.status, {
    after: (row) => <RunState run={row()} />,
    progress: (row) => row.progress,
    fields: [{ header: 'Message', value: (row) => row.errorMessage }],
  }),
  makeComparedColumn('best', 'Best', (row) => row.best, formatFitness, 'best', {
    explanation: `Best fitness; ${sofar}`,
  }),
  makeComparedColumn(
    'to-target',
    'To target',
    (row) => row.evaluationsToTarget,
    formatCount,
    'evaluationsToTarget',
    {
      explanation: 'Evaluations until the run reached its target, to the end of a generation',
      term: 'evaluationsToTarget',
      cell: (row) => (
        <Show
          when={row().solved === false}
          fallback={
            <ComparedNumber
              text={formatCount(row().evaluationsToTarget)}
              difference={describeDifference(row(), 'evaluationsToTarget')}
            />
          }
        >
          <span class="muted">not reached</span>
        </Show>
      ),
      descendingFirst: false,
    },
  ),
  makeComparedColumn(
    'evaluations',
    'Evaluations',
    (row) => row.evaluationsSpent,
    formatCount,
    'evaluations',
    { explanation: `Evaluations; ${sofar}` },
  ),
  makeComparedColumn(
    'iterations',
    'Iterations',
    (row) => row.iterationsDone,
    formatCount,
    'iterations',
    { explanation: `Iterations; ${sofar}`, fromPixels: 1360 },
  ),
  makeComparedColumn(
    'runtime',
    'Runtime',
    (row) => row.elapsedMillis,
    formatDuration,
    'runtimeMillis',
    { explanation: `Wall time; ${sofar}` },
  ),
  {
    id: 'findings',
    header: 'Diagnosis',
    explanation: 'Diagnoses of each run; click one to see where',
    sortable: false,
    maxWidthChars: 44,
    value: (row) => row.findings?.map(({ code }) => code).join(', '),
    cell: (row, context) => (
      <span class="compared-findings">
        <For each={row().findings}>
          {(finding) => (
            <A
              href={getDiagnosisPath(row().runId, finding)}
              title={finding.message}
              tabIndex={context.tabIndex()}
            >
              {getDiagnosisName(finding.code)}
            </A>
          )}
        </For>
      </span>
    ),
  },
  { ...seedColumn, isHiddenByDefault: true },
  makeTextColumn('instance', 'Problem instance', (row) => row.instance.label, {
    maxWidthChars: 34,
    isHiddenByDefault: true,
  }),
  makeTextColumn('direction', 'Direction', (row) => row.direction, {
    isHiddenByDefault: true,
    fields: [{ header: 'Direction from', value: (row) => row.directionSource }],
  }),
  makeFitnessColumn('target', 'Target', (row) => row.targetFitness, { isHiddenByDefault: true }),
  makeMutedColumn('model', 'Model', (row) => row.modelType, { isHiddenByDefault: true }),
  makeTimeColumn('started', 'Started', (row) => row.startTime, { isHiddenByDefault: true }),
  makeLinkColumn('experiment', 'Experiment', (row) => row.experimentId, {
    href: (row) => getExperimentPath(row.experimentId),
    aside: true,
    fromPixels: 1360,
  }),
];

/** Returns a column of numbers, each followed by its difference from the reference. */
function makeComparedColumn(
  id: string,
  header: string,
  value: (row: ResultRow) => number | null,
  format: (value: number | null | undefined) => string,
  measure: keyof RunDifference,
  more: Partial<TableColumn<ResultRow>>,
): TableColumn<ResultRow> {
  return makeNumberColumn(id, header, value, format, {
    fields: [
      { header: `${header}: difference`, value: (row) => row.difference?.[measure] ?? null },
    ],
    cell: (row) => (
      <ComparedNumber text={format(value(row()))} difference={describeDifference(row(), measure)} />
    ),
    ...more,
  });
}

function ComparedNumber(props: { text: string; difference: string }): JSX.Element {
  return (
    <span class="compared-number">
      {props.text}
      <Show when={props.difference !== ''}>
        <small class="muted"> {props.difference}</small>
      </Show>
    </span>
  );
}
