import type { Request, Response, Router } from 'express';
import type * as z from 'zod';
import type { Endpoint } from '#shared/api.ts';
import { importEndpoints } from '#shared/endpoints/imports.ts';
import type { importParams, importQuery } from '#shared/schemas/import.ts';
import { writeAnswer } from '#server/write-answer.ts';
import { bindRequest, sendAnswer } from './bind-endpoint.ts';
import type { Imports } from './imports.ts';
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
  bindRequest(router, watchImport, (request, response) =>
    imports.watch(importIdOf(request), response),
  );
}
