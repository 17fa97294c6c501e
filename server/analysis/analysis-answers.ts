import { comparisonBoxPlot, writeBoxPlot } from '#server/formats/box-plot.ts';
import { comparisonTables, slug } from '#server/formats/comparison-tables.ts';
import { experimentTables } from '#server/formats/experiment-tables.ts';
import { writeLatex } from '#server/formats/latex.ts';
import type { Table } from '#server/formats/table.ts';
import { readSnapshotKey } from '#server/repositories/analysis.ts';
import type { Database } from '#server/db/database.ts';
import type { AnalysisPool } from './pool.ts';
import type { AnalysisTask } from './tasks.ts';
import type { ExperimentAnalysis, ProblemComparison } from '#shared/schemas/analysis.ts';
import { AnswerCache, type CachedAnswer } from './cache.ts';

/** A file to download. */
export interface ExportedFile extends CachedAnswer {
  /** ASCII letters, digits, hyphens and a dot. */
  fileName: string;
}

/** The tasks whose answers are tables too. */
type TabularTask = Extract<AnalysisTask, { kind: 'experiment' | 'problem' }>;

/** Answers analyses from other threads, and from memory as long as the database has not changed. */
export class AnalysisAnswers {
  readonly #database: Database;
  readonly #pool: AnalysisPool;
  readonly #cache: AnswerCache;

  constructor(database: Database, pool: AnalysisPool, cache = new AnswerCache()) {
    this.#database = database;
    this.#pool = pool;
    this.#cache = cache;
  }

  /** The answer to a task as checked JSON text; throws what computing it throws. */
  async ask(task: AnalysisTask): Promise<CachedAnswer> {
    const snapshot = await readSnapshotKey(this.#database);
    return this.#cache.get(JSON.stringify(task), snapshot, () => this.#pool.run(task));
  }

  /** The tables of an answer as a LaTeX fragment: the very numbers of the JSON. */
  async exportLatex(task: TabularTask): Promise<ExportedFile> {
    const { text, state } = await this.ask(task);
    const fileName = `${slug(fileTitle(task))}.tex`;
    if (task.kind === 'problem') {
      const comparison = JSON.parse(text) as ProblemComparison;
      const document = withBoxPlot(comparisonTables(comparison), comparison);
      return { text: document, state, fileName };
    }
    const analysis = JSON.parse(text) as ExperimentAnalysis;
    const document = withBoxPlot(experimentTables(analysis), analysis.sameProblem);
    return { text: document, state, fileName };
  }
}

function fileTitle(task: TabularTask): string {
  return task.kind === 'problem'
    ? `problem-${task.problemType}`
    : `experiment-${task.experimentId}`;
}

function withBoxPlot(tables: readonly Table[], comparison: ProblemComparison): string {
  const plot = comparisonBoxPlot(comparison);
  return [writeLatex(tables), ...(plot ? [writeBoxPlot(plot)] : [])].join('\n');
}
