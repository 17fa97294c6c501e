import { describe, expect, test } from 'vitest';
import { diagnose, listSearchedCodes } from '#server/telemetry/diagnosis/diagnose.ts';
import { searchedDiagnoses } from '#shared/words.ts';
import { causes, getRuns, type Cause } from './constructed-causes.ts';
import { makeDiagnosedRun } from './constructed-runs.ts';

const runsPerCause = 40;
const minimumRate = 0.9;

/** Returns the share of runs of a cause that have its code, and the runs with a contradicting code. */
function getRates(cause: Cause) {
  const codesByRun = getRuns(cause, runsPerCause).map((run) =>
    diagnose(makeDiagnosedRun(run)).map(({ code }) => code),
  );
  const namedRuns = codesByRun.filter((codes) => cause.code === null || codes.includes(cause.code));
  const contradictions = codesByRun
    .map((codes) => codes.filter((code) => cause.contradictions.includes(code)))
    .filter((codes) => codes.length > 0);
  return { rate: namedRuns.length / runsPerCause, contradictions };
}

describe('diagnose', () => {
  const results = causes.map((cause) => ({ cause, ...getRates(cause) }));
  const table = results.map(
    ({ cause, rate, contradictions }) =>
      `${cause.name.padEnd(50)} ${(cause.code ?? '–').padEnd(20)} ${`${Math.round(100 * rate)} %`.padStart(6)} ` +
      `${contradictions.length} contradictions`,
  );
  process.stdout.write(`Diagnosis of ${runsPerCause} runs per cause:\n${table.join('\n')}\n`);

  test.each(results.map((result) => [result.cause.name, result] as const))(
    'names the cause "%s" in at least 90 % of the runs and contradicts it in none',
    (_name, { rate, contradictions }) => {
      expect(contradictions).toEqual([]);
      expect(rate).toBeGreaterThanOrEqual(minimumRate);
    },
  );

  test('returns the same codes as listSearchedCodes without telemetry', () => {
    for (const cause of causes) {
      for (const constructed of getRuns(cause, 4)) {
        const run = makeDiagnosedRun(constructed);
        const codes = new Set(diagnose(run).map(({ code }) => code as string));
        const rows = {
          evaluations: run.points.map(({ evaluations }) => evaluations ?? NaN),
          bests: run.points.map(({ best }) => best ?? NaN),
        };
        const expected = searchedDiagnoses.filter((code) => code !== 'SILENT' && codes.has(code));
        expect(listSearchedCodes(rows, run, run).toSorted(), cause.name).toEqual(
          expected.toSorted(),
        );
      }
    }
  });
});
