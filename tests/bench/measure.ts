import { Agent, get } from 'node:http';

const sharedAgent = new Agent({ keepAlive: true, maxSockets: 1 });

/** The body of a URL; rejects unless the status is 200. */
export function fetchText(url: string, agent = sharedAgent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`${url} answered ${response.statusCode}: ${body}`));
      });
    });
    request.on('error', (error) => {
      // The service closes a connection that was idle, for example while a floor was measured.
      const wasClosed = 'code' in error && error.code === 'ECONNRESET';
      if (request.reusedSocket && wasClosed) resolve(fetchText(url, agent));
      else reject(error);
    });
  });
}

/** Milliseconds per response, in the order of the requests. */
export interface Timings {
  service: number[];
  floor: number[];
}

/**
 * Asks both in turn, so that whatever else the machine does falls on both alike. The service may be asked
 * something else each time.
 */
export async function measure(
  urls: { service: string | (() => string); floor: string },
  rounds: number,
  warmUpRounds = 10,
): Promise<Timings> {
  const timings: Timings = { service: [], floor: [] };
  for (let round = -warmUpRounds; round < rounds; round++) {
    const order =
      round % 2 === 0 ? (['service', 'floor'] as const) : (['floor', 'service'] as const);
    for (const side of order) {
      const millis = await timed(urls[side]);
      if (round >= 0) timings[side].push(millis);
    }
  }
  return timings;
}

/** Milliseconds until the response is complete. */
export async function timed(address: string | (() => string), agent?: Agent): Promise<number> {
  const url = typeof address === 'string' ? address : address();
  const start = performance.now();
  await fetchText(url, agent);
  return performance.now() - start;
}

/** The smallest value that at least this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
