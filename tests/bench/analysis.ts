import { Agent } from 'node:http';
import {
  analysedExperimentId,
  analysisWorkloads,
  ensureAnalysisDatabase,
  type AnalysisWorkload,
} from './analysis-workload.ts';
import { fetchText, measure, quantile } from './measure.ts';
import { print, printTimings } from './report.ts';
import { startFloor, startService, stop, type Served } from './served.ts';
import type { StatementName } from './statements.ts';

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

const { small, large, groups } = analysisWorkloads;
const analysisOf = (workload: AnalysisWorkload) =>
  `/api/experiments/${analysedExperimentId(workload, 0)}/analysis`;

const subjects: Subject[] = [
  {
    title: 'analysis of 50 runs × 200 iterations',
    path: analysisOf(small),
    statement: 'scan-small',
    rounds: 100,
    warmUpRounds: 150,
    largestRatio: 2.5,
    workload: small,
  },
  {
    title: 'analysis of 1000 runs × 1000',
    path: analysisOf(large),
    statement: 'scan-large',
    rounds: 7,
    warmUpRounds: 2,
    largestRatio: 1.5,
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

/** While analyses run, `/api/health` may take so many times as long as on an idle service, by the p99. */
const largestHealthRatio = 3;
const healthRounds = 300;

/**
 * Measures the analyses against the scan of the columns they need, and what else is answered meanwhile.
 * Returns how many of the limits were exceeded.
 */
export async function compareAnalyses(): Promise<number> {
  const file = await ensureAnalysisDatabase((message) => process.stderr.write(`${message}\n`));
  const [service, floor] = await Promise.all([startService(file), startFloor(file)]);
  try {
    const tooSlow: boolean[] = [];
    for (const subject of subjects) tooSlow.push(await isTooSlow(subject, service, floor));
    tooSlow.push(await isHeldUp(service));
    return tooSlow.filter(Boolean).length;
  } finally {
    await Promise.all([stop(service), stop(floor)]);
  }
}

async function isTooSlow(subject: Subject, service: Served, floor: Served): Promise<boolean> {
  const { title, path, statement, rounds, warmUpRounds, largestRatio } = subject;
  await assertAllRead(subject, service, floor);
  // Another target each time, or all but the first answer would come from memory.
  const urls = {
    service: () => `${service.origin}${path}?target=${nextTarget()}`,
    floor: `${floor.origin}/${statement}`,
  };
  const ratio = printTimings(title, await measure(urls, rounds, warmUpRounds));
  if (ratio > largestRatio) process.stderr.write(`${title}: the ratio is above ${largestRatio}\n`);
  return ratio > largestRatio;
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
      await fetchText(`${service.origin}${analysisOf(large)}?target=${nextTarget()}`);
  })();
  const busy = await healthTimes(service, agent);
  measured.abort();
  await analyses;
  agent.destroy();
  const ratio = quantile(busy, 0.99) / quantile(idle, 0.99);
  print([
    'p99 of health, analysing and idle',
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
