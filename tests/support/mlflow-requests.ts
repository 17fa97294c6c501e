import { readFileSync } from 'node:fs';

/** Versions of MLflow clients whose requests are recorded. */
export const mlflowClients = ['2.22.5', '3.17.2'] as const;

/** A request that a client of MLflow sent; ids are replaced by names such as `<run1>`, in the order of their creation. */
interface SentRequest {
  method: string;
  path: string;
  type: string | null;
  body: string;
  /** Status of the response that the client received. */
  status: number;
}

/** A replayed request with its response. */
export interface ReplayedRequest extends SentRequest {
  responseText: string;
}

/** Reads the requests in a file that `tests/fixtures/mlflow/record.py` has recorded. */
export function readRequests(
  name: `client-${(typeof mlflowClients)[number]}` | 'optuna-callback-5.0.0',
): SentRequest[] {
  const file = new URL(`../fixtures/mlflow/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as SentRequest[];
}

/** Sends recorded requests to a service, one after another, with the ids that it creates. */
export async function replayRequests(
  serviceUrl: string,
  requests: readonly SentRequest[],
): Promise<{ replayedRequests: ReplayedRequest[]; ids: ReadonlyMap<string, string> }> {
  const ids = new Map<string, string>();
  const replaceNames = (text: string) =>
    text.replaceAll(/<(\w+)>/g, (name, id: string) => ids.get(id) ?? name);
  const replayedRequests: ReplayedRequest[] = [];
  for (const request of requests) {
    const response = await fetch(`${serviceUrl}${replaceNames(request.path)}`, {
      method: request.method,
      headers: { ...(request.type !== null && { 'content-type': request.type }) },
      ...(request.method !== 'GET' && { body: replaceNames(request.body) }),
    });
    const responseText = await response.text();
    replayedRequests.push({ ...request, status: response.status, responseText });
    const experiment = /^\{"experiment_id":"(\d+)"/.exec(responseText)?.[1];
    const run = /^\{"run":\{"info":\{"run_id":"(\w+)"/.exec(responseText)?.[1];
    for (const [kind, id] of Object.entries({ experiment, run })) {
      if (id === undefined || [...ids.values()].includes(id)) continue;
      const count = [...ids.keys()].filter((name) => name.startsWith(kind)).length;
      ids.set(`${kind}${count + 1}`, id);
    }
  }
  return { replayedRequests, ids };
}
