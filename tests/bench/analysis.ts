import { Agent } from 'node:http';
import {
  getExperimentId,
  analysisWorkloads,
  ensureAnalysisDatabase,
  type AnalysisWorkload,
} from './analysis-workload.ts';
import { fetchText, measure, computeQuantile, measureResponse, type Timings } from './measure.ts';
import { isSelected, print, printTimings } from './report.ts';
import { startFloor, startService, stopProcess, type ServingProcess } from './serving-process.ts';
import type { StatementName } from './statements.ts';

/** A request with a different target in each round, so that no response comes from the cache. */
interface Subject {
  title: string;
  path: string;
  statement: StatementName;
  rounds: number;
  /** Number of rounds until the thread runs compiled code. */
  warmUpRounds: number;
  maximumRatio: number;
  workload: AnalysisWorkload;
}

const { small, large, groups, crowd, eight, thirty } = analysisWorkloads;
const getAnalysis = (workload: AnalysisWorkload) =>
  `/api/experiments/${getExperimentId(workload, 0)}/analysis`;

/** Analyses of cached traces. */
const subjects: Subject[] = [
  {
    title: 'analysis of 50 runs × 200 iterations',
    path: getAnalysis(small),
    statement: 'scan-small',
    rounds: 100,
    warmUpRounds: 150,
    maximumRatio: 1.5,
    workload: small,
  },
  {
    title: 'another target of 1000 runs × 1000',
    path: getAnalysis(large),
    statement: 'scan-large',
    rounds: 7,
    warmUpRounds: 4,
    maximumRatio: 0.1,
    workload: large,
  },
  {
    // All requests of the page of an experiment while its target is dragged.
    title: 'a dragged target of 1000 runs × 1000',
    path: `${getAnalysis(large)}?sameProblem=false`,
    statement: 'scan-large',
    rounds: 7,
    warmUpRounds: 4,
    maximumRatio: 0.1,
    workload: large,
  },
  {
    title: 'comparison of 5 groups × 50 runs × 200',
    path: `/api/analysis/problem/${groups.problemType}`,
    statement: 'scan-groups',
    rounds: 40,
    warmUpRounds: 40,
    maximumRatio: 2.5,
    workload: groups,
  },
];

/** A request for traces that are not cached: the first of its kind to a service that has responded to other requests. */
interface ColdSubject {
  title: string;
  path: string;
  statement: StatementName;
  maximumRatio: number;
}

const coldSubjects: ColdSubject[] = [
  {
    title: 'analysis of 1000 runs × 1000, cold',
    path: getAnalysis(large),
    statement: 'scan-large',
    maximumRatio: 0.6,
  },
  {
    title: '20 runs among 11,000 × 100, cold',
    path: `${getAnalysis(crowd)}?sameProblem=false`,
    statement: 'scan-crowd',
    maximumRatio: 2,
  },
];

const coldRounds = 5;

/** Comparisons of different groups, each time with another target. The limits are for an idle machine. */
const comparisons = [
  { title: '8 groups, changed target', workload: eight, rounds: 20, limitMillis: 150 },
  { title: '30 groups, changed target', workload: thirty, rounds: 7, limitMillis: 1000 },
];

const cachedTitle = '20 runs among 11,000 × 100, cached';
const healthTitle = 'p99 of health, analysing and idle';

/** Maximum time of a cached response among 11,000 runs. */
const maximumCachedMillis = 20;

/** Maximum ratio of the p99 of `/api/health` during analyses to that of an idle service. */
const maximumHealthRatio = 3;
const healthRounds = 300;

/**
 * Measures the analyses relative to a scan of the columns that they need, and the health check during analyses. Returns
 * the number of exceeded limits.
 */
export async function compareAnalyses(): Promise<number> {
  const titles = [...coldSubjects, ...subjects, ...comparisons].map(({ title }) => title);
  if (![...titles, cachedTitle, healthTitle].some(isSelected)) return 0;
  const file = await ensureAnalysisDatabase((message) => process.stderr.write(`${message}\n`));
  const [service, floor] = await Promise.all([startService(file), startFloor(file)]);
  try {
    const results: boolean[] = [];
    for (const subject of coldSubjects.filter(({ title }) => isSelected(title)))
      results.push(await isColdTooSlow(subject, file, floor));
    for (const subject of subjects.filter(({ title }) => isSelected(title)))
      results.push(await isTooSlow(subject, service, floor));
    for (const comparison of comparisons.filter(({ title }) => isSelected(title)))
      results.push(await isComparisonTooSlow(comparison, service));
    if (isSelected(cachedTitle)) results.push(await isCachedTooSlow(service));
    if (isSelected(healthTitle)) results.push(await isHealthTooSlow(service));
    return results.filter(Boolean).length;
  } finally {
    await Promise.all([stopProcess(service), stopProcess(floor)]);
  }
}

async function isColdTooSlow(
  subject: ColdSubject,
  file: string,
  floor: ServingProcess,
): Promise<boolean> {
  const timings: Timings = { service: [], floor: [] };
  for (let round = 0; round < coldRounds; round++) {
    const service = await startService(file);
    try {
      for (let warmUp = 0; warmUp < 60; warmUp++) {
        await fetchText(`${service.origin}${getAnalysis(groups)}?target=${makeTarget()}`);
      }
      timings.floor.push(await measureResponse(`${floor.origin}/${subject.statement}`));
      timings.service.push(await measureResponse(service.origin + subject.path));
    } finally {
      await stopProcess(service);
    }
  }
  return isAbove(subject, printTimings(subject.title, timings));
}

async function isCachedTooSlow(service: ServingProcess): Promise<boolean> {
  const url = `${service.origin}${getAnalysis(crowd)}?sameProblem=false`;
  await fetchText(url);
  const times: number[] = [];
  for (let round = 0; round < 50; round++) times.push(await measureResponse(url));
  const millis = computeQuantile(times, 0.5);
  print([cachedTitle, `${millis.toFixed(2)} ms`]);
  if (millis > maximumCachedMillis) process.stderr.write('A cached response takes too long\n');
  return millis > maximumCachedMillis;
}

async function isComparisonTooSlow(
  { title, workload, rounds, limitMillis }: (typeof comparisons)[number],
  service: ServingProcess,
): Promise<boolean> {
  const times: number[] = [];
  // The first rounds read the traces and compile the code. About half of the runs reach the targets.
  for (let round = -5; round < rounds; round++) {
    const target = 8 + (((round + 5) * 0.618) % 4);
    const url = `${service.origin}/api/analysis/problem/${workload.problemType}?target=${target}`;
    const millis = await measureResponse(url);
    if (round >= 0) times.push(millis);
  }
  const [medianMillis, slowestMillis] = [computeQuantile(times, 0.5), computeQuantile(times, 0.99)];
  print([
    title,
    `${medianMillis.toFixed(2)} ms`,
    `${slowestMillis.toFixed(2)} ms`,
    `${limitMillis} ms`,
  ]);
  if (medianMillis > limitMillis) process.stderr.write(`${title}: above ${limitMillis} ms\n`);
  return medianMillis > limitMillis;
}

function isAbove({ title, maximumRatio }: { title: string; maximumRatio: number }, ratio: number) {
  if (ratio > maximumRatio) process.stderr.write(`${title}: the ratio is above ${maximumRatio}\n`);
  return ratio > maximumRatio;
}

async function isTooSlow(
  subject: Subject,
  service: ServingProcess,
  floor: ServingProcess,
): Promise<boolean> {
  const { title, path, statement, rounds, warmUpRounds } = subject;
  await requireSameRows(subject, service, floor);
  // With the same target, all responses except the first would come from the cache.
  const urls = {
    service: () =>
      `${service.origin}${path}${path.includes('?') ? '&' : '?'}target=${makeTarget()}`,
    floor: `${floor.origin}/${statement}`,
  };
  return isAbove(subject, printTimings(title, await measure(urls, rounds, warmUpRounds)));
}

let target = 0.5;
const makeTarget = () => (target += 1e-6).toFixed(6);

/** Throws if the analysis and the floor read different numbers of rows: their times could not be compared. */
async function requireSameRows(
  subject: Subject,
  service: ServingProcess,
  floor: ServingProcess,
): Promise<void> {
  const { algorithms, runs, iterations } = subject.workload;
  const { rows } = JSON.parse(await fetchText(`${floor.origin}/${subject.statement}`)) as {
    rows: number;
  };
  const response = JSON.parse(await fetchText(service.origin + subject.path)) as {
    totalRuns?: number;
    algorithms?: { totalRuns: number }[];
  };
  const analysedRuns =
    response.totalRuns ?? response.algorithms?.reduce((sum, group) => sum + group.totalRuns, 0);
  if (rows !== algorithms * runs * iterations || analysedRuns !== algorithms * runs) {
    throw new Error(`${subject.title}: ${rows} iterations and ${analysedRuns} runs`);
  }
}

async function isHealthTooSlow(service: ServingProcess): Promise<boolean> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const idleTimes = await measureHealthTimes(service, agent);
  const endController = new AbortController();
  const analyses = (async () => {
    while (!endController.signal.aborted)
      await fetchText(`${service.origin}${getAnalysis(large)}?target=${makeTarget()}`);
  })();
  const busyTimes = await measureHealthTimes(service, agent);
  endController.abort();
  await analyses;
  agent.destroy();
  const ratio = computeQuantile(busyTimes, 0.99) / computeQuantile(idleTimes, 0.99);
  print([
    healthTitle,
    '',
    `${computeQuantile(busyTimes, 0.99).toFixed(2)} ms`,
    '',
    `${computeQuantile(idleTimes, 0.99).toFixed(2)} ms`,
    ratio.toFixed(2),
  ]);
  if (ratio > maximumHealthRatio) process.stderr.write('Analyses delay other requests\n');
  return ratio > maximumHealthRatio;
}

async function measureHealthTimes(service: ServingProcess, agent: Agent): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < healthRounds; round++) {
    const start = performance.now();
    await fetchText(`${service.origin}/api/health`, agent);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return times;
}
