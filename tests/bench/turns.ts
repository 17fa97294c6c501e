import { on } from 'node:events';
import { fetchText } from './measure.ts';
import { isSelected, print } from './report.ts';
import { startService, stopProcess, type ServingProcess } from './serving-process.ts';
import type { LongestTurn } from './turn-watch.ts';
import { makeTurnsDatabase, turns } from './turns-workload.ts';

/** Maximum time for which the thread that receives requests is busy without a pause. */
const maximumMillis = 50;

interface Subject {
  title: string;
  /** Sends one request; the number differs in each round. */
  sendRequest: (origin: string, round: number) => Promise<unknown>;
}

const createRequest =
  (...paths: string[]) =>
  (origin: string) =>
    Promise.all(paths.map((path) => fetchText(origin + path)));

const subjects: Subject[] = [
  {
    title: 'counts',
    sendRequest: createRequest('/api/dashboard/summary', '/api/facets', '/api/param-paths'),
  },
  {
    title: `experiments of ${turns.runs} runs`,
    sendRequest: createRequest(
      '/api/experiments?size=200',
      '/api/experiments?q=plain&sortBy=best_fitness',
    ),
  },
  {
    title: 'searches',
    sendRequest: createRequest(
      '/api/runs?q=nowhere&size=200',
      `/api/runs/${turns.getHeavyRunId(0)}/events?q=nowhere`,
    ),
  },
  {
    title: '3000 scalar rows',
    sendRequest: createRequest(
      `/api/runs/${turns.getHeavyRunId(0)}/iterations?fields=scalars&limit=3000`,
    ),
  },
  {
    title: '1000 rows of 10 kB',
    sendRequest: createRequest(`/api/runs/${turns.getHeavyRunId(0)}/iterations?limit=1000`),
  },
  {
    title: `a configuration of ${turns.configBytes / 1e6} MB`,
    sendRequest: createRequest(`/api/experiments/${turns.longConfigId}`),
  },
  {
    title: `deletion of ${turns.heavyIterations} × 10 kB`,
    sendRequest: async (origin, round) => {
      const url = `${origin}/api/experiments/${turns.getHeavyExperimentId(round)}`;
      const response = await fetch(url, { method: 'DELETE' });
      if (response.status !== 200) throw new Error(`${url}: ${await response.text()}`);
    },
  },
];

/**
 * Measures the longest time for which requests block the request thread. Uses the shortest of several rounds, because
 * other programs of the machine only increase it. Returns 1 if it is too long, else 0.
 */
export async function compareTurns(): Promise<number> {
  const selectedSubjects = subjects.filter(({ title }) => isSelected(title));
  if (selectedSubjects.length === 0) return 0;
  const database = await makeTurnsDatabase();
  const service = await startService(database.file, { preloadModule: './turn-watch.ts' });
  try {
    print(['longest turn of the request thread']);
    const millis: number[] = [];
    for (const subject of selectedSubjects) {
      millis.push(await measureLongestTurn(service, subject));
      print([subject.title, `${millis.at(-1)?.toFixed(1)} ms`]);
    }
    const longestMillis = Math.max(...millis);
    print([`the longest, at most ${maximumMillis} ms`, `${longestMillis.toFixed(1)} ms`]);
    if (longestMillis > maximumMillis) process.stderr.write('Requests delay each other\n');
    return longestMillis > maximumMillis ? 1 : 0;
  } finally {
    await stopProcess(service);
    database.remove();
  }
}

async function measureLongestTurn(
  service: ServingProcess,
  { sendRequest }: Subject,
): Promise<number> {
  const turnMillis: number[] = [];
  for (let round = 0; round < turns.rounds; round++) {
    await readTurn(service);
    await sendRequest(service.origin, round);
    turnMillis.push(await readTurn(service));
  }
  return Math.min(...turnMillis);
}

async function readTurn({ process: child }: ServingProcess): Promise<number> {
  child.send('longest turn');
  for await (const [message] of on(child, 'message') as AsyncIterable<[object]>) {
    // The service reports on the same channel that it is ready.
    if ('millis' in message) return (message as LongestTurn).millis;
  }
  throw new Error('The service has ended');
}
