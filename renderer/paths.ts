import type { TermId } from '#shared/glossary.ts';
import { pagePaths } from '#shared/pages.ts';

/** The address of a run's page. */
export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

/** The address of the page that compares what solved a problem type, on one instance if that is given. */
export function problemPath(problemType: string, instance?: string): string {
  const query = instance === undefined ? '' : `?instance=${encodeURIComponent(instance)}`;
  return `/problems/${encodeURIComponent(problemType)}${query}`;
}

/** The address of the page that lays runs over each other. */
export function comparePath(runIds: readonly string[]): string {
  return `${pagePaths.compare}?${new URLSearchParams(runIds.map((id) => ['run', id])).toString()}`;
}

/** The address of the help, at a term. */
export function helpPath(term?: TermId): string {
  return term === undefined ? pagePaths.help : `${pagePaths.help}#${term}`;
}

/** The address of a campaign's page, with other campaigns of its suite beside it. */
export function campaignPath(campaignId: string, others: readonly string[] = []): string {
  const query = new URLSearchParams(others.map((id) => ['campaign', id]));
  return `/coco/${encodeURIComponent(campaignId)}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

/** The address of an experiment's page. */
export function experimentPath(experimentId: string): string {
  return `/experiments/${encodeURIComponent(experimentId)}`;
}

/** The address of the list of the experiments on a problem, by these algorithms or models, whose parameters are as said. */
export function experimentsPath(
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

/** The address of the list of the experiments that an imported data set holds. */
export function dataSetExperimentsPath(name: string): string {
  const condition = `import.dataset = ${JSON.stringify(name)}`;
  return `/experiments?${new URLSearchParams({ trials: 'include', param: condition }).toString()}`;
}
