import type { Request, Response, Router } from 'express';
import type * as z from 'zod';
import type { Endpoint } from '#shared/api.ts';
import { importEndpoints } from '#shared/endpoints/imports.ts';
import type { ImportState, importParams, importQuery } from '#shared/schemas/import.ts';
import { ProblemError } from '#server/errors.ts';
import type { Imports } from '#server/runtime/imports.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { bindRequest, sendAnswer } from './bind-endpoint.ts';
import { maximumStreams, startStream } from './changes.ts';
import { receivePath, receiveUpload } from './receive-import.ts';
import { readParams, readQuery } from './validation.ts';

/** Registers the endpoints of imports, which live in the service and not in its database. */
export function bindImports(router: Router, imports: Imports): void {
  const { startImport, listImports, getImport, watchImport, cancelImport } = importEndpoints;
  const importIdOf = ({ params }: Request) =>
    (readParams(getImport.params, params) as z.infer<typeof importParams>).importId;
  const answers = (endpoint: Endpoint, answer: (request: Request) => Promise<unknown>) =>
    bindRequest(router, endpoint, async (request: Request, response: Response) =>
      sendAnswer(endpoint, response, { body: writeAnswer(endpoint, await answer(request)) }),
    );
  answers(startImport, async (request) => {
    const query = readQuery(startImport.query, request.url) as z.infer<typeof importQuery>;
    const receive = request.is('application/json') ? receivePath : receiveUpload;
    return { importId: await receive(imports, request, query) };
  });
  answers(listImports, async () => imports.list());
  answers(getImport, async (request) => imports.get(importIdOf(request)));
  answers(cancelImport, (request) => imports.cancel(importIdOf(request)));
  const watchers = new Set<Response>();
  bindRequest(router, watchImport, (request, response) => {
    const state = imports.get(importIdOf(request));
    if (watchers.size >= maximumStreams)
      throw new ProblemError(
        'TOO_MANY_STREAMS',
        `${maximumStreams} clients are already following imports, which is the limit. Close one of them, or poll instead.`,
        { headers: { 'Retry-After': '5' } },
      );
    watchers.add(response);
    response.once('close', () => watchers.delete(response));
    streamImport(imports, state, response);
  });
}

/** Sends the state of an import as an event, now and after each change until the import has ended. */
function streamImport(imports: Imports, first: ImportState, response: Response): void {
  const send = (state: ImportState) => {
    const isLast = state.status !== 'running' || response.req.method === 'HEAD';
    // A client that does not read needs no further progress, only the end.
    if (isLast || response.writableLength === 0) response.write(eventOf(state));
    if (isLast) response.end();
  };
  startStream(response);
  const unfollow = imports.follow(first.importId, send);
  response.once('close', unfollow);
  send(first);
}

function eventOf({ progress, result, failure }: ImportState): string {
  const [name, data] = result
    ? (['done', result] as const)
    : failure
      ? (['failed', failure] as const)
      : (['progress', progress] as const);
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
