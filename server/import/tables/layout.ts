/** The fields that a column of a table may contain. */
export type TableField =
  | 'algorithm'
  | 'problem'
  | 'instance'
  | 'dimension'
  | 'seed'
  | 'evaluations'
  | 'best'
  | 'direction';

/** Columns that the user selected: field → name of the column. */
export type ColumnChoice = Partial<Record<TableField, string>>;

/**
 * Columns of exported traces by their index: the id distinguishes runs with equal seeds, and suite and number
 * distinguish functions with the same type of problem.
 */
export interface ExportColumns {
  runId: number;
  suite: number;
  functionId: number;
}

/** The columns of a table by their index, from 0. */
export interface TableLayout {
  /**
   * Meaning of a row. `trace`: the value of a run at a number of evaluations. `final`: a whole run. `trials`: one
   * evaluation; the value counts only if the state contains `complete` in any letter case.
   */
  kind: 'trace' | 'final' | 'trials';
  columns: Partial<Record<TableField, number>>;
  /** Column with the state of a trial; -1 if there is none. */
  stateColumn: number;
  /**
   * Columns that identify the run and its function in traces that Evoscope exported; null in other tables, and if the
   * user selected the column of the problem.
   */
  exportColumns: ExportColumns | null;
  /** Columns that distinguish settings of an algorithm, by the name of the parameter. */
  params: ReadonlyMap<string, number>;
  /** Columns that distinguish problems of one name. */
  problemParams: ReadonlyMap<string, number>;
  /** Names of the columns of further objectives, in lower case. */
  furtherObjectives: readonly string[];
}

/**
 * Names of the fields in tables of Evoscope, scripts, IOHanalyzer, IOHinspector, pymoo and Nevergrad, in lower case. If
 * a table has several names of a field, the first one in this list applies.
 */
const names: Readonly<Record<TableField, readonly string[]>> = {
  algorithm: ['algorithm', 'algorithm_name', 'algid', 'alg', 'optimizer', 'optimizer_name'],
  problem: [
    'problem',
    'problem_name',
    'function_class',
    'function_name',
    'funcid',
    'fid',
    'function',
    'function_id',
    'problemtype',
  ],
  instance: ['instance', 'iid', 'inst'],
  dimension: ['dimension', 'dim', 'd', 'useful_dimensions'],
  seed: ['seed', 'run', 'run_id', 'repetition', 'rep'],
  evaluations: [
    'evaluations',
    'evals',
    'n_eval',
    'n_evals',
    'nfev',
    'fevals',
    'function evaluation',
  ],
  best: [
    'best',
    'best_so_far',
    'best-so-far f(x)',
    // `raw_y` precedes `best_y`, because IOHinspector writes the final value of the run as `best_y` into each row.
    'raw_y',
    'best_y',
    'opt_f',
    'opt',
    'f',
    'fitness',
    'f(x)',
  ],
  direction: ['direction'],
};

/** Columns of Nevergrad that distinguish problems with the same function. */
const nevergradProblemColumns = [
  'noise_level',
  'noise_dissymmetry',
  'num_blocks',
  'rotation',
  'translation_factor',
  'useless_variables',
  'hashing',
  'aggregator',
];

/**
 * Returns the layout of a table by the names of its columns. The table has the generic form, the form of Nevergrad's
 * benchmarks, or the form of Optuna's `trials_dataframe()`. A column of `choice` replaces the column with a known name,
 * except for the values and evaluations of Nevergrad and Optuna. In the generic form without a column of evaluations,
 * each row counts as one evaluation. Returns the reason as text if there is no column of values, if a column of
 * `choice` or the budget of Nevergrad is missing, or if the column of a field has the same name as another column. If
 * the names of the columns of values or evaluations of Nevergrad and Optuna repeat, the first column counts.
 */
export function getLayout(
  header: readonly string[],
  choice: ColumnChoice = {},
): TableLayout | string {
  const columns = header.map(normalise);
  const hasColumn = (name: string) => columns.includes(name);
  const missingColumns = Object.values(choice).filter((name) => !hasColumn(normalise(name)));
  if (missingColumns.length > 0) return `no column ${missingColumns.join(', ')}`;
  const columnsByField = matchColumns(columns, choice);
  const plainLayout = {
    kind: 'trace' as const,
    stateColumn: -1,
    exportColumns: null,
    problemParams: new Map(),
    furtherObjectives: [],
  };
  const params = findParamColumns(header);
  const repeatedIndex = Object.values(columnsByField).find(
    (index) => columns.lastIndexOf(columns[index] ?? '') !== index,
  );
  if (repeatedIndex !== undefined) return `two columns ${columns[repeatedIndex]}`;
  if (hasColumn('optimizer_name') && hasColumn('loss'))
    return matchNevergradLayout(columns, columnsByField, params);
  if (hasColumn('number') && hasColumn('state') && (hasColumn('value') || hasColumn('values_0')))
    return matchOptunaLayout(columns, columnsByField, params);
  if (columnsByField.best === undefined) return 'no column best';
  const exportColumns = choice.problem === undefined ? matchExportColumns(columns) : null;
  return { ...plainLayout, columns: columnsByField, exportColumns, params };
}

function matchExportColumns(columns: readonly string[]): ExportColumns | null {
  if (!columns.includes('problemtype')) return null;
  const [runId = -1, suite = -1, functionId = -1] = ['runid', 'suite', 'functionid'].map((name) =>
    columns.indexOf(name),
  );
  return runId < 0 || suite < 0 || functionId < 0 ? null : { runId, suite, functionId };
}

function normalise(name: string): string {
  return name.trim().toLowerCase();
}

function matchColumns(columns: readonly string[], choice: ColumnChoice): TableLayout['columns'] {
  const fields = Object.entries(names).flatMap(([field, fieldNames]): [string, number][] => {
    const column = choice[field as TableField];
    const candidates = column === undefined ? fieldNames : [normalise(column)];
    const name = candidates.find((candidate) => columns.includes(candidate));
    return name === undefined ? [] : [[field, columns.indexOf(name)]];
  });
  return Object.fromEntries(fields);
}

/** Returns the columns `param:<name>` by the name of the parameter. Of equal names, the last column applies. */
function findParamColumns(header: readonly string[]): Map<string, number> {
  return new Map(
    header.flatMap((name, index): [string, number][] => {
      const [, param] = /^\s*param:(.+)$/i.exec(name) ?? [];
      return param === undefined ? [] : [[param.trim(), index]];
    }),
  );
}

function matchNevergradLayout(
  columns: readonly string[],
  columnsByField: TableLayout['columns'],
  params: Map<string, number>,
): TableLayout | string {
  const budgetColumn = ['elapsed_budget', 'budget'].find((name) => columns.includes(name));
  if (budgetColumn === undefined) return 'no column elapsed_budget or budget';
  return {
    kind: 'final',
    columns: {
      ...columnsByField,
      best: columns.indexOf('loss'),
      evaluations: columns.indexOf(budgetColumn),
    },
    stateColumn: -1,
    exportColumns: null,
    params: new Map([...params, ...getIndexes(columns, ['budget'])]),
    problemParams: new Map(getIndexes(columns, nevergradProblemColumns)),
    furtherObjectives: [],
  };
}

function matchOptunaLayout(
  columns: readonly string[],
  columnsByField: TableLayout['columns'],
  params: Map<string, number>,
): TableLayout {
  const valueColumn = columns.includes('value') ? 'value' : 'values_0';
  return {
    kind: 'trials',
    columns: {
      ...columnsByField,
      best: columns.indexOf(valueColumn),
      evaluations: columns.indexOf('number'),
    },
    stateColumn: columns.indexOf('state'),
    exportColumns: null,
    params,
    problemParams: new Map(),
    furtherObjectives: columns.filter((name) => /^values_[1-9]\d*$/.test(name)),
  };
}

function getIndexes(
  columns: readonly string[],
  columnNames: readonly string[],
): [string, number][] {
  return columnNames
    .filter((name) => columns.includes(name))
    .map((name) => [name, columns.indexOf(name)]);
}
