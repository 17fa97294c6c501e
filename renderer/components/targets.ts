import { countOf } from '#shared/number-format.ts';
import { campaignName, experimentName, shortId } from './names.ts';

/** Something that is asked to stop, or to be deleted with all that hangs on it. */
interface Target<Kind extends string> {
  kind: Kind;
  id: string;
  name: string;
}

/** A run or experiment to be asked to stop. */
export type StopTarget = Target<'run' | 'experiment'>;

/** What is to be deleted. Several at once are experiments. */
export type DeletionTarget = Target<'experiment' | 'campaign' | 'data set'>;

/** A run by its id. */
export function runTarget({ runId }: { runId: string }): Target<'run'> {
  return { kind: 'run', id: runId, name: shortId(runId) };
}

/** An experiment by its name. */
export function experimentTarget(
  experiment: Parameters<typeof experimentName>[0],
): Target<'experiment'> {
  return { kind: 'experiment', id: experiment.experimentId, name: experimentName(experiment) };
}

/** A campaign by its name. */
export function campaignTarget(campaign: Parameters<typeof campaignName>[0]): Target<'campaign'> {
  return { kind: 'campaign', id: campaign.campaignId, name: campaignName(campaign) };
}

/** Targets counted: "1 run", "3 experiments"; none of them are experiments. */
export function targetsText(targets: readonly Target<string>[]): string {
  return countOf(targets.length, targets[0]?.kind ?? 'experiment');
}

/** What is done to targets, for the title of a dialog: "Stop run r1", "Delete 3 experiments". */
export function titleOf(verb: string, targets: readonly Target<string>[]): string {
  const [first] = targets;
  return `${verb} ${targets.length === 1 && first ? `${first.kind} ${first.name}` : targetsText(targets)}`;
}
