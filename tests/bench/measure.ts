import { Agent, get } from 'node:http';

const sharedAgent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Returns the body of a URL. Rejects unless the status is 200. */
export async function fetchText(url: string, agent?: Agent): Promise<string> {
  return Buffer.concat(await fetchChunks(url, agent)).toString();
}

/** Returns the parts of {@link fetchText}. To join those of a large body would block this process for long. */
function fetchChunks(url: string, agent = sharedAgent): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) {
          resolve(chunks);
          return;
        }
        const body = Buffer.concat(chunks).toString();
        reject(new Error(`${url} responded with ${response.statusCode}: ${body}`));
      });
    });
    request.on('error', (error) => {
      // The service closes idle connections, for example during the measurement of a floor.
      const isClosed = 'code' in error && error.code === 'ECONNRESET';
      if (request.reusedSocket && isClosed) resolve(fetchChunks(url, agent));
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
 * Sends requests to service and floor in turn, so that other programs of the machine affect both equally. A function
 * returns another URL of the service in each round.
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
    for (const program of order) {
      const millis = await measureResponse(urls[program]);
      if (round >= 0) timings[program].push(millis);
    }
  }
  return timings;
}

/** Returns the milliseconds until the response is complete. */
export async function measureResponse(
  address: string | (() => string),
  agent?: Agent,
): Promise<number> {
  const url = typeof address === 'string' ? address : address();
  const start = performance.now();
  await fetchChunks(url, agent);
  return performance.now() - start;
}

/** Returns the smallest value that at least this share of the values does not exceed. */
export function computeQuantile(values: readonly number[], share: number): number {
  const sortedValues = values.toSorted((a, b) => a - b);
  return sortedValues[Math.max(0, Math.ceil(share * sortedValues.length) - 1)] ?? NaN;
}
