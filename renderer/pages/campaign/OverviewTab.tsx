import { createMemo, untrack, type Accessor, type JSX } from 'solid-js';
import type { CampaignErts } from '#shared/schemas/coco-analysis.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import type { ChartEntry } from '#renderer/charts/chart-entry.ts';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { ertRatioFigure, solvedFigure } from '#renderer/charts/figures/ert-ratios.ts';
import { Keyed } from '#renderer/components/Keyed.tsx';
import { messagesOf } from '#renderer/components/Notes.tsx';
import { QueryView } from '#renderer/components/QueryView.tsx';
import { Skeleton } from '#renderer/components/Skeleton.tsx';
import { paletteOf, useErts, type CampaignSet } from './campaign-set.ts';
import '#renderer/pages/analysis/analysis.css';
import { PageTerms } from '#renderer/components/TermCard.tsx';
import { termsOfErts } from './terms-here.ts';
import { CompletenessCard } from './CompletenessCard.tsx';

/** What came of campaigns at a glance: ratios and solved functions by dimension, and how complete each is. */
export function OverviewTab(props: { set: CampaignSet }): JSX.Element {
  const erts = useErts(untrack(() => props.set));
  useTableExhibits(
    'listErts',
    [{ table: 'summary', id: 'ratios-by-dimension', title: 'ERT ratio by dimension' }],
    () => ({ params: props.set.asked().params, query: { campaign: props.set.asked().campaign } }),
    () => 'Geometric mean over functions of ERT / reference ERT, and how many were solved.',
  );
  return (
    <div class="analysis">
      <QueryView query={erts} skeleton={<Skeleton shape={{ blockPixels: 340 }} />}>
        {(answer) => <DimensionCharts answer={answer} subject={props.set.subject()} />}
      </QueryView>
      <Keyed each={props.set.campaigns()} by={({ campaignId }) => campaignId}>
        {(campaign) => (
          <CompletenessCard campaign={campaign()} isOneOfMany={props.set.campaigns().length > 1} />
        )}
      </Keyed>
    </div>
  );
}

function DimensionCharts(props: { answer: Accessor<CampaignErts>; subject: string }): JSX.Element {
  const palette = createMemo(() => paletteOf(props.answer().optimizers));
  const targets = createMemo(
    () => new Set(props.answer().rows.map(({ targetValue }) => targetValue)).size,
  );
  const counted = (): string => (targets() > 1 ? 'functions and targets' : 'functions');
  const entries: ChartEntry[] = [
    {
      id: 'ratios',
      title: 'ERT ratio by dimension',
      describe: () =>
        `Geometric mean over ${counted()} of ERT / reference ERT; a triangle at the upper edge: some were ` +
        'never solved, and are infinite',
      figure: () => ertRatioFigure(props.answer().summary, props.answer().rows, palette()),
      scales: { x: 'log', y: 'log' },
      // Without references the picture says so itself.
      notes: () => messagesOf(props.answer().notes.filter(({ code }) => code !== 'NO_REFERENCE')),
    },
    {
      id: 'solved',
      title: 'Solved by dimension',
      describe: () => `Share of the ${counted()} that at least one trial solved`,
      figure: () => solvedFigure(props.answer().summary, palette()),
      scales: { x: 'log' },
    },
  ];
  return (
    <PageTerms terms={termsOfErts(props.answer())}>
      <ChartGrid entries={entries} subject={props.subject} />
    </PageTerms>
  );
}
