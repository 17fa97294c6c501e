import { Agent } from 'node:http';
import {
  analysedExperimentId,
  analysisWorkloads,
  ensureAnalysisDatabase,
  type AnalysisWorkload,
} from './analysis-workload.ts';
import { fetchText, measure, quantile, timed, type Timings } from './measure.ts';
import { isWanted, print, printTimings } from './report.ts';
import { startFloor, startService, stop, type Served } from './served.ts';
import type { StatementName } from './statements.ts';

/** A question that another target makes new each time. */
interface Subject {
  title: string;
  path: string;
  statement: StatementName;
  rounds: number;
  /** Enough for the thread to run compiled code. */
  warmUpRounds: number;
  largestRatio: number;
  workload: AnalysisWorkload;
}

const { small, large, groups, crowd, eight, thirty } = analysisWorkloads;
const getAnalysis = (workload: AnalysisWorkload) =>
  `/api/experiments/${analysedExperimentId(workload, 0)}/analysis`;

/** Of traces that were read before. */
const subjects: Subject[] = [
  {
    title: 'analysis of 50 runs × 200 iterations',
    path: getAnalysis(small),
    statement: 'scan-small',
    rounds: 100,
    warmUpRounds: 150,
    largestRatio: 1.5,
    workload: small,
  },
  {
    title: 'another target of 1000 runs × 1000',
    path: getAnalysis(large),
    statement: 'scan-large',
    rounds: 7,
    warmUpRounds: 4,
    largestRatio: 0.1,
    workload: large,
  },
  {
    // All requests of the page of an experiment while its target is dragged.
    title: 'a dragged target of 1000 runs × 1000',
    path: `${getAnalysis(large)}?sameProblem=false`,
    statement: 'scan-large',
    rounds: 7,
    warmUpRounds: 4,
    largestRatio: 0.1,
    workload: large,
  },
  {
    title: 'comparison of 5 groups × 50 runs × 200',
    path: `/api/analysis/problem/${groups.problemType}`,
    statement: 'scan-groups',
    rounds: 40,
    warmUpRounds: 40,
    largestRatio: 2.5,
    workload: groups,
  },
];

/** Requests for traces that are not cached yet: the first request to a new service, after others have warmed it up. */
interface ColdSubject {
  title: string;
  path: string;
  statement: StatementName;
  largestRatio: number;
}

const coldSubjects: ColdSubject[] = [
  {
    title: 'analysis of 1000 runs × 1000, cold',
    path: getAnalysis(large),
    statement: 'scan-large',
    largestRatio: 0.6,
  },
  {
    title: '20 runs among 11,000 × 100, cold',
    path: `${getAnalysis(crowd)}?sameProblem=false`,
    statement: 'scan-crowd',
    largestRatio: 2,
  },
];

const coldRounds = 5;

/** Comparisons of groups that differ, at another target each time, within so many milliseconds on an idle machine. */
const comparisons = [
  { title: '8 groups, changed target', workload: eight, rounds: 20, limitMillis: 150 },
  { title: '30 groups, changed target', workload: thirty, rounds: 7, limitMillis: 1000 },
];

const againTitle = '20 runs among 11,000 × 100, again';
const healthTitle = 'p99 of health, analysing and idle';

/** A cached response, among 11,000 runs. */
const largestWarmMillis = 20;

/** While analyses run, `/api/health` may take so many times as long as on an idle service, by the p99. */
const largestHealthRatio = 3;
const healthRounds = 300;

/**
 * Measures the analyses against the scan of the columns they need, and what else is answered meanwhile.
 * Returns how many of the limits were exceeded.
 */
export async function compareAnalyses(): Promise<number> {
  const titles = [...coldSubjects, ...subjects, ...comparisons].map(({ title }) => title);
  if (![...titles, againTitle, healthTitle].some(isWanted)) return 0;
  const file = await ensureAnalysisDatabase((message) => process.stderr.write(`${message}\n`));
  const [service, floor] = await Promise.all([startService(file), startFloor(file)]);
  try {
    const tooSlow: boolean[] = [];
    for (const subject of coldSubjects.filter(({ title }) => isWanted(title)))
      tooSlow.push(await isColdTooSlow(subject, file, floor));
    for (const subject of subjects.filter(({ title }) => isWanted(title)))
      tooSlow.push(await isTooSlow(subject, service, floor));
    for (const comparison of comparisons.filter(({ title }) => isWanted(title)))
      tooSlow.push(await isComparisonTooSlow(comparison, service));
    if (isWanted(againTitle)) tooSlow.push(await isWarmTooSlow(service));
    if (isWanted(healthTitle)) tooSlow.push(await isHeldUp(service));
    return tooSlow.filter(Boolean).length;
  } finally {
    await Promise.all([stop(service), stop(floor)]);
  }
}

async function isColdTooSlow(subject: ColdSubject, file: string, floor: Served): Promise<boolean> {
  const timings: Timings = { service: [], floor: [] };
  for (let round = 0; round < coldRounds; round++) {
    const service = await startService(file);
    try {
      for (let warmUp = 0; warmUp < 60; warmUp++) {
        await fetchText(`${service.origin}${getAnalysis(groups)}?target=${nextTarget()}`);
      }
      timings.floor.push(await timed(`${floor.origin}/${subject.statement}`));
      timings.service.push(await timed(service.origin + subject.path));
    } finally {
      await stop(service);
    }
  }
  return isAbove(subject, printTimings(subject.title, timings));
}

async function isWarmTooSlow(service: Served): Promise<boolean> {
  const url = `${service.origin}${getAnalysis(crowd)}?sameProblem=false`;
  await fetchText(url);
  const times: number[] = [];
  for (let round = 0; round < 50; round++) times.push(await timed(url));
  const millis = quantile(times, 0.5);
  print([againTitle, `${millis.toFixed(2)} ms`]);
  if (millis > largestWarmMillis) process.stderr.write('An answer that is there takes too long\n');
  return millis > largestWarmMillis;
}

async function isComparisonTooSlow(
  { title, workload, rounds, limitMillis }: (typeof comparisons)[number],
  service: Served,
): Promise<boolean> {
  const times: number[] = [];
  // The first rounds read the traces and compile the code. About half of the runs reach the targets.
  for (let round = -5; round < rounds; round++) {
    const target = 8 + (((round + 5) * 0.618) % 4);
    const url = `${service.origin}/api/analysis/problem/${workload.problemType}?target=${target}`;
    const millis = await timed(url);
    if (round >= 0) times.push(millis);
  }
  const [median, slowest] = [quantile(times, 0.5), quantile(times, 0.99)];
  print([title, `${median.toFixed(2)} ms`, `${slowest.toFixed(2)} ms`, `${limitMillis} ms`]);
  if (median > limitMillis) process.stderr.write(`${title}: above ${limitMillis} ms\n`);
  return median > limitMillis;
}

function isAbove({ title, largestRatio }: { title: string; largestRatio: number }, ratio: number) {
  if (ratio > largestRatio) process.stderr.write(`${title}: the ratio is above ${largestRatio}\n`);
  return ratio > largestRatio;
}

async function isTooSlow(subject: Subject, service: Served, floor: Served): Promise<boolean> {
  const { title, path, statement, rounds, warmUpRounds } = subject;
  await assertAllRead(subject, service, floor);
  // Another target each time, or all responses but the first would come from the cache.
  const urls = {
    service: () =>
      `${service.origin}${path}${path.includes('?') ? '&' : '?'}target=${nextTarget()}`,
    floor: `${floor.origin}/${statement}`,
  };
  return isAbove(subject, printTimings(title, await measure(urls, rounds, warmUpRounds)));
}

let target = 0.5;
const nextTarget = () => (target += 1e-6).toFixed(6);

/** An analysis that saw less than the floor would be no wonder. */
async function assertAllRead(subject: Subject, service: Served, floor: Served): Promise<void> {
  const { algorithms, runs, iterations } = subject.workload;
  const { rows } = JSON.parse(await fetchText(`${floor.origin}/${subject.statement}`)) as {
    rows: number;
  };
  const answer = JSON.parse(await fetchText(service.origin + subject.path)) as {
    totalRuns?: number;
    algorithms?: { totalRuns: number }[];
  };
  const analysed =
    answer.totalRuns ?? answer.algorithms?.reduce((sum, group) => sum + group.totalRuns, 0);
  if (rows !== algorithms * runs * iterations || analysed !== algorithms * runs) {
    throw new Error(`${subject.title}: ${rows} iterations and ${analysed} runs`);
  }
}

async function isHeldUp(service: Served): Promise<boolean> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const idle = await healthTimes(service, agent);
  const measured = new AbortController();
  const analyses = (async () => {
    while (!measured.signal.aborted)
      await fetchText(`${service.origin}${getAnalysis(large)}?target=${nextTarget()}`);
  })();
  const busy = await healthTimes(service, agent);
  measured.abort();
  await analyses;
  agent.destroy();
  const ratio = quantile(busy, 0.99) / quantile(idle, 0.99);
  print([
    healthTitle,
    '',
    `${quantile(busy, 0.99).toFixed(2)} ms`,
    '',
    `${quantile(idle, 0.99).toFixed(2)} ms`,
    ratio.toFixed(2),
  ]);
  if (ratio > largestHealthRatio) process.stderr.write('Analyses hold up other requests\n');
  return ratio > largestHealthRatio;
}

async function healthTimes(service: Served, agent: Agent): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < healthRounds; round++) {
    const start = performance.now();
    await fetchText(`${service.origin}/api/health`, agent);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return times;
}
