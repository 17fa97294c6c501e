import { Router, type Response } from 'express';
import type * as z from 'zod';
import type { Endpoint } from '#shared/api.ts';
import { databaseEndpoints } from '#shared/endpoints/databases.ts';
import type { Databases } from '#server/runtime/databases.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { bindEndpoint } from './bind-endpoint.ts';

/** Registers the endpoints that choose the database. They stay the same while it changes. */
export function bindDatabases(databases: Databases): Router {
  const router = Router();
  const { listDatabases, testDatabase, openDatabase, makeSample } = databaseEndpoints;
  const bind = <const Shape extends Endpoint>(
    endpoint: Shape,
    answer: (
      body: Shape extends { body: infer Body extends z.ZodType } ? z.output<Body> : null,
      left: AbortSignal,
    ) => Promise<unknown>,
  ) =>
    bindEndpoint(router, endpoint, async ({ body }, response) => ({
      body: writeAnswer(endpoint, await answer(body as never, leavingOf(response))),
    }));
  bind(listDatabases, () => databases.list());
  bind(testDatabase, (place, left) => databases.test(place, left));
  bind(openDatabase, ({ create, legacy, identity, ...place }, left) =>
    databases.open(place, { create, legacy, identity }, left),
  );
  bind(makeSample, ({ file }, left) => databases.makeSample(file, left));
  return router;
}

/** Aborted when the client disconnects before it has its response. */
function leavingOf(response: Response): AbortSignal {
  const leaving = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) leaving.abort();
  });
  return leaving.signal;
}
