import { createMemo, type Accessor } from 'solid-js';
import { formatCount } from '#shared/number-format.ts';
import { useEndpoint, type QueryState } from '#renderer/api/queries.ts';
import type { ResponseBody } from '#shared/api.ts';
import { asFlag, asNumber } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import type { CampaignSet } from './campaign-set.ts';
import { getCells, createScope, type Scope, type ScopeValues } from './scope.ts';
import { createTargets, getTargets } from '#renderer/features/analysis/TargetsField.tsx';

/** Options of an ECDF, all in the URL. */
export interface EcdfChoice {
  scope: Scope;
  targets: Accessor<string>;
  setTargets: (text: string) => void;
  /** Evaluations / dimension up to which areas are computed; default: the smallest granted budget of each dimension. */
  budget: Accessor<number | undefined>;
  setBudget: (budget: number | undefined) => void;
  /** Whether FAILED trials are excluded; otherwise they count as unsolved. */
  excludesFailed: Accessor<boolean>;
  setExcludesFailed: (on: boolean) => void;
  /** Whether the ECDF simulates restarts of unsuccessful trials. */
  hasRestarts: Accessor<boolean>;
  setRestarts: (on: boolean) => void;
}

/** Creates the options of an ECDF. */
export function createEcdfChoice(): EcdfChoice {
  const scope = createScope();
  const [targets, setTargets] = createTargets();
  const [budget, setBudget] = createUrlSignal(
    'budget',
    asNumber(undefined, (value) => value > 0),
  );
  const [hasRestarts, setRestarts] = createUrlSignal('restarts', asFlag('true'));
  const [excludesFailed, setExcludesFailed] = createUrlSignal('failed', asFlag('exclude'));
  return {
    scope,
    targets,
    setTargets,
    budget,
    setBudget,
    excludesFailed,
    setExcludesFailed,
    hasRestarts,
    setRestarts,
  };
}

/** Fetches the ECDF of a part of the trials. */
export function useEcdf(
  set: CampaignSet,
  choice: EcdfChoice,
  part: Accessor<Partial<ScopeValues>>,
): QueryState<ResponseBody<'getEcdf'>> {
  const request = createMemo(() => getEcdfRequest(set, choice, part()));
  return useEndpoint('getEcdf', () => ({ ...request(), ...set.freshness() }));
}

/** Returns the request for the ECDF of a part of the trials. */
export function getEcdfRequest(
  { request }: CampaignSet,
  { scope, targets, budget, hasRestarts, excludesFailed }: EcdfChoice,
  part: Partial<ScopeValues>,
) {
  const query = {
    campaign: request().campaign,
    ...part,
    targets: getTargets(targets()),
    budget: budget(),
    ...getCells(scope),
    ...(excludesFailed() && { failed: 'exclude' as const }),
    ...(hasRestarts() && { restarts: true }),
  };
  return { params: request().params, query };
}

/** Returns all curves of a response: those over all dimensions and those of each dimension. */
export function getCurves({
  curves,
  panels,
}: ResponseBody<'getEcdf'>): ResponseBody<'getEcdf'>['curves'] {
  return [...curves, ...panels.flatMap((panel) => panel.curves)];
}

/** Describes a scope: "all functions, dimension 5". */
export function describePart({ functionId, dimension }: ScopeValues): string {
  const functions = functionId.map((id) => `f${id}`).join(', ');
  // Imports store 0 for an unknown dimension.
  const dimensions = dimension
    .map((value) => (value === '0' ? 'unknown' : formatCount(value)))
    .join(', ');
  return [
    functions === '' ? 'all functions' : functions,
    dimensions === '' ? 'all dimensions' : `dimension ${dimensions}`,
  ].join(', ');
}
