import { shortId } from './short-id.ts';

/** What people call an experiment: the name its runs were given, else its short id. */
export function experimentName(experiment: {
  runName: string | null;
  experimentId: string;
}): string {
  return experiment.runName?.trim() || shortId(experiment.experimentId);
}
