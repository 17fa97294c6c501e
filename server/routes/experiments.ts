import type { Router } from 'express';
import { endpoints } from '#shared/api.ts';
import { bindEndpoint } from '#server/http/bind-endpoint.ts';
import * as control from '#server/services/control.ts';
import * as deletion from '#server/services/deletion.ts';
import * as experiments from '#server/services/experiments.ts';

/** Binds what `/api/experiments` answers and does, and the stop of a run. */
export function bindExperiments(router: Router, tools: deletion.DeletionTools): void {
  const { database } = tools;
  bindEndpoint(router, endpoints.listExperiments, ({ query }) =>
    experiments.listExperiments(database, query),
  );
  bindEndpoint(router, endpoints.getExperiment, ({ params }) =>
    experiments.getExperiment(database, params.experimentId),
  );
  bindEndpoint(router, endpoints.listExperimentRuns, ({ params, query }) =>
    experiments.listRunsOfExperiment(database, params.experimentId, query),
  );
  bindEndpoint(router, endpoints.listExperimentParams, ({ params }) =>
    experiments.listExperimentParams(database, params.experimentId),
  );
  bindEndpoint(router, endpoints.previewDeletion, ({ params }) =>
    deletion.previewDeletion(tools, params.experimentId),
  );
  bindEndpoint(router, endpoints.deleteExperiment, ({ params }) =>
    deletion.deleteExperiment(tools, params.experimentId),
  );
  bindEndpoint(router, endpoints.deleteExperiments, ({ body }) =>
    deletion.deleteExperiments(tools, body.experimentIds),
  );
  bindEndpoint(router, endpoints.stopExperiment, ({ params, body }) =>
    control.requestExperimentStop(database, params.experimentId, body?.reason),
  );
  bindEndpoint(router, endpoints.stopRun, ({ params, body }) =>
    control.requestRunStop(database, params.runId, body?.reason),
  );
}
