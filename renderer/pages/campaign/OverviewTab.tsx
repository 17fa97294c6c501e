import { createMemo, Show, untrack, type Accessor, type JSX } from 'solid-js';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { makeErtRatioFigure, makeSolvedFigure } from '#renderer/charts/figures/ert-ratios.ts';
import { Keyed } from '#renderer/ui/Keyed.tsx';
import { getMessages } from '#renderer/ui/Notes.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { createPalette, useErts, type CampaignSet } from './campaign-set.ts';
import { getOptimizersByResult } from './optimizer-palette.ts';
import { DroppedCells } from './DroppedCells.tsx';
import { getCells, createScope } from './scope.ts';
import { ScopeBar } from './ScopeBar.tsx';
import { PageTerms } from '#renderer/ui/TermCard.tsx';
import { getTermsOfErts } from './terms-here.ts';
import { CompletenessCard } from './CompletenessCard.tsx';

/** Results of campaigns at a glance: ratios and solved functions by dimension, and completeness. */
export function OverviewTab(props: { set: CampaignSet }): JSX.Element {
  const scope = createScope();
  const part = createMemo(() => ({ ...scope.values(), ...getCells(scope) }));
  const erts = useErts(
    untrack(() => props.set),
    part,
  );
  useTableExhibits(
    'listErts',
    [{ table: 'summary', id: 'ratios-by-dimension', title: 'ERT ratio by dimension' }],
    () => {
      const { params, campaign } = props.set.request();
      return { params, query: { campaign, ...part() } };
    },
    () =>
      `Geometric mean over functions of ERT / ${describeReference(erts.data)}, and the number of solved functions.`,
  );
  return (
    <div class="card-stack">
      <Show when={erts.data}>
        {(response) => <ScopeBar scope={scope} plan={response()} hasCells />}
      </Show>
      <QueryView query={erts} skeleton={<Skeleton content="ERTs" shape={{ blockPixels: 340 }} />}>
        {(response) => (
          <div class="card-stack" classList={{ 'previous-data': erts.isPlaceholder }}>
            <DroppedCells response={response()} scope={scope} />
            <DimensionCharts response={response} set={props.set} />
          </div>
        )}
      </QueryView>
      <Keyed each={props.set.campaigns()} by={({ campaignId }) => campaignId}>
        {(campaign) => (
          <CompletenessCard campaign={campaign()} isOneOfMany={props.set.campaigns().length > 1} />
        )}
      </Keyed>
    </div>
  );
}

/** Returns the name of the reference of the ratios. */
function describeReference(response: Pick<CampaignErts, 'referenceKind'> | undefined): string {
  return response?.referenceKind === 'best'
    ? 'best ERT of the compared optimizers'
    : 'reference ERT';
}

function DimensionCharts(props: {
  response: Accessor<CampaignErts>;
  set: CampaignSet;
}): JSX.Element {
  const palette = createPalette(
    () => props.response().optimizers,
    () => getOptimizersByResult(props.response().summary),
  );
  const targets = createMemo(
    () => new Set(props.response().rows.map(({ targetValue }) => targetValue)).size,
  );
  const counted = (): string => (targets() > 1 ? 'functions and targets' : 'functions');
  const entries: ChartEntry[] = [
    {
      id: 'ratios',
      title: 'ERT ratio by dimension',
      describe: () =>
        `Geometric mean over ${counted()} of ERT / ${describeReference(props.response())}; hollow triangle at the top: at least one is unsolved (∞)`,
      figure: () => makeErtRatioFigure(props.response(), palette()),
      scales: { y: 'log' },
      // Without references, the empty state of the chart states this note.
      notes: () =>
        getMessages(props.response().notes.filter(({ code }) => code !== 'NO_REFERENCE')),
    },
    {
      id: 'solved',
      title: 'Solved by dimension',
      describe: () => `Share of the ${counted()} solved by at least one trial`,
      figure: () => makeSolvedFigure(props.response(), palette()),
    },
  ];
  return (
    <PageTerms terms={getTermsOfErts(props.response())}>
      <ChartGrid entries={entries} subject={props.set.subject()} />
    </PageTerms>
  );
}
