import { describe, expect, test } from 'vitest';
import { adaptiveDefaults, findDueActions } from '#server/sample/adaptive.ts';
import { toActionJson } from '#server/sample/search.ts';
import { formatJavaJson } from '#server/recording/recorder.ts';
import {
  measureBinaryDrift,
  measureKendallDistance,
  measureGaussianDrift,
  type LatentTelemetry,
} from '#server/sample/telemetry.ts';
import { readRunnerRows } from '#tests/support/runner-sample.ts';

/** Telemetry of an iteration of the runner, as plain numbers. */
interface StoredTelemetry extends Omit<LatentTelemetry, 'insights'> {
  insights: {
    probabilities: number[];
    meanVector: number[];
    sigmaVector: number[];
    consensusPermutation: number[];
  };
}

function getTelemetry(runId: string): StoredTelemetry[] {
  const rows = readRunnerRows(
    'select diagnostics_json from iterations where run_id = ? order by iteration',
    runId,
  );
  return rows.map(
    ({ diagnostics_json }) =>
      (JSON.parse(String(diagnostics_json)) as { latentTelemetry: StoredTelemetry })
        .latentTelemetry,
  );
}

function expectDrifts(
  runId: string,
  drift: (current: StoredTelemetry, previous: StoredTelemetry) => Record<string, number>,
): void {
  const telemetry = getTelemetry(runId);
  expect(telemetry.length).toBeGreaterThan(10);
  telemetry.slice(1).forEach((current, index) => {
    const measuredDrift = drift(current, telemetry[index]!);
    expect(Object.keys(measuredDrift)).toEqual(Object.keys(current.drift));
    for (const [key, value] of Object.entries(current.drift)) {
      expect(measuredDrift[key], `${key} of row ${index + 1}`).toBeCloseTo(value, 9);
    }
  });
}

describe('drift between two generations of the runner', () => {
  const bits = ({ insights, metrics }: StoredTelemetry) => ({
    probabilities: insights.probabilities,
    meanEntropy: metrics['binary_mean_entropy']!,
  });
  const normals = ({ insights }: StoredTelemetry) => ({
    means: insights.meanVector,
    sigmas: insights.sigmaVector,
  });

  test.each(['adaptive30-pbil', 'onemax40-pbil-r01', 'ckpt-umda'])(
    'is the same for the bits of %s',
    (runId) => expectDrifts(runId, (a, b) => measureBinaryDrift(bits(a), bits(b))),
  );

  test.each(['sphere5-gauss-r01', 'rastrigin5-gauss-r06'])(
    'is the same for the coordinates of %s',
    (runId) => expectDrifts(runId, (a, b) => measureGaussianDrift(normals(a), normals(b))),
  );

  test('is the same for the consensus of tsp8-ehm-r01', () => {
    expectDrifts('tsp8-ehm-r01', ({ insights: a }, { insights: b }) => ({
      consensus_kendall: measureKendallDistance(a.consensusPermutation, b.consensusPermutation),
    }));
  });
});

test('findDueActions returns exactly the actions of the runner', () => {
  const telemetry = getTelemetry('adaptive30-pbil');
  const bests = readRunnerRows(
    `select best_fitness from iterations where run_id = 'adaptive30-pbil' order by iteration`,
  ).map(({ best_fitness }) => Number(best_fitness));
  const sampleActions: string[] = [];
  let stagnant = 0;
  for (let iteration = 0; iteration < 30; iteration++) {
    stagnant = iteration > 0 && bests[iteration] === bests[iteration - 1] ? stagnant + 1 : 0;
    const nextTelemetry = telemetry[iteration + 1] as unknown as LatentTelemetry;
    const actions = findDueActions(adaptiveDefaults, nextTelemetry, iteration, stagnant);
    if (actions.some(({ actionType }) => actionType === 'partial_restart')) stagnant = 0;
    sampleActions.push(...actions.map((action) => formatJavaJson(toActionJson(action))));
  }
  const realRows = readRunnerRows(
    `select payload_json from events where run_id = 'adaptive30-pbil'
       and event_type = 'adaptive_action' order by id`,
  ).map(({ payload_json }) => /"action":(.*)\}$/.exec(String(payload_json))?.[1]);
  expect(realRows.length).toBeGreaterThan(20);
  expect(sampleActions).toEqual(realRows);
});
