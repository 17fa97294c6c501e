import type { UniformRandom } from '#server/stats/seeded-random.ts';

/** Best so far of one simulated run at the end of each generation, were it to use its whole budget. */
export type Course = Float64Array;

/** What makes a run differ from the others of its problem: 0 and 1 for identical groups. */
export interface RunEffect {
  /** Added to the log of the fitness. */
  shift: number;
  /** Factor on the evaluations that everything takes. */
  slowness: number;
}

/** A kind of problem that runs are simulated on, minimised. */
export interface Landscape {
  name: string;
  /** How it is drawn, in one line. */
  description: string;
  /** Fitness to reach; null = none. */
  target: number | null;
  /** Whether a run ends when it reaches the target. */
  stopsAtTarget: boolean;
  draw: (random: UniformRandom, effect: RunEffect) => Course;
}

export const generations = 40;
export const populationSize = 50;
/** Budget of each run in evaluations, unless a situation states another one. */
export const budget = generations * populationSize;

interface Shape {
  /** Evaluations on the scale of which a run improves. */
  scale: (random: UniformRandom) => number;
  /** Where the log of its fitness begins. */
  start: (random: UniformRandom) => number;
}

/**
 * Log fitness falls with the log of the evaluations, from a start and on a scale of the run's own, with noise in each
 * generation.
 */
function logCourse(random: UniformRandom, { scale, start }: Shape, effect: RunEffect): Course {
  const own = scale(random) * effect.slowness;
  const level = start(random) + effect.shift;
  let best = Infinity;
  return Float64Array.from({ length: generations }, (_, generation) => {
    const evaluations = (generation + 1) * populationSize;
    const value = level - 2 * Math.log1p(evaluations / own) + 0.15 * normal(random);
    best = Math.min(best, value);
    return best;
  });
}

const logNormal: Shape = {
  scale: (random) => 200 * Math.exp(0.9 * normal(random)),
  start: (random) => 0.7 * normal(random),
};

/** Neither mean nor variance exist. */
const heavyTailed: Shape = {
  scale: (random) => 100 / (1 - random()),
  start: (random) => 0.3 * Math.tan(Math.PI * (random() - 0.5)),
};

const targetLog = -4.5;

/** About ten integers of a log course. */
const getStep = (value: number) => Math.max(0, Math.floor(12 * Math.exp(value / 4)));

export const landscapes: readonly Landscape[] = [
  {
    name: 'log-normal',
    description: 'log-normal fitness and log-normal speed, no target',
    target: null,
    stopsAtTarget: false,
    draw: (random, effect) => logCourse(random, logNormal, effect).map(Math.exp),
  },
  {
    name: 'heavy tails',
    description: 'log fitness with a Cauchy start and a Pareto(1) scale of evaluations, no target',
    target: null,
    stopsAtTarget: false,
    draw: (random, effect) => logCourse(random, heavyTailed, effect).map(Math.exp),
  },
  {
    name: 'ties',
    description: 'about ten integer fitness values, no target',
    target: null,
    stopsAtTarget: false,
    draw: (random, effect) => logCourse(random, logNormal, effect).map(getStep),
  },
  {
    name: 'target ends a run',
    description: 'log-normal fitness; about half of the runs reach the target, and stop there',
    target: Math.exp(targetLog),
    stopsAtTarget: true,
    draw: (random, effect) => logCourse(random, logNormal, effect).map(Math.exp),
  },
  {
    name: 'runs beyond target',
    description: 'as before, but runs that reach the target go on to the end of their budget',
    target: Math.exp(targetLog),
    stopsAtTarget: false,
    draw: (random, effect) => logCourse(random, logNormal, effect).map(Math.exp),
  },
  {
    name: 'ties and target',
    description: 'about ten integer fitness values; a run stops at the target, 4',
    target: 4,
    stopsAtTarget: true,
    draw: (random, effect) => logCourse(random, logNormal, effect).map(getStep),
  },
];

/** Standard normal, by Box and Muller. */
export function normal(random: UniformRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
