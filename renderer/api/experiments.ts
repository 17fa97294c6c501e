import type { Accessor } from 'solid-js';
import type { Answer } from '#shared/api.ts';
import type { QueryOf } from './client.ts';
import { type QueryState, useEndpoint } from './queries.ts';

/** One page of experiments; the former page stays until the next has come. */
export function useExperiments(
  query: Accessor<QueryOf<'listExperiments'>>,
): QueryState<Answer<'listExperiments'>> {
  return useEndpoint('listExperiments', () => ({ query: query(), live: true, keepPrevious: true }));
}

/** One experiment; runs can join it at any time, so it stays live. `enabled` false holds it back. */
export function useExperiment(
  experimentId: Accessor<string>,
  enabled: Accessor<boolean> = () => true,
): QueryState<Answer<'getExperiment'>> {
  return useEndpoint('getExperiment', () => ({
    params: { experimentId: experimentId() },
    live: true,
    enabled: enabled(),
  }));
}

/** One page of an experiment's runs; the former page stays until the next has come. */
export function useExperimentRuns(
  experimentId: Accessor<string>,
  query: Accessor<QueryOf<'listExperimentRuns'>>,
): QueryState<Answer<'listExperimentRuns'>> {
  return useEndpoint('listExperimentRuns', () => ({
    params: { experimentId: experimentId() },
    query: query(),
    live: true,
    keepPrevious: true,
  }));
}

/** Flattened parameters of an experiment; they never change. */
export function useExperimentParams(
  experimentId: Accessor<string>,
): QueryState<Answer<'listExperimentParams'>> {
  return useEndpoint('listExperimentParams', () => ({
    params: { experimentId: experimentId() },
    live: false,
  }));
}
