import {
  formatEvaluations,
  toLine,
  type LoggedFunction,
  type LoggedRun,
  type LoggerFormatter,
} from './logged-run.ts';

const header =
  '% f evaluations | g evaluations | best noise-free fitness - Fopt (0.000000000000e+00) + sum g_i+ | ' +
  'measured fitness | best measured fitness or single-digit g-values | x1 | x2...';

/**
 * The format `bbob-new2` of COCO since 2.2.2. A function has an index and two data files per dimension. The file `.dat`
 * has a row for each improvement, and `.tdat` has a row for each of several budgets. Both end with a row for the last
 * evaluation. Values are differences from the optimum. All evaluations count as evaluations of the function, because
 * runs do not distinguish evaluations of constraints.
 */
export const cocoFormat: LoggerFormatter = {
  dataFiles: [
    { extension: '.dat', formatRows: formatImprovements },
    { extension: '.tdat', formatRows: formatBudgets },
  ],
  getDataPath: ({ functionId }, dimension) =>
    `data_f${functionId}/bbobexp_f${functionId}_DIM${dimension}`,
  getIndexPath: ({ functionId }) => `bbobexp_f${functionId}.info`,
  formatEntry: ({ instance, hasCompleted, values, usedEvaluations }) =>
    hasCompleted
      ? `${instance}:${formatEvaluations(usedEvaluations)}|${formatExponential(values.at(-1) ?? NaN, 1)}`
      : String(instance),
  formatScenario: (loggedFunction, dimension, entries) =>
    [
      formatHead(loggedFunction, dimension),
      '% exported by Evoscope',
      [`${cocoFormat.getDataPath(loggedFunction, dimension)}.dat`, ...entries].join(', '),
    ].join('\n'),
  formatIndex: (_loggedFunction, scenarios) => `${scenarios.join('\n')}\n`,
};

function formatHead(
  { suite, functionId, algorithm, precision }: LoggedFunction,
  dimension: number,
) {
  const fields = [
    `suite = '${suite}'`,
    `funcId = ${functionId}`,
    `DIM = ${dimension}`,
    `Precision = ${formatExponential(precision, 3)}`,
    `algId = '${toQuotable(algorithm)}'`,
    "logger = 'bbob'",
    "data_format = 'bbob-new2'",
  ];
  return fields.join(', ');
}

/** Returns a name as one line, with ’ instead of straight single quotes, which would end the quoted text. */
function toQuotable(name: string): string {
  return toLine(name).replaceAll("'", '’');
}

function formatImprovements({ evaluations, values, usedEvaluations }: LoggedRun): string {
  const lastValue = values.at(-1) ?? NaN;
  const rows = values.map((value, index) => formatRow(evaluations[index] ?? 1, value));
  if (usedEvaluations > (evaluations.at(-1) ?? 0)) rows.push(formatRow(usedEvaluations, lastValue));
  return `${[header, ...rows].join('\n')}\n`;
}

/** Maximum number of budgets of {@link formatBudgets} per power of ten. */
const budgetsPerDecade = 20;

/**
 * Returns the header, and rows with the best value at the first improvement, at later budgets on a logarithmic scale,
 * and at the last evaluation.
 */
function formatBudgets({ evaluations, values, usedEvaluations }: LoggedRun): string {
  const rows = [header];
  const firstEvaluation = evaluations[0] ?? 1;
  const budgets = new Set([firstEvaluation]);
  for (let step = 0; ; step += 1) {
    const budget = Math.floor(10 ** (step / budgetsPerDecade));
    if (budget >= usedEvaluations) break;
    if (budget > firstEvaluation) budgets.add(budget);
  }
  budgets.add(usedEvaluations);
  let improvementCount = 0;
  for (const budget of budgets) {
    while ((evaluations[improvementCount] ?? Infinity) <= budget) improvementCount += 1;
    rows.push(formatRow(budget, values[improvementCount - 1] ?? NaN));
  }
  return `${rows.join('\n')}\n`;
}

function formatRow(evaluations: number, value: number): string {
  const text = `${value < 0 || Object.is(value, -0) ? '' : '+'}${value}`;
  return `${formatEvaluations(evaluations)} 0 ${text} ${text} ${text}`;
}

/** Returns a finite number as C prints it, with this number of decimals: `4.0e+00`. */
function formatExponential(value: number, digits: number): string {
  const [mantissa, exponent = '+0'] = value.toExponential(digits).split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${mantissa}e${sign}${exponent.replace(/^[+-]/, '').padStart(2, '0')}`;
}
