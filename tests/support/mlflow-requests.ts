import { readFileSync } from 'node:fs';

/** Clients of MLflow whose requests are frozen. */
export const mlflowClients = ['2.22.5', '3.17.2'] as const;

/** A request that a client of MLflow sent; ids are names such as `<run1>`, in the order in which they were made. */
interface SentRequest {
  method: string;
  path: string;
  type: string | null;
  body: string;
  /** Of the response that the client got. */
  status: number;
}

/** A replayed request with its response. */
export interface Replayed extends SentRequest {
  answer: string;
}

/** Reads the requests in a file that `tests/fixtures/mlflow/record.py` has recorded. */
export function readRequests(
  name: `client-${(typeof mlflowClients)[number]}` | 'optuna-callback-5.0.0',
): SentRequest[] {
  const file = new URL(`../fixtures/mlflow/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as SentRequest[];
}

/** Sends recorded requests to a service, one after another, with the ids that it makes. */
export async function replay(
  serviceUrl: string,
  requests: readonly SentRequest[],
): Promise<{ replayed: Replayed[]; ids: ReadonlyMap<string, string> }> {
  const ids = new Map<string, string>();
  const withIds = (text: string) =>
    text.replaceAll(/<(\w+)>/g, (name, id: string) => ids.get(id) ?? name);
  const replayed: Replayed[] = [];
  for (const sent of requests) {
    const response = await fetch(`${serviceUrl}${withIds(sent.path)}`, {
      method: sent.method,
      headers: { ...(sent.type !== null && { 'content-type': sent.type }) },
      ...(sent.method !== 'GET' && { body: withIds(sent.body) }),
    });
    const answer = await response.text();
    replayed.push({ ...sent, status: response.status, answer });
    const experiment = /^\{"experiment_id":"(\d+)"/.exec(answer)?.[1];
    const run = /^\{"run":\{"info":\{"run_id":"(\w+)"/.exec(answer)?.[1];
    for (const [kind, id] of Object.entries({ experiment, run })) {
      if (id === undefined || [...ids.values()].includes(id)) continue;
      const count = [...ids.keys()].filter((name) => name.startsWith(kind)).length;
      ids.set(`${kind}${count + 1}`, id);
    }
  }
  return { replayed, ids };
}
