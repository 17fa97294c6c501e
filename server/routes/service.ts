import type { Router } from 'express';
import type { Logger } from 'pino';
import { endpoints } from '#shared/api.ts';
import type { Database } from '#server/services/runs.ts';
import { bindEndpoint } from '#server/http/bind-endpoint.ts';
import { ChangeFeed } from '#server/http/changes.ts';
import { renderDocsPage } from '#server/http/docs-page.ts';
import { createOpenApiDocument } from '#server/http/openapi.ts';
import * as summary from '#server/services/summary.ts';

/** What the endpoints about the service itself need. */
export interface ServiceDependencies {
  database: Database;
  logger: Logger;
  version: string;
  stopping?: AbortSignal;
}

/** Binds what the service answers about itself and about the database as a whole. */
export function bindService(router: Router, dependencies: ServiceDependencies): void {
  const { database, logger, version, stopping } = dependencies;
  const document = createOpenApiDocument(version);
  const page = renderDocsPage(document);
  const feed = new ChangeFeed(summary.changeSource(database), { logger });
  stopping?.addEventListener('abort', () => feed.close(), { once: true });

  bindEndpoint(router, endpoints.getFacets, ({ query }) =>
    summary.getFacets(database, query.trials),
  );
  bindEndpoint(router, endpoints.listParamPaths, () => summary.listParamPaths(database));
  bindEndpoint(router, endpoints.getSummary, () => summary.getSummary(database));
  bindEndpoint(router, endpoints.getHealth, () => summary.getHealth(database, version));
  bindEndpoint(router, endpoints.getOpenApi, async () => ({ ...document }));
  bindEndpoint(router, endpoints.getDocs, async () => page);
  bindEndpoint(router, endpoints.watchChanges, async (_input, response) => {
    await feed.subscribe(response);
    return undefined;
  });
}
