import type { Axis } from '#renderer/charts/figure.ts';
import {
  diversitySpecs,
  driftSpecs,
  insightSpecs,
} from '#renderer/features/runs/telemetry-specs.ts';

/** Title, sentence and axis of a stored series. */
export interface SeriesName {
  title: string;
  /** Without a full stop. */
  sentence: string;
  y: Axis;
  /** Whether the title is the runner's key. */
  isKey?: boolean;
}

const specs = [diversitySpecs, driftSpecs, insightSpecs].flatMap((byFamily) =>
  Object.values(byFamily).flat(),
);

const fitness: Readonly<Record<string, string>> = {
  best: 'Best of the population',
  mean: 'Mean of the population',
  std: 'Standard deviation of the population',
};

/** Returns the name of a series: as on the page of a run if it is shown there, else its key. */
export function getSeriesName(key: string): SeriesName {
  for (const { title, sentence, names, y } of specs) {
    const own = names.find(([name]) => name === key);
    if (own) return { title: names.length > 1 ? `${title}: ${own[1]}` : title, sentence, y };
  }
  const name = Object.hasOwn(fitness, key) ? fitness[key] : undefined;
  if (name !== undefined) return { title: name, sentence: 'Fitness', y: { title: 'fitness' } };
  return { title: key, sentence: 'Runner’s name', y: { title: 'value' }, isKey: true };
}
