import * as control from '#server/repositories/control.ts';
import * as deletion from '#server/repositories/deletion.ts';
import * as experiments from '#server/repositories/experiments.ts';
import * as locks from '#server/repositories/locks.ts';
import * as params from '#server/repositories/params.ts';
import { countRunsByStatus } from '#server/repositories/run-counts.ts';
import { experimentsQuery } from '#shared/schemas/experiment.ts';
import type { Example } from './repository-examples.ts';

const defaultQuery = experimentsQuery.parse({});
const allFilters = experimentsQuery.parse({
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

/** Calls of repository methods that read, lock, stop or delete experiments and their runs. */
export const experimentExamples: readonly Example[] = [
  {
    method: experiments.listExperimentIds,
    note: 'first page',
    call: (database) =>
      experiments.listExperimentIds(database, defaultQuery, {
        ...defaultQuery,
        pageRequest: defaultQuery,
      }),
  },
  {
    method: experiments.listExperimentIds,
    note: 'all filters, by best fitness',
    call: (database) =>
      experiments.listExperimentIds(database, allFilters, {
        pageRequest: { page: 2, size: 50 },
        sortBy: 'best_fitness',
        sortDir: 'asc',
      }),
  },
  {
    method: experiments.listExperiments,
    call: (database) => experiments.listExperiments(database, ['e1', 'e2']),
  },
  {
    method: experiments.listParamPathsOfExperiments,
    call: (database) =>
      experiments.listParamPathsOfExperiments(database, allFilters, ['model.type', 'problem.type']),
  },
  {
    method: experiments.countExperiments,
    call: (database) => experiments.countExperiments(database, allFilters),
  },
  {
    method: experiments.hasExperiment,
    call: (database) => experiments.hasExperiment(database, 'e1'),
  },
  {
    method: experiments.findExperiment,
    call: (database) => experiments.findExperiment(database, 'e1'),
  },
  { method: countRunsByStatus, call: (database) => countRunsByStatus(database, 'e1') },
  {
    method: params.listParamsOfExperiment,
    call: (database) => params.listParamsOfExperiment(database, 'e1'),
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
    method: locks.findDeletedRun,
    call: (database) => locks.findDeletedRun(database, [{ runId: 'r1', experimentId: 'e1' }]),
  },
  {
    method: locks.listSharedRunIds,
    call: ({ kysely, dialect }) => locks.listSharedRunIds(kysely, dialect, ['e1', 'e2']),
  },
  {
    method: locks.listExperimentsWithRuns,
    call: (database) => locks.listExperimentsWithRuns(database, ['e1', 'e2']),
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
    call: (database) =>
      deletion.deleteRows(database, {
        campaignIds: ['c1'],
        experimentIds: ['e1'],
        emptyExperimentIds: ['e2'],
      }),
  },
  {
    method: deletion.deleteEmptyExperiments,
    call: (database) => deletion.deleteEmptyExperiments(database, ['e1', 'e2']),
  },
  {
    method: deletion.estimateDeletion,
    call: (database) => {
      const ids = { campaignIds: ['c1'], experimentIds: ['e1'] };
      return deletion.estimateDeletion(database, ids, ['r1']);
    },
  },
];
