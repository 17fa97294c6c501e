import type { RepresentationFamily } from '#server/sample/problems.ts';
import { observeBinary } from './binary.ts';
import { observePermutation } from './permutation.ts';
import { observeReal } from './real.ts';
import type { LatentTelemetry, Observation, PopulationView, TelemetryLimits } from './view.ts';

/** An observer of one run: each call compares with the generation of the call before. */
export function createObserver(
  family: RepresentationFamily,
  limits: TelemetryLimits,
): (view: PopulationView) => LatentTelemetry {
  const observers = {
    binary: () => rememberState(observeBinary, limits),
    permutation: () => rememberState(observePermutation, limits),
    real: () => rememberState(observeReal, limits),
  };
  return observers[family]();
}

type Observe<State> = (
  view: PopulationView,
  previous: State | undefined,
  limits: TelemetryLimits,
) => Observation<State>;

function rememberState<State>(observe: Observe<State>, limits: TelemetryLimits) {
  let previous: State | undefined;
  return (view: PopulationView) => {
    const { telemetry, state } = observe(view, previous, limits);
    previous = state;
    return telemetry;
  };
}
