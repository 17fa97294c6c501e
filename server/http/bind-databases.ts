import { Router } from 'express';
import type { z } from 'zod';
import type { Endpoint } from '#shared/api.ts';
import { databaseEndpoints } from '#shared/database-endpoints.ts';
import type { Chooser } from '#server/choosing/chooser.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { bindEndpoint } from './bind-endpoint.ts';

/** The endpoints that choose what is served, which stay the same while that changes. */
export function bindDatabases(chooser: Chooser): Router {
  const router = Router();
  const { listDatabases, testDatabase, openDatabase, makeSample } = databaseEndpoints;
  const bind = <const Shape extends Endpoint>(
    endpoint: Shape,
    answer: (
      body: Shape extends { body: infer Body extends z.ZodType } ? z.output<Body> : null,
    ) => Promise<unknown>,
  ) =>
    bindEndpoint(router, endpoint, async ({ body }) => ({
      body: writeAnswer(endpoint, await answer(body as never)),
    }));
  bind(listDatabases, () => chooser.list());
  bind(testDatabase, (place) => chooser.test(place));
  bind(openDatabase, ({ create, legacy, ...place }) => chooser.open(place, { create, legacy }));
  bind(makeSample, ({ file }) => chooser.makeSample(file));
  return router;
}
