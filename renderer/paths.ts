import type { TermId } from '#shared/glossary.ts';
import { pagePaths } from '#shared/pages.ts';

/** Returns the URL of a run's page. */
export function getRunPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

/** Value of a choice in a query; undefined for the default. */
type ChosenValue = string | number | readonly string[] | undefined;

/** Returns the URL of the page of a problem type, on one instance and with further choices of its query if given. */
export function getProblemPath(
  problemType: string,
  instance?: string,
  choices: Readonly<Record<string, ChosenValue>> = {},
): string {
  const query = new URLSearchParams(
    Object.entries<ChosenValue>({ instance, ...choices }).flatMap(([name, value = []]) =>
      [value].flat().map((one) => [name, String(one)]),
    ),
  );
  return `/problems/${encodeURIComponent(problemType)}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

/** Returns the URL of the page that compares runs. */
export function getComparePath(runIds: readonly string[]): string {
  return `${pagePaths.compare}?${new URLSearchParams(runIds.map((id) => ['run', id])).toString()}`;
}

/** Returns the URL of the help, at a term. */
export function getHelpPath(term?: TermId): string {
  return term === undefined ? pagePaths.help : `${pagePaths.help}#${term}`;
}

/** Returns the URL of a campaign's page, with other campaigns of its suite to compare. */
export function getCampaignPath(campaignId: string, others: readonly string[] = []): string {
  const query = new URLSearchParams(others.map((id) => ['campaign', id]));
  return `/coco/${encodeURIComponent(campaignId)}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

/** Returns the URL of an experiment's page. */
export function getExperimentPath(experimentId: string): string {
  return `/experiments/${encodeURIComponent(experimentId)}`;
}

/** Returns the URL of the list of experiments on a problem, filtered by algorithms or models and parameters. */
export function getExperimentsPath(
  problemType: string,
  { algorithm = [], model = [] }: { algorithm?: readonly string[]; model?: readonly string[] },
  conditions: readonly string[],
): string {
  const query = new URLSearchParams([
    ['problem', problemType],
    ...algorithm.map((name) => ['algorithm', name]),
    ...model.map((name) => ['model', name]),
    ['trials', 'include'],
    ...conditions.map((condition) => ['param', condition]),
  ]);
  return `/experiments?${query.toString()}`;
}

/** Returns the URL of the list of experiments of an imported data set. */
export function getDataSetExperimentsPath(name: string): string {
  const condition = `import.dataset = ${JSON.stringify(name)}`;
  return `/experiments?${new URLSearchParams({ trials: 'include', param: condition }).toString()}`;
}
