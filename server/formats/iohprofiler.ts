import { toFileName } from '#shared/file-name.ts';
import {
  formatEvaluations,
  toLine,
  type LoggedFunction,
  type LoggedRun,
  type LoggerFormatter,
} from './logged-run.ts';

/** The version of IOHexperimenter that writes this format. */
const version = '0.3.22';

/**
 * The format of IOHprofiler since 0.3.3: an index in JSON and a data file for each dimension. IOHinspector recognises
 * the start of a run by a row with evaluation 1, so a run whose first value is later has an infinite value at
 * evaluation 1.
 */
export const iohprofilerFormat: LoggerFormatter = {
  dataFiles: [{ extension: '.dat', formatRows }],
  getDataPath: (loggedFunction, dimension) =>
    `data_${getFunctionName(loggedFunction)}/IOHprofiler_f${loggedFunction.functionId}_DIM${dimension}`,
  getIndexPath: (loggedFunction) => `IOHprofiler_${getFunctionName(loggedFunction)}.json`,
  formatEntry,
  formatScenario: (loggedFunction, dimension, entries) =>
    [
      `{"dimension": ${dimension},`,
      `"path": ${JSON.stringify(`${iohprofilerFormat.getDataPath(loggedFunction, dimension)}.dat`)},`,
      `"runs": [\n${entries.join(',\n')}\n]}`,
    ].join('\n'),
  formatIndex,
};

function getFunctionName({ functionId, functionName }: LoggedFunction): string {
  return `f${functionId}_${toFileName(functionName)}`;
}

function formatRows(
  { evaluations, values, usedEvaluations }: LoggedRun,
  isMaximised: boolean,
): string {
  const rows = ['evaluations raw_y'];
  if ((evaluations[0] ?? 1) > 1) rows.push(`1 ${isMaximised ? '-inf' : 'inf'}`);
  for (const [index, value] of values.entries()) {
    // IOHinspector would read two rows with evaluation 1 as two runs.
    if (evaluations[index] === 1 && evaluations[index + 1] === 1) continue;
    rows.push(`${formatEvaluations(evaluations[index] ?? 1)} ${value}`);
  }
  if (usedEvaluations > (evaluations.at(-1) ?? 0))
    rows.push(`${formatEvaluations(usedEvaluations)} ${values.at(-1)}`);
  return `${rows.join('\n')}\n`;
}

function formatEntry({ instance, seed, evaluations, values, usedEvaluations }: LoggedRun): string {
  const bestText = `{"evals": ${formatEvaluations(evaluations.at(-1) ?? 1)}, "y": ${values.at(-1)}, "x": []}`;
  const attribute = seed === null ? '' : `, "seed": ${seed}`;
  return `{"instance": ${instance}, "evals": ${formatEvaluations(usedEvaluations)}, "best": ${bestText}${attribute}}`;
}

function formatIndex(loggedFunction: LoggedFunction, scenarios: readonly string[]): string {
  const { info, ...attributes } = loggedFunction.attributes;
  const members = {
    version,
    suite: toLine(loggedFunction.suite),
    function_id: loggedFunction.functionId,
    function_name: toLine(loggedFunction.functionName),
    maximization: loggedFunction.isMaximised,
    algorithm: {
      name: toLine(loggedFunction.algorithm),
      info: info === undefined ? '' : toLine(String(info)),
    },
    experiment_attributes: Object.entries(attributes)
      .filter(([name, value]) => isPlain(name) && isPlain(String(value)))
      .map(([name, value]) => ({ [name]: String(value) })),
    run_attributes: ['seed'],
    attributes: ['evaluations', 'raw_y'],
  };
  const lines = Object.entries(members).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return `{\n${lines.join('\n')}\n"scenarios": [\n${scenarios.join(',\n')}\n]}\n`;
}

/**
 * Returns whether a text consists of 1 to 200 ASCII letters, digits, `_`, `.`, `+` and `-`. IOHinspector evaluates
 * attributes as Python code. Code of only these characters cannot call a function or access an item.
 */
function isPlain(text: string): boolean {
  return /^[\w.+-]{1,200}$/.test(text);
}
