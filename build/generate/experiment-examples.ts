import * as control from '#server/repositories/control.ts';
import * as deletion from '#server/repositories/deletion.ts';
import * as experiments from '#server/repositories/experiments.ts';
import * as locks from '#server/repositories/locks.ts';
import * as params from '#server/repositories/params.ts';
import { countRunsByStatus } from '#server/repositories/run-counts.ts';
import { experimentsQuery } from '#shared/schemas/experiment.ts';
import type { Example } from './repository-examples.ts';

const noFilter = experimentsQuery.parse({});
const everyFilter = experimentsQuery.parse({
  q: 'text',
  algorithm: ['umda', 'pbil'],
  model: 'umda-bernoulli',
  problem: 'onemax',
  status: ['COMPLETED', 'PARTIAL'],
  from: '2026-11-21T10:00:00Z',
  to: '2026-11-21T10:59:59Z',
  trials: 'exclude',
  param: ['algorithm.populationSize >= 50'],
});
const requestedAt = '2026-11-21T10:00:00.000Z';

/** At least one call of every repository method that reads, stops or deletes experiments. */
export const experimentExamples: readonly Example[] = [
  {
    method: experiments.listExperimentIds,
    note: 'first page',
    call: (store) =>
      experiments.listExperimentIds(store, noFilter, { ...noFilter, part: noFilter }),
  },
  {
    method: experiments.listExperimentIds,
    note: 'all filters, by best fitness',
    call: (store) =>
      experiments.listExperimentIds(store, everyFilter, {
        part: { page: 2, size: 50 },
        sortBy: 'best_fitness',
        sortDir: 'asc',
      }),
  },
  {
    method: experiments.listExperiments,
    call: (store) => experiments.listExperiments(store, ['e1', 'e2']),
  },
  {
    method: experiments.listParamPathsOfExperiments,
    call: (store) =>
      experiments.listParamPathsOfExperiments(store, everyFilter, ['model.type', 'problem.type']),
  },
  {
    method: experiments.countExperiments,
    call: (store) => experiments.countExperiments(store, everyFilter),
  },
  {
    method: experiments.hasExperiment,
    call: (store) => experiments.hasExperiment(store, 'e1'),
  },
  { method: experiments.findExperiment, call: (store) => experiments.findExperiment(store, 'e1') },
  { method: countRunsByStatus, call: (store) => countRunsByStatus(store, 'e1') },
  {
    method: params.listParamsOfExperiment,
    call: (store) => params.listParamsOfExperiment(store, 'e1'),
  },
  {
    method: locks.lockRun,
    call: ({ kysely, dialect }) => locks.lockRun(kysely, dialect, 'r1'),
  },
  {
    method: locks.listPresentExperiments,
    call: ({ kysely, dialect }) =>
      locks.listPresentExperiments(kysely, dialect, ['e1', 'e2'], { isLocked: true }),
  },
  {
    method: locks.listRunStates,
    call: ({ kysely, dialect }) =>
      locks.listRunStates(kysely, dialect, ['e1', 'e2'], { isLocked: true }),
  },
  {
    method: locks.listExperimentsWithRuns,
    call: (store) => locks.listExperimentsWithRuns(store, ['e1', 'e2']),
  },
  {
    method: locks.lockExperimentRuns,
    call: ({ kysely, dialect }) => locks.lockExperimentRuns(kysely, dialect, 'e1'),
  },
  {
    method: control.writeStopRequests,
    call: ({ kysely }) =>
      control.writeStopRequests(kysely, [
        { scope: 'run', targetId: 'r1', requestedAt, reason: 'enough' },
      ]),
  },
  {
    method: deletion.deleteRows,
    call: (store) =>
      deletion.deleteRows(store, {
        campaignIds: ['c1'],
        experimentIds: ['e1'],
        emptyExperimentIds: ['e2'],
      }),
  },
  {
    method: deletion.deleteEmptyExperiments,
    call: (store) => deletion.deleteEmptyExperiments(store, ['e1', 'e2']),
  },
  {
    method: deletion.estimateDeletion,
    call: (store) => {
      const ids = { campaignIds: ['c1'], experimentIds: ['e1'] };
      return deletion.estimateDeletion(store, ids, ['r1']);
    },
  },
];
