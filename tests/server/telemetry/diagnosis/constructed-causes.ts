import type { Diagnosis } from '#shared/schemas/insights.ts';
import {
  constructRun,
  diversityKeys,
  drawProblem,
  makeFade,
  fixation,
  makeImportedTrace,
  getRandom,
  makeSteadyProgress,
  makeStoppingProgress,
  makeConfigWithoutBudget,
  type ConstructedRun,
  type Random,
} from './constructed-runs.ts';

type Code = Diagnosis['code'];

/** Cause of a result, with the code that names it and the codes that contradict it. */
export interface Cause {
  name: string;
  /** Code of the cause; null if there is none, so that only contradictions count. */
  code: Code | null;
  contradictions: readonly Code[];
  construct: (random: Random) => ConstructedRun;
}

const discreteKinds = ['count', 'tour'];
const explanations = ['PREMATURE_FIXATION', 'DIVERSITY_LOST', 'SIGMA_COLLAPSED'] as const;
const endCodes = ['CRASHED', 'STOPPED_BY_USER', 'SILENT'] as const;

/** All causes, most of them of a missed target. */
export const causes: readonly Cause[] = [
  {
    name: 'budget too small while improving',
    code: 'STILL_IMPROVING',
    contradictions: ['STAGNATION', 'TARGET_REACHED', 'BEST_LOST', ...explanations, ...endCodes],
    construct: (random) => constructRun(random, { progress: makeSteadyProgress(random) }),
  },
  {
    name: 'plateau',
    code: 'STAGNATION',
    contradictions: ['STILL_IMPROVING', 'TARGET_REACHED', 'RESTARTS', ...explanations, ...endCodes],
    construct: (random) =>
      constructRun(random, {
        progress: makeStoppingProgress(random, random.uniform(0.15, 0.68)),
        getLag: () => 0.005 * Math.abs(random.normal()),
      }),
  },
  {
    name: 'improvement too small to matter',
    code: 'STAGNATION',
    contradictions: ['STILL_IMPROVING', 'TARGET_REACHED', ...explanations, ...endCodes],
    construct: (random) => {
      const mainProgress = makeStoppingProgress(random, random.uniform(0.1, 0.4), 0.8);
      const slowRate = random.uniform(1e-5, 5e-4);
      const problem = drawProblem(random, ['tour', 'log']);
      return constructRun(random, {
        problem,
        progress: (time) => mainProgress(time) + slowRate * time,
      });
    },
  },
  {
    name: 'model fixed too early',
    code: 'PREMATURE_FIXATION',
    contradictions: ['STILL_IMPROVING', 'TARGET_REACHED', ...endCodes],
    construct: (random) => {
      const stop = random.uniform(0.2, 0.8);
      return constructRun(random, {
        problem: drawProblem(random, discreteKinds),
        progress: makeStoppingProgress(random, stop),
        metrics: fixation(random, stop + random.uniform(-0.06, 0.06)),
      });
    },
  },
  {
    name: 'population too small',
    code: 'PREMATURE_FIXATION',
    contradictions: ['STILL_IMPROVING', 'TARGET_REACHED', ...endCodes],
    construct: (random) => {
      const stop = random.uniform(0.03, 0.15);
      return constructRun(random, {
        problem: drawProblem(random, discreteKinds),
        progress: makeStoppingProgress(random, stop, random.uniform(0.1, 0.5)),
        metrics: fixation(random, stop),
      });
    },
  },
  {
    name: 'model fixed long after the plateau began',
    code: 'STAGNATION',
    contradictions: ['STILL_IMPROVING', 'PREMATURE_FIXATION', ...endCodes],
    construct: (random) => {
      const stop = random.uniform(0.1, 0.4);
      return constructRun(random, {
        problem: drawProblem(random, discreteKinds),
        progress: makeStoppingProgress(random, stop),
        metrics: fixation(random, stop + random.uniform(0.2, 0.5)),
      });
    },
  },
  {
    name: 'diversity lost',
    code: 'DIVERSITY_LOST',
    contradictions: ['STILL_IMPROVING', 'TARGET_REACHED', ...endCodes],
    construct: (random) => {
      const stop = random.uniform(0.2, 0.8);
      const fade = makeFade(random, stop + random.uniform(-0.06, 0.06));
      return constructRun(random, {
        progress: makeStoppingProgress(random, stop),
        metrics: (time, { family }) => ({ [diversityKeys[family]]: 40 * fade(time) }),
      });
    },
  },
  {
    name: 'step sizes collapsed',
    code: 'SIGMA_COLLAPSED',
    contradictions: ['STILL_IMPROVING', 'TARGET_REACHED', ...endCodes],
    construct: (random) => {
      const stop = random.uniform(0.2, 0.8);
      return constructRun(random, {
        problem: drawProblem(random, ['log', 'scaled']),
        progress: makeStoppingProgress(random, stop),
        metrics: (time) => ({
          real_collapsed_dim_ratio: time < stop ? 0.4 * (time / stop) : random.uniform(0.5, 1),
        }),
      });
    },
  },
  {
    name: 'noisy fitness',
    code: 'BEST_LOST',
    contradictions: ['TARGET_REACHED', 'RESTARTS', 'WRONG_DIRECTION', ...endCodes],
    construct: (random) => {
      const noise = random.uniform(0.05, 0.12);
      const peak = random.uniform(0.2, 0.6);
      const mainProgress = makeStoppingProgress(random, 0.5, 0.6);
      let isOver = false;
      return constructRun(random, {
        problem: drawProblem(random, ['count', 'tour']),
        progress: mainProgress,
        getLag: (time) => {
          // One population contains an extremely good evaluation.
          const isLucky = !isOver && time >= peak;
          isOver ||= isLucky;
          return isLucky ? 0 : 0.3 + Math.min(0.15, noise * Math.abs(random.normal()));
        },
      });
    },
  },
  {
    name: 'best not kept',
    code: 'BEST_LOST',
    contradictions: [
      'TARGET_REACHED',
      'STILL_IMPROVING',
      'RESTARTS',
      'WRONG_DIRECTION',
      ...endCodes,
    ],
    construct: (random) => {
      const lossTime = random.uniform(0.3, 0.7);
      const depth = random.uniform(0.2, 0.45);
      return constructRun(random, {
        problem: drawProblem(random, ['count', 'tour']),
        progress: makeStoppingProgress(random, lossTime, 0.8),
        getLag: (time) => (time <= lossTime ? 0 : depth * Math.min(1, (time - lossTime) / 0.1)),
      });
    },
  },
  {
    name: 'crash',
    code: 'CRASHED',
    contradictions: ['STILL_IMPROVING', 'STOPPED_BY_USER', 'SILENT', 'TARGET_REACHED'],
    construct: (random) =>
      constructRun(random, {
        progress: makeSteadyProgress(random),
        used: random.uniform(0.1, 1),
        changes: () => ({
          status: 'FAILED',
          evaluations: null,
          iterations: null,
          bestFitness: null,
        }),
      }),
  },
  {
    name: 'stopped by the user',
    code: 'STOPPED_BY_USER',
    contradictions: ['STILL_IMPROVING', 'CRASHED', 'SILENT', 'TARGET_REACHED'],
    construct: (random) =>
      constructRun(random, {
        progress: makeSteadyProgress(random),
        used: random.uniform(0.1, 1),
        changes: () => ({ status: 'STOPPED' }),
      }),
  },
  {
    name: 'silent',
    code: 'SILENT',
    contradictions: ['STILL_IMPROVING', 'CRASHED', 'STOPPED_BY_USER', 'TARGET_REACHED'],
    construct: (random) =>
      constructRun(random, {
        progress: makeSteadyProgress(random),
        used: random.uniform(0.1, 1),
        changes: () => ({
          status: 'RUNNING',
          isSilent: true,
          evaluations: null,
          iterations: null,
          bestFitness: null,
        }),
      }),
  },
  {
    name: 'target beyond the optimum, which was reached',
    code: 'TARGET_UNREACHABLE',
    contradictions: ['STAGNATION', 'STILL_IMPROVING', 'BEST_LOST', ...explanations, ...endCodes],
    construct: (random) => {
      const problem = drawProblem(random, ['count']);
      const stop = random.uniform(0.2, 0.97);
      return constructRun(random, {
        problem: { ...problem, target: problem.target + random.whole(1, 20) },
        progress: (time) => (time < stop ? time / stop : 0.9999),
        metrics: fixation(random, stop),
      });
    },
  },
  {
    name: 'optimum reached without a target',
    code: 'TARGET_REACHED',
    contradictions: ['STAGNATION', 'STILL_IMPROVING', 'BEST_LOST', ...explanations, ...endCodes],
    construct: (random) => {
      const stop = random.uniform(0.2, 0.97);
      return constructRun(random, {
        problem: drawProblem(random, ['count']),
        progress: (time) => (time < stop ? time / stop : 0.9999),
        metrics: fixation(random, stop),
        changes: ({ config }) => ({
          config: { ...config, stopping: { type: 'max-iterations', maxIterations: 100 } },
        }),
      });
    },
  },
  {
    name: 'late step of a search that had stopped for long',
    code: 'STILL_IMPROVING',
    contradictions: ['STAGNATION', 'TARGET_REACHED', ...explanations, ...endCodes],
    construct: (random) => {
      const earlyProgress = makeStoppingProgress(
        random,
        random.uniform(0.1, 0.4),
        random.uniform(0.3, 0.6),
      );
      const lateTime = random.uniform(0.92, 0.99);
      const height = random.uniform(0.05, 0.3);
      const problem = drawProblem(random, discreteKinds);
      return constructRun(random, {
        problem,
        progress: (time) => earlyProgress(time) + (time >= lateTime ? height : 0),
        metrics: fixation(random, 0.4),
      });
    },
  },
  {
    name: 'most improvement early, then less and less',
    code: null,
    contradictions: [
      'STILL_IMPROVING',
      'TARGET_REACHED',
      'BEST_LOST',
      ...explanations,
      ...endCodes,
    ],
    construct: (random) => {
      const speed = random.uniform(12, 30);
      return constructRun(random, {
        problem: drawProblem(random, ['tour']),
        progress: (time) => 0.9 * (1 - Math.exp(-speed * time)) + 0.01 * time ** 0.5,
      });
    },
  },
  {
    name: 'restarts without success',
    code: 'RESTARTS',
    contradictions: [
      'BEST_LOST',
      'TARGET_REACHED',
      'WRONG_DIRECTION',
      ...explanations,
      ...endCodes,
    ],
    construct: (random) => {
      const cycles = random.whole(3, 5);
      const heights = Array.from({ length: cycles }, () => random.uniform(0.65, 0.9));
      const toPosition = (time: number) => Math.min(cycles - 1, Math.floor(time * cycles));
      const within = (time: number) => Math.min(1, (time * cycles - toPosition(time)) / 0.7);
      return constructRun(random, {
        problem: drawProblem(random, ['count', 'tour', 'log']),
        progress: (time) => (heights[toPosition(time)] ?? 0) * within(time),
      });
    },
  },
  {
    name: 'wrong direction',
    code: 'WRONG_DIRECTION',
    contradictions: ['STAGNATION', 'STILL_IMPROVING', 'BEST_LOST', ...explanations, ...endCodes],
    construct: (random) => {
      const problem = drawProblem(random, ['tour', 'log']);
      const progress = makeSteadyProgress(random);
      return constructRun(random, {
        problem: { ...problem, direction: 'max', target: 3 * problem.getValue(0) },
        progress: (time) => progress(time) + 0.002 * random.normal() - 0.01,
      });
    },
  },
  {
    name: 'plateau of an imported trace',
    code: 'STAGNATION',
    contradictions: ['STILL_IMPROVING', 'TARGET_REACHED', ...explanations, ...endCodes],
    construct: (random) =>
      constructRun(random, {
        progress: makeStoppingProgress(random, random.uniform(0.02, 0.68)),
        changes: (run) => ({ ...makeImportedTrace(run), config: makeConfigWithoutBudget(run) }),
      }),
  },
  {
    name: 'imported trace that its data cut off',
    code: null,
    contradictions: ['STILL_IMPROVING', 'STAGNATION', 'STOPPED_BY_USER', 'CRASHED'],
    construct: (random) =>
      constructRun(random, {
        progress: makeSteadyProgress(random),
        changes: (run) => ({
          ...makeImportedTrace(run),
          config: makeConfigWithoutBudget(run),
          status: random.chance(0.5) ? 'STOPPED' : 'COMPLETED',
        }),
      }),
  },
  {
    name: 'ended by its own rule before the budget',
    code: null,
    contradictions: ['STILL_IMPROVING', 'TARGET_REACHED', ...explanations, ...endCodes],
    construct: (random) =>
      constructRun(random, {
        progress: makeSteadyProgress(random),
        used: random.uniform(0.2, 0.8),
      }),
  },
  {
    name: 'target reached with a fixed model',
    code: 'TARGET_REACHED',
    contradictions: ['STAGNATION', 'STILL_IMPROVING', 'BEST_LOST', ...explanations, ...endCodes],
    construct: (random) => {
      const problem = drawProblem(random, discreteKinds);
      const hitTime = random.uniform(0.2, 0.9);
      return constructRun(random, {
        problem: { ...problem, target: problem.getValue(0.7) },
        progress: (time) => Math.min(0.75, (0.72 * time) / hitTime),
        metrics: fixation(random, random.uniform(0.1, 0.9)),
      });
    },
  },
];

/** Returns runs of a cause. They are the same at each call. */
export function getRuns({ name, construct }: Cause, count: number): ConstructedRun[] {
  return Array.from({ length: count }, (_, index) => construct(getRandom(`${name} ${index}`)));
}
