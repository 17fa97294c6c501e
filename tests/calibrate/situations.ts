import type { UniformRandom } from '#server/stats/seeded-random.ts';
import {
  budget,
  generations,
  landscapes,
  normal,
  populationSize,
  type Course,
  type Landscape,
  type RunEffect,
} from './landscapes.ts';

/** A run as the runner would have stored it. */
export interface SimulatedRun {
  group: number;
  /** Number of its configuration inside of its group. */
  configuration: number;
  status: 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';
  /** Place in the order of starts. */
  start: number;
  /** Evaluations that its configuration grants. */
  granted: number;
  /** Best so far at the end of each generation that it finished. */
  course: Course;
  /** Whether only its final value and its evaluations are stored, as of a table of final values. */
  hasFinalValueOnly?: boolean;
}

export interface Size {
  groups: number;
  runs: number;
}

/** A way in which runs come to be in the database, and what to count as a claim. */
export interface Situation {
  name: string;
  /** How it is drawn, in one line. */
  description: string;
  /** The states of the database in which the page is opened, in turn. */
  draw: (random: UniformRandom, landscape: Landscape, size: Size) => SimulatedRun[][];
  /** What its problems are drawn from, in turn; all landscapes unless given. */
  landscapes?: readonly Landscape[];
  /** Numbers of groups and of runs in each; every one of k = 2, 3, 5 and n = 5, 15, 30 unless given. */
  sizes?: readonly Size[];
  /** Least share of problems with a claim, where the groups truly differ. */
  goal?: number;
  /** Whether to count how often intervals contain the true value, with two groups. */
  hasIntervals?: boolean;
  /** Whether a claim counts, given the measure and which group is said to be better; every one unless given. */
  counts?: (measure: string, better: number) => boolean;
}

const alike: RunEffect = { shift: 0, slowness: 1 };

/** Group b, whose runs differ from the others in how they came about. */
const special = 1;

function getEvaluations({ course }: Pick<SimulatedRun, 'course'>): number {
  return course.length * populationSize;
}

/** Generations after which a run ends: at the target, or with its budget. */
function getLength(course: Course, landscape: Landscape, granted = budget): number {
  const last = Math.floor(granted / populationSize);
  const { target, stopsAtTarget } = landscape;
  const hit = stopsAtTarget && target !== null ? course.findIndex((best) => best <= target) : -1;
  return hit < 0 ? last : Math.min(last, hit + 1);
}

/** All runs of all groups, ended. */
export function endedRuns(
  random: UniformRandom,
  landscape: Landscape,
  { groups, runs }: Size,
  getEffect: (group: number, configuration: number) => RunEffect = () => alike,
  configurations = 1,
): SimulatedRun[] {
  return Array.from({ length: groups * runs }, (_, index) => {
    const group = index % groups;
    const configuration = Math.floor(index / groups) % configurations;
    const course = landscape.draw(random, getEffect(group, configuration));
    return {
      group,
      configuration,
      status: 'COMPLETED' as const,
      start: index,
      granted: budget,
      course: course.subarray(0, getLength(course, landscape)),
    };
  });
}

/** The run as it was after some generations. */
function cut(run: SimulatedRun, length: number, status: SimulatedRun['status']): SimulatedRun {
  return { ...run, status, course: run.course.subarray(0, length) };
}

/** The runs of the special group in an order. */
function specialRuns(runs: readonly SimulatedRun[]): SimulatedRun[] {
  return runs.filter(({ group }) => group === special);
}

function replace(runs: readonly SimulatedRun[], others: readonly SimulatedRun[]): SimulatedRun[] {
  const byStart = new Map(others.map((run) => [run.start, run]));
  return runs.map((run) => byStart.get(run.start) ?? run);
}

/** The special group after half of the time that it takes `workers` to do its runs in turn; those not begun are missing. */
function halfWay(runs: readonly SimulatedRun[], workers: number): SimulatedRun[] {
  const free = Array.from({ length: workers }, () => 0);
  const timed = specialRuns(runs).map((run) => {
    const begin = Math.min(...free);
    const end = begin + run.course.length;
    free[free.indexOf(begin)] = end;
    return { run, begin, end };
  });
  const now = Math.ceil(Math.max(...free) / 2);
  const state = timed.flatMap(({ run, begin, end }) => {
    if (begin >= now) return [];
    return end <= now ? [run] : [cut(run, now - begin, 'RUNNING')];
  });
  return [...runs.filter(({ group }) => group !== special), ...state];
}

/** The page after each finished run from the fifth on, group by group in turn; one run is going on until all have ended. */
function looks(runs: readonly SimulatedRun[], groups: number): SimulatedRun[][] {
  const states = [];
  for (let count = Math.min(5 * groups, runs.length); count <= runs.length; count += groups) {
    const next = runs[count];
    const going = next ? [cut(next, Math.ceil(next.course.length / 3), 'RUNNING')] : [];
    states.push([...runs.slice(0, count), ...going]);
  }
  return states;
}

function landscapeNamed(name: string): Landscape {
  const found = landscapes.find((landscape) => landscape.name === name);
  if (!found) throw new Error(`There is no landscape named ${name}.`);
  return found;
}

const targetEnds = landscapeNamed('target ends a run');
const logNormalFitness = landscapeNamed('log-normal');

/** Standard deviation of the log of the final fitness on the log-normal landscape, from 20,000 runs. */
const finalDeviation = 1.735;

/** Runs that reach the target 0 with a probability, at a log-uniform time; the others end in a narrow band above it, one for each group where it matters. */
function solvedRuns(
  random: UniformRandom,
  size: Size,
  getChance: (group: number) => { rate: number; band: number },
): SimulatedRun[] {
  const draw = (group: number): Course => {
    const { rate, band } = getChance(group);
    const isSolved = random() < rate;
    const change = Math.ceil(generations ** (0.2 + 0.8 * random()));
    const last = isSolved ? 0 : 0.0015 + 0.0015 * band + 0.002 * random();
    return Float64Array.from({ length: generations }, (_, generation) =>
      generation + 1 < change ? 10 ** ((-1.9 * (generation + 1)) / change) : last,
    );
  };
  return Array.from({ length: size.groups * size.runs }, (_, index) => {
    const group = index % size.groups;
    const course = draw(group);
    return {
      group,
      configuration: 0,
      status: 'COMPLETED' as const,
      start: index,
      granted: budget,
      course: course.subarray(0, getLength(course, { ...targetEnds, target: 0 })),
    };
  });
}

/** Runs that differ in the fitness of the unsolved ones only, which lies between two levels of anytime performance. */
function partialNull(random: UniformRandom, size: Size): SimulatedRun[] {
  return solvedRuns(random, size, (group) => ({ rate: 0.6, band: group }));
}

export const situations: readonly Situation[] = [
  {
    name: 'all ended',
    description: 'every run used its budget or reached the target',
    hasIntervals: true,
    draw: (random, landscape, size) => [endedRuns(random, landscape, size)],
  },
  {
    name: 'quarter of the budget',
    description: 'the configuration of b grants a quarter of the evaluations',
    draw: (random, landscape, size) => {
      const granted = budget / 4;
      const runs = endedRuns(random, landscape, size);
      const shorter = specialRuns(runs).map((run) => ({
        ...cut(run, Math.min(run.course.length, granted / populationSize), 'COMPLETED'),
        granted,
      }));
      return [replace(runs, shorter)];
    },
  },
  {
    name: 'half-way, in turn',
    description: 'b is half-way through its runs, one after the other',
    draw: (random, landscape, size) => [halfWay(endedRuns(random, landscape, size), 1)],
  },
  {
    name: 'half-way, in parallel',
    description: 'b is half-way through its runs, on 5 processors',
    draw: (random, landscape, size) => [halfWay(endedRuns(random, landscape, size), 5)],
  },
  {
    name: 'half stopped',
    description:
      'after 40 % of the budget the user stops the worse half of those runs of b that go on',
    draw: (random, landscape, size) => {
      const runs = endedRuns(random, landscape, size);
      const seen = Math.round(0.4 * generations);
      const open = specialRuns(runs).filter(({ course }) => course.length > seen);
      const worse = open
        .sort((a, b) => (b.course[seen - 1] ?? 0) - (a.course[seen - 1] ?? 0))
        .slice(0, Math.ceil(open.length / 2));
      return [
        replace(
          runs,
          worse.map((run) => cut(run, seen, 'STOPPED')),
        ),
      ];
    },
  },
  {
    name: 'five configurations',
    description:
      'each group pools five configurations that differ in level and speed, alike in distribution',
    draw: (random, landscape, size) => {
      const drawn = Array.from({ length: 5 * size.groups }, () => ({
        shift: 0.8 * normal(random),
        slowness: Math.exp(0.8 * normal(random)),
      }));
      const getEffect = (group: number, configuration: number) =>
        drawn[group * 5 + configuration] ?? alike;
      return [endedRuns(random, landscape, size, getEffect, 5)];
    },
  },
  {
    name: 'a look after each run',
    description:
      'the page is read after each finished run from the fifth of each group on; a claim at any look counts',
    draw: (random, landscape, size) => looks(endedRuns(random, landscape, size), size.groups),
  },
  {
    name: 'worst 40 % crash',
    description: 'the worst 40 % of the runs of b fail at a random time; counts that b is better',
    counts: (_measure, better) => better === special,
    draw: (random, landscape, size) => {
      const runs = endedRuns(random, landscape, size);
      const last = ({ course }: SimulatedRun) => course.at(-1) ?? Infinity;
      const worst = specialRuns(runs)
        .sort((a, b) => last(b) - last(a) || getEvaluations(b) - getEvaluations(a))
        .slice(0, Math.round(0.4 * size.runs));
      const failed = worst.map((run) =>
        cut(run, 1 + Math.floor(random() * run.course.length * 0.99), 'FAILED'),
      );
      return [replace(runs, failed)];
    },
  },
  {
    name: 'final values only',
    description:
      'the runs of b have only final values, as of an imported table; others have traces',
    draw: (random, landscape, size) => {
      const runs = endedRuns(random, landscape, size);
      const untraced = specialRuns(runs).map((run) => ({ ...run, hasFinalValueOnly: true }));
      return [replace(runs, untraced)];
    },
  },
  {
    name: 'partial null',
    description:
      'unsolved runs of each pair differ in final fitness; counts claims on other measures',
    counts: (measure) => measure !== 'fitness',
    landscapes: [{ ...targetEnds, target: 0 }],
    draw: (random, _landscape, size) => [partialNull(random, size)],
  },
];

/** Groups that truly differ, for the share of problems in which the pages find it. */
export const differences: readonly Situation[] = [
  {
    name: 'fitness worse by 1 sd',
    description: 'log fitness of b is one standard deviation larger; log-normal, no target',
    landscapes: [logNormalFitness],
    sizes: [{ groups: 2, runs: 15 }],
    goal: 0.6,
    draw: (random, landscape, size) => [
      endedRuns(random, landscape, size, (group) => ({ ...alike, shift: group * finalDeviation })),
    ],
  },
  {
    name: 'slower by e',
    description: 'b takes e times as many evaluations for everything; a run stops at the target',
    landscapes: [targetEnds],
    sizes: [{ groups: 2, runs: 15 }],
    goal: 0.6,
    draw: (random, landscape, size) => [
      endedRuns(random, landscape, size, (group) => ({ ...alike, slowness: Math.E ** group })),
    ],
  },
  {
    name: 'success 80 against 40 %',
    description:
      'a reaches the target in 80 % of the runs, b in 40 %, at times alike in distribution',
    landscapes: [{ ...targetEnds, target: 0 }],
    sizes: [{ groups: 2, runs: 30 }],
    goal: 0.75,
    draw: (random, _landscape, size) => [
      solvedRuns(random, size, (group) => ({ rate: group === 0 ? 0.8 : 0.4, band: 0 })),
    ],
  },
];
