import { createMemo, Show, untrack, type Accessor, type JSX } from 'solid-js';
import type { CampaignErts, OptimizerTests } from '#shared/schemas/coco-analysis.ts';
import { describeFailedTrials } from '#shared/claim-marks.ts';
import { isCellNote } from '#shared/words.ts';
import { callFile } from '#renderer/api/client.ts';
import { useTableExhibits } from '#renderer/api/table-exhibits.ts';
import { getMessages } from '#renderer/ui/Notes.tsx';
import { FailedPart, QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { LatexButtons } from '#renderer/features/analysis/LatexButtons.tsx';
import { asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { useErts, type CampaignSet } from './campaign-set.ts';
import { makeErtColumns } from './ert-columns.tsx';
import { getFunctionErts, type FunctionErts } from './function-erts.ts';
import { useOptimizerTests } from './optimizer-tests.ts';
import { OptimizerTestsCard } from './OptimizerTestsCard.tsx';
import { createScope } from './scope.ts';
import { ScopeBar } from './ScopeBar.tsx';
import { PageTerms } from '#renderer/ui/TermCard.tsx';
import { getTermsOfErts } from './terms-here.ts';
import { TargetsField, getTargets } from '#renderer/features/analysis/TargetsField.tsx';

/** Expected runtimes per function and dimension next to the reference, for the trials' targets or others. */
export function ErtsTab(props: { set: CampaignSet }): JSX.Element {
  const scope = createScope();
  const [targets, setTargets] = createUrlSignal('ertTargets', asText());
  const part = createMemo(() => ({ ...scope.values(), targets: getTargets(targets()) }));
  const erts = useErts(
    untrack(() => props.set),
    part,
  );
  const tests = useOptimizerTests(
    untrack(() => props.set),
    part,
  );
  // Tests of a new scope must not be shown next to the values of the previous one.
  const shownTests = () => (erts.isPlaceholder ? undefined : tests()?.data);
  const options = () => {
    const { params, campaign } = props.set.request();
    return { params, query: { campaign, ...part() } };
  };
  const readLatex = () => callFile('exportErts', options());
  useTableExhibits(
    'listErts',
    [{ table: 'erts', title: 'Expected runtimes' }],
    options,
    () => 'Expected runtimes in evaluations, their intervals, and their ratio to the reference.',
  );
  return (
    <div class="card-stack">
      <Show when={erts.data}>
        {(response) => (
          <ScopeBar scope={scope} plan={response()}>
            <TargetsField
              label="Targets"
              placeholder="default: each trial’s own target"
              value={targets()}
              onCommit={setTargets}
            />
            <div class="toolbar-end">
              <LatexButtons read={readLatex} defaultName="campaign.tex" />
            </div>
          </ScopeBar>
        )}
      </Show>
      <QueryView query={erts} skeleton={<Skeleton content="ERTs" shape="table" count={14} />}>
        {(response) => (
          <>
            <Show when={tests()}>
              {(query) => (
                <FailedPart
                  query={query()}
                  consequence="The tests of optimizers could not be loaded"
                />
              )}
            </Show>
            <ErtTable response={response} tests={shownTests()} isPlaceholder={erts.isPlaceholder} />
            <Show when={shownTests()}>
              {(optimizerTests) => <OptimizerTestsCard tests={optimizerTests()} />}
            </Show>
          </>
        )}
      </QueryView>
    </div>
  );
}

interface ErtTableProps {
  response: Accessor<CampaignErts>;
  tests: OptimizerTests | undefined;
  isPlaceholder: boolean;
}

function ErtTable(props: ErtTableProps): JSX.Element {
  const rows = createMemo(() =>
    getFunctionErts(props.response().rows, props.tests?.functions ?? []),
  );
  const byPlace = (one: string, other: string): number => {
    const { optimizers } = props.response();
    return optimizers.indexOf(one) - optimizers.indexOf(other);
  };
  const optimizers = createMemo(
    () => [...new Set(props.response().rows.map(({ optimizerId }) => optimizerId))].sort(byPlace),
    [],
    { equals: (one, other) => one.join('\n') === other.join('\n') },
  );
  const names = createMemo(
    () => new Map(props.response().rows.map((row) => [row.optimizerId, row.label])),
  );
  const hasSeveralTargets = createMemo(
    () => new Set(rows().map(({ targetValue }) => targetValue)).size > 1,
  );
  const references = (): string =>
    props.response().referenceKind === 'best'
      ? 'the best of the compared optimizers'
      : props.response().references.join(', ');
  return (
    <PageTerms terms={getTermsOfErts(props.response())}>
      <DataCard<FunctionErts>
        name="erts"
        urlKey="erts."
        title="Expected runtimes"
        description={
          'ERT in evaluations, × ratio to the reference' +
          (references() ? ` (${references()})` : '') +
          ', solved / trials; bold: significantly faster than every ' +
          'other optimizer in a test with it' +
          describeFailedTrials(props.tests?.notes ?? [])
        }
        notes={getMessages(props.response().notes.filter((note) => !isCellNote(note)))}
        columns={makeErtColumns(
          optimizers().map((id) => ({ id, name: names().get(id) ?? id })),
          hasSeveralTargets(),
        )}
        rows={rows()}
        rowId={(row) => row.id}
        isPlaceholder={props.isPlaceholder}
        maxHeight="64vh"
        empty="No finished trials for this selection."
      />
    </PageTerms>
  );
}
