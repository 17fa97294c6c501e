import { toDouble, toDoubles, type JavaObject } from '#server/recording/recorder.ts';
import type { Genotype } from './problems.ts';
import type { Random } from './random.ts';
import type { LatentTelemetry } from './telemetry.ts';

/** Thresholds and sizes of the adaptive actions of a search over bits. */
export interface AdaptiveSettings {
  earlyIterationLimit: number;
  entropyThreshold: number;
  fixationThreshold: number;
  entropyDropThreshold: number;
  stagnationGenerations: number;
  diversityThreshold: number;
  /** Share of the new individuals that an exploration boost perturbs. */
  explorationFraction: number;
  /** Probability with which a boost flips each bit of these individuals. */
  explorationNoiseRate: number;
  /** Share of the new individuals that a partial restart replaces with random ones. */
  partialRestartFraction: number;
}

/** Settings with which a search on a small problem triggers adaptive actions. */
export const adaptiveDefaults: AdaptiveSettings = {
  earlyIterationLimit: 30,
  entropyThreshold: 0.6,
  fixationThreshold: 0.2,
  entropyDropThreshold: 0.05,
  stagnationGenerations: 5,
  diversityThreshold: 0.12,
  explorationFraction: 0.35,
  explorationNoiseRate: 0.08,
  partialRestartFraction: 0.25,
};

const realNoiseScale = 0.05;
const permutationSwaps = 2;

/** Returns the settings by their names in configurations, together with `adaptiveEnabled`. */
export function makeAdaptiveParams(settings: AdaptiveSettings): JavaObject {
  return {
    adaptiveEnabled: true,
    adaptiveEarlyIterationLimit: settings.earlyIterationLimit,
    adaptiveBinaryEntropyThreshold: toDouble(settings.entropyThreshold),
    adaptiveBinaryFixationThreshold: toDouble(settings.fixationThreshold),
    adaptiveBinaryEntropyDropThreshold: toDouble(settings.entropyDropThreshold),
    adaptiveStagnationGenerations: settings.stagnationGenerations,
    adaptiveBinaryDiversityThreshold: toDouble(settings.diversityThreshold),
    adaptiveExplorationFraction: toDouble(settings.explorationFraction),
    adaptiveExplorationNoiseRate: toDouble(settings.explorationNoiseRate),
    adaptivePartialRestartFraction: toDouble(settings.partialRestartFraction),
  };
}

/** Adaptive action of a search, as stored in events and diagnostics. */
export interface AdaptiveAction {
  trigger: 'entropy_collapse' | 'stagnation_low_diversity';
  actionType: 'exploration_boost' | 'partial_restart';
  reason: string;
  details: JavaObject;
}

/**
 * Returns the actions that are due before the next generation: at most one of each kind, the boost before the restart.
 * They depend on the telemetry of the current generation, whose number is `iteration`, and on the number of generations
 * since the last better solution or partial restart. A missing metric counts as 0.
 */
export function findDueActions(
  settings: AdaptiveSettings,
  telemetry: LatentTelemetry,
  iteration: number,
  stagnantGenerationCount: number,
): AdaptiveAction[] {
  const actions: AdaptiveAction[] = [];
  if (iteration < settings.earlyIterationLimit && hasCollapsed(settings, telemetry)) {
    actions.push(createExplorationBoost(settings, telemetry, iteration));
  }
  const eliteDiversity = telemetry.diversity.hamming_elite ?? 0;
  if (
    stagnantGenerationCount >= settings.stagnationGenerations &&
    eliteDiversity < settings.diversityThreshold
  ) {
    actions.push(createPartialRestart(settings, telemetry, stagnantGenerationCount));
  }
  return actions;
}

function hasCollapsed(settings: AdaptiveSettings, { metrics, drift }: LatentTelemetry): boolean {
  return (
    (metrics.binary_mean_entropy ?? 0) < settings.entropyThreshold ||
    (metrics.binary_fixation_ratio ?? 0) > settings.fixationThreshold ||
    (drift.binary_entropy_delta ?? 0) > settings.entropyDropThreshold
  );
}

function createExplorationBoost(
  settings: AdaptiveSettings,
  { representationFamily, metrics }: LatentTelemetry,
  iteration: number,
): AdaptiveAction {
  return {
    trigger: 'entropy_collapse',
    actionType: 'exploration_boost',
    reason: 'Entropy/fixation signal indicates premature convergence.',
    details: {
      family: representationFamily,
      iteration,
      perturbFraction: toDouble(settings.explorationFraction),
      perturbRate: toDouble(settings.explorationNoiseRate),
      realNoiseScale: toDouble(realNoiseScale),
      permutationSwaps,
      metrics: toDoubles(metrics),
    },
  };
}

function createPartialRestart(
  settings: AdaptiveSettings,
  { representationFamily, diversity }: LatentTelemetry,
  stagnantGenerationCount: number,
): AdaptiveAction {
  return {
    trigger: 'stagnation_low_diversity',
    actionType: 'partial_restart',
    reason: 'Best fitness stagnated while diversity stayed below threshold.',
    details: {
      family: representationFamily,
      stagnationIterations: stagnantGenerationCount,
      stagnationLimit: settings.stagnationGenerations,
      diversity: toDoubles(diversity),
      randomReplacementRatio: toDouble(settings.partialRestartFraction),
    },
  };
}

/**
 * Applies the actions in their order to the new individuals, and returns the result. A boost flips bits of the first
 * individuals; a restart replaces the last ones with random individuals. The search has not yet evaluated the
 * individuals, so each evaluation counts once.
 */
export function applyActions(
  offspring: readonly Genotype[],
  actions: readonly AdaptiveAction[],
  settings: AdaptiveSettings,
  { random, drawGenotype }: { random: Random; drawGenotype: () => Genotype },
): readonly Genotype[] {
  return actions.reduce<readonly Genotype[]>(
    (individuals, { actionType }) =>
      actionType === 'exploration_boost'
        ? boostExploration(individuals, settings, random)
        : restart(individuals, settings, drawGenotype),
    offspring,
  );
}

function boostExploration(
  offspring: readonly Genotype[],
  { explorationFraction, explorationNoiseRate }: AdaptiveSettings,
  random: Random,
): Genotype[] {
  const perturbedCount = Math.round(explorationFraction * offspring.length);
  const flip = (bit: number) => (random.drawUniform() < explorationNoiseRate ? 1 - bit : bit);
  return offspring.map((genotype, index) =>
    index < perturbedCount ? genotype.map(flip) : genotype,
  );
}

function restart(
  offspring: readonly Genotype[],
  { partialRestartFraction }: AdaptiveSettings,
  drawGenotype: () => Genotype,
): Genotype[] {
  const retainedCount = offspring.length - Math.round(partialRestartFraction * offspring.length);
  return offspring.map((genotype, index) => (index < retainedCount ? genotype : drawGenotype()));
}
