import { on } from 'node:events';
import { fetchText } from './measure.ts';
import { isWanted, print } from './report.ts';
import { startService, stop, type Served } from './served.ts';
import type { LongestTurn } from './turn-watch.ts';
import { makeTurnsDatabase, turns } from './turns-workload.ts';

/** Maximum time for which the thread that receives requests is busy without a pause. */
const largestMillis = 50;

interface Subject {
  title: string;
  /** Sends one request; the number differs in each round. */
  ask: (origin: string, round: number) => Promise<unknown>;
}

const get =
  (...paths: string[]) =>
  (origin: string) =>
    Promise.all(paths.map((path) => fetchText(origin + path)));

const subjects: Subject[] = [
  { title: 'counts', ask: get('/api/dashboard/summary', '/api/facets', '/api/param-paths') },
  {
    title: `experiments of ${turns.runs} runs`,
    ask: get('/api/experiments?size=200', '/api/experiments?q=plain&sortBy=best_fitness'),
  },
  {
    title: 'searches',
    ask: get('/api/runs?q=nowhere&size=200', `/api/runs/${turns.heavyRun(0)}/events?q=nowhere`),
  },
  {
    title: '3000 scalar rows',
    ask: get(`/api/runs/${turns.heavyRun(0)}/iterations?fields=scalars&limit=3000`),
  },
  {
    title: '1000 rows of 10 kB',
    ask: get(`/api/runs/${turns.heavyRun(0)}/iterations?limit=1000`),
  },
  {
    title: `a configuration of ${turns.configBytes / 1e6} MB`,
    ask: get(`/api/experiments/${turns.longConfig}`),
  },
  {
    title: `deletion of ${turns.heavyIterations} × 10 kB`,
    ask: async (origin, round) => {
      const url = `${origin}/api/experiments/${turns.heavyExperiment(round)}`;
      const response = await fetch(url, { method: 'DELETE' });
      if (response.status !== 200) throw new Error(`${url}: ${await response.text()}`);
    },
  },
];

/**
 * Measures for how long at a time requests block the thread that receives them: of several
 * rounds the best, as other programs of the machine only add. Returns 1 when it is too long, else 0.
 */
export async function compareTurns(): Promise<number> {
  const wanted = subjects.filter(({ title }) => isWanted(title));
  if (wanted.length === 0) return 0;
  const database = await makeTurnsDatabase();
  const service = await startService(database.file, { preload: './turn-watch.ts' });
  try {
    print(['longest turn of the request thread']);
    const millis: number[] = [];
    for (const subject of wanted) {
      millis.push(await longestTurn(service, subject));
      print([subject.title, `${millis.at(-1)?.toFixed(1)} ms`]);
    }
    const longest = Math.max(...millis);
    print([`the longest, at most ${largestMillis} ms`, `${longest.toFixed(1)} ms`]);
    if (longest > largestMillis) process.stderr.write('Requests hold each other up\n');
    return longest > largestMillis ? 1 : 0;
  } finally {
    await stop(service);
    database.remove();
  }
}

async function longestTurn(service: Served, { ask }: Subject): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < turns.rounds; round++) {
    await readTurn(service);
    await ask(service.origin, round);
    rounds.push(await readTurn(service));
  }
  return Math.min(...rounds);
}

async function readTurn({ process: child }: Served): Promise<number> {
  child.send('longest turn');
  for await (const [message] of on(child, 'message') as AsyncIterable<[object]>) {
    // The service reports on the same channel that it is ready.
    if ('millis' in message) return (message as LongestTurn).millis;
  }
  throw new Error('The service has ended');
}
