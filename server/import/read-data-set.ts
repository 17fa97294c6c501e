import type { Direction } from '#server/domain/objective.ts';
import { plainText } from './formats/attributes.ts';
import { campaignsOf, type Campaign, type DataSet } from './data-set.ts';
import { statesBudget } from './experiment-config.ts';
import { gather, type GatherOptions } from './gather.ts';
import { groupRuns, type RunGroup } from './run-groups.ts';
import { joinRuns } from './join.ts';
import { groupTable } from './tables/group-table.ts';
import { NoteBook } from './notes.ts';
import { ImportRefused } from './refusal.ts';
import { defaultLimits, type Limits, Meter } from './source/bytes.ts';
import { type ImportSource, openSource, sourceName } from './source/read-source.ts';

/** How a source is imported. */
export interface ImportOptions extends GatherOptions {
  /** Name of the data set; the base name of the source where there is none. */
  name?: string | undefined;
  /** Deletes what is there under the name first. */
  replace?: boolean | undefined;
  /** Says what would be written, and writes nothing. */
  dryRun?: boolean | undefined;
  /** Writes although a runner is kept waiting until its run may fail. */
  force?: boolean | undefined;
  /** Writes the expected runtimes as reference results too. */
  asReference?: boolean | undefined;
  /** Whether less or more is better, where the data do not say. */
  direction?: Direction | undefined;
  /** Evaluations that each run was granted, where the data do not state what it used. */
  budget?: number | undefined;
  limits?: Limits | undefined;
}

/** How far an import is. */
export interface ImportProgress {
  phase: 'reading' | 'writing';
  /** Bytes of the source read, as it was given. */
  bytes: number;
  /** Null = unknown. */
  totalBytes: number | null;
  /** Runs and iterations written, and how many there are to write; 0 while reading. */
  runs: number;
  totalRuns: number;
  rows: number;
  totalRows: number;
}

/**
 * Reads a source and puts it together under its name. Rejects with {@link ImportRefused}: FORMAT_UNKNOWN also where
 * there is no run of the requested kind, or none to replace the stored ones;
 * NAME_TOO_LONG where no index of PostgreSQL can hold a name; BUDGET_TOO_SMALL where a run went beyond the budget.
 */
export async function readDataSet(
  source: ImportSource,
  options: ImportOptions,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<DataSet> {
  const notes = new NoteBook();
  const progress = { phase: 'reading' as const, bytes: 0, totalBytes: null as number | null };
  const onBytes = (bytes: number) => {
    signal.throwIfAborted();
    progress.bytes += bytes;
    onProgress({ ...progress, runs: 0, totalRuns: 0, rows: 0, totalRows: 0 });
  };
  const reading = { meter: new Meter(options.limits ?? defaultLimits), notes, onBytes, signal };
  const { totalBytes, entries } = await openSource(source, reading);
  progress.totalBytes = totalBytes;
  const { tables, scenarios, dataFiles, bytes, sha256 } = await gather(entries, notes, options);
  const logged = groupRuns(joinRuns(scenarios, dataFiles, notes), notes, options.direction);
  const groups = [
    ...logged.filter(({ format }) => isOfKind(format, options.kind)),
    ...tables.flatMap((table) => groupTable(table, notes, options.direction)),
  ];
  const name = plainText(options.name ?? '') || plainText(sourceName(source)) || 'data set';
  const isAsked = options.replace === true || (options.kind ?? 'auto') !== 'auto';
  const isNothing = groups.every(({ runs }) => runs.length === 0) && isAsked;
  if ((scenarios.length === 0 && tables.length === 0) || isNothing) refuseUnknown(notes);
  refuseSmallBudget(groups, options.budget, notes);
  const campaigns = campaignsOf(name, groups, options.budget);
  refuseLongNames(campaigns, notes);
  return {
    name,
    path: 'path' in source ? source.path : source.name,
    bytes,
    sha256,
    campaigns,
    notes: notes.list(),
  };
}

/** Refuses a budget that runs went beyond: they cannot have been granted so few evaluations. */
function refuseSmallBudget(
  groups: readonly RunGroup[],
  budget: number | undefined,
  notes: NoteBook,
): void {
  if (budget === undefined) return;
  const unstated = groups.filter((group) => !statesBudget(group));
  const most = unstated
    .flatMap(({ runs }) => runs)
    .reduce((largest, { trace }) => Math.max(largest, trace.spent), 0);
  if (most <= budget) return;
  const message = `The budget of ${budget} evaluations is below the ${most} that a run used. Enter at least ${most}.`;
  throw new ImportRefused('BUDGET_TOO_SMALL', message, notes.list());
}

/** Most bytes of a name. An entry of a PostgreSQL index has at most 2,704 bytes, and one index holds two names. */
const mostNameBytes = 1_000;

/** Refuses names that no index of PostgreSQL can hold, on SQLite too, so that both databases accept the same data. */
function refuseLongNames(campaigns: readonly Campaign[], notes: NoteBook): void {
  const check = (kind: string, name: string) => {
    const bytes = Buffer.byteLength(name);
    if (bytes <= mostNameBytes) return;
    const message = `The name of the ${kind} "${name.slice(0, 40)}…" has ${bytes} bytes, but at most ${mostNameBytes} are possible. Shorten it in the source.`;
    throw new ImportRefused('NAME_TOO_LONG', message, notes.list());
  };
  for (const { record, group } of campaigns.flatMap(({ experiments }) => experiments)) {
    check('algorithm', group.algorithm);
    check('problem', record.columns.problem_type);
    for (const { param_path } of record.params) check('parameter', param_path);
  }
}

function isOfKind(format: RunGroup['format'], kind: ImportOptions['kind']): boolean {
  if (kind === 'coco') return format.startsWith('coco');
  return kind !== 'iohprofiler' || format === 'iohprofiler';
}

function refuseUnknown(notes: NoteBook): void {
  const found = notes.list();
  throw new ImportRefused(
    'FORMAT_UNKNOWN',
    'Nothing that can be read was found: looked for indexes of COCO and IOHprofiler (.info), of IOHprofiler ' +
      '(IOHprofiler_f*.json) with their data files, and for tables (.csv, .jsonl) with columns for evaluations and best',
    found,
  );
}
