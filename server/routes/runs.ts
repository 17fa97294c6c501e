import type { Router } from 'express';
import { endpoints } from '#shared/api.ts';
import { iterationFull } from '#shared/schemas/run.ts';
import type { Database } from '#server/services/runs.ts';
import { bindEndpoint } from '#server/http/bind-endpoint.ts';
import { RowStream } from '#server/http/row-stream.ts';
import * as events from '#server/services/events.ts';
import * as iterations from '#server/services/iterations.ts';
import * as runs from '#server/services/runs.ts';

/** Binds what `/api/runs` answers. */
export function bindRuns(router: Router, database: Database): void {
  bindEndpoint(router, endpoints.listRuns, ({ query }) => runs.listRuns(database, query));
  bindEndpoint(router, endpoints.getRun, ({ params }) => runs.getRun(database, params.runId));
  bindEndpoint(router, endpoints.listIterations, async ({ params, query }) => {
    const { after, limit } = query;
    const selection = { runId: params.runId, after, limit };
    if (query.fields === 'scalars') return iterations.listScalars(database, selection);
    return new RowStream(iterationFull, iterations.streamIterations(database, selection));
  });
  bindEndpoint(router, endpoints.listEvents, ({ params, query }) =>
    events.listEvents(database, params.runId, query),
  );
  bindEndpoint(router, endpoints.getEvent, ({ params }) =>
    events.getEvent(database, params.runId, params.id),
  );
  bindEndpoint(router, endpoints.listEventTypes, ({ params }) =>
    events.listEventTypes(database, params.runId),
  );
  bindEndpoint(router, endpoints.listCheckpoints, ({ params }) =>
    runs.listCheckpoints(database, params.runId),
  );
  bindEndpoint(router, endpoints.listRunParams, ({ params }) =>
    runs.listRunParams(database, params.runId),
  );
}
