/** What a column of a table may hold. */
export type TableField =
  | 'algorithm'
  | 'problem'
  | 'instance'
  | 'dimension'
  | 'seed'
  | 'evaluations'
  | 'best'
  | 'direction';

/** Columns that the user has matched by hand: field → name of the column. */
export type ColumnChoice = Partial<Record<TableField, string>>;

/** Where a table holds what, by the index of the column. */
export interface TableLayout {
  /**
   * `trace`: a row an improvement. `final`: a row a run. `trials`: a row an evaluation, whose value counts only
   * where the state says COMPLETE.
   */
  kind: 'trace' | 'final' | 'trials';
  columns: Partial<Record<TableField, number>>;
  /** The column that says how a trial ended; -1 = none. */
  state: number;
  /** Columns that tell configurations of an algorithm apart, by the name of the parameter. */
  params: ReadonlyMap<string, number>;
  /** Columns that tell problems of one name apart. */
  problemParams: ReadonlyMap<string, number>;
  /** Columns of further objectives. */
  furtherObjectives: readonly string[];
}

/** Names by which scripts, IOHanalyzer, pymoo and Nevergrad call a field, in lower case, the likeliest first. */
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
    'best_y',
    'opt_f',
    'opt',
    'f',
    'fitness',
    'raw_y',
    'f(x)',
  ],
  direction: ['direction'],
};

/** Columns of Nevergrad that make another problem of the same function. */
const nevergradProblem = [
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
 * The layout of a table by the names of its columns: the generic form, that of Nevergrad's benchmarks, of Optuna's
 * `trials_dataframe()`, or what was chosen. Null where no column can hold the values, or two have the name of one
 * that is read. Without a column of
 * evaluations the rows of a run are counted.
 */
export function layoutOf(header: readonly string[], choice: ColumnChoice = {}): TableLayout | null {
  const columns = header.map((name) => name.trim().toLowerCase());
  const has = (name: string) => columns.includes(name);
  const known = matched(columns, choice);
  const plain = {
    kind: 'trace' as const,
    state: -1,
    problemParams: new Map(),
    furtherObjectives: [],
  };
  const params = paramColumns(header);
  if (Object.values(known).some((index) => columns.lastIndexOf(columns[index] ?? '') !== index))
    return null;
  if (has('optimizer_name') && has('loss')) return nevergradLayout(columns, known, params);
  if (has('number') && has('state') && (has('value') || has('values_0')))
    return optunaLayout(columns, known, params);
  if (known.best === undefined) return null;
  return { ...plain, columns: known, params };
}

function matched(columns: readonly string[], choice: ColumnChoice): TableLayout['columns'] {
  const fields = Object.entries(names).flatMap(([field, known]): [string, number][] => {
    const chosen = choice[field as TableField];
    const wanted = chosen === undefined ? known : [chosen.trim().toLowerCase()];
    const name = wanted.find((one) => columns.includes(one));
    return name === undefined ? [] : [[field, columns.indexOf(name)]];
  });
  return Object.fromEntries(fields);
}

/** Columns called `param:<name>`. */
function paramColumns(header: readonly string[]): Map<string, number> {
  return new Map(
    header.flatMap((name, index): [string, number][] => {
      const [, param] = /^\s*param:(.+)$/i.exec(name) ?? [];
      return param === undefined ? [] : [[param.trim(), index]];
    }),
  );
}

function nevergradLayout(
  columns: readonly string[],
  known: TableLayout['columns'],
  params: Map<string, number>,
): TableLayout {
  const spent = columns.includes('elapsed_budget') ? 'elapsed_budget' : 'budget';
  return {
    kind: 'final',
    columns: { ...known, best: columns.indexOf('loss'), evaluations: columns.indexOf(spent) },
    state: -1,
    params: new Map([...params, ...present(columns, ['budget'])]),
    problemParams: new Map(present(columns, nevergradProblem)),
    furtherObjectives: [],
  };
}

function optunaLayout(
  columns: readonly string[],
  known: TableLayout['columns'],
  params: Map<string, number>,
): TableLayout {
  const value = columns.includes('value') ? 'value' : 'values_0';
  return {
    kind: 'trials',
    columns: { ...known, best: columns.indexOf(value), evaluations: columns.indexOf('number') },
    state: columns.indexOf('state'),
    params,
    problemParams: new Map(),
    furtherObjectives: columns.filter((name) => /^values_[1-9]\d*$/.test(name)),
  };
}

function present(columns: readonly string[], wanted: readonly string[]): [string, number][] {
  return wanted
    .filter((name) => columns.includes(name))
    .map((name) => [name, columns.indexOf(name)]);
}
