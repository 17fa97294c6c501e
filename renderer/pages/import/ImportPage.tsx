import { Match, Show, Switch, type JSX } from 'solid-js';
import { useEndpoint } from '#renderer/api/queries.ts';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { DataSetsCard } from './DataSetsCard.tsx';
import { BusyCard, DoneCard, FailedCard, FoundCard } from './StepCards.tsx';
import './import.css';
import { createImportPage, type Step } from './import-state.ts';
import { SourceCard } from './SourceCard.tsx';
import { WatchesCard } from './WatchesCard.tsx';

/** Imports data sets: choose a source, check its contents and notes, import. */
export function ImportPage(): JSX.Element {
  const page = createImportPage();
  const health = useEndpoint('getHealth');
  const getStep = <Kind extends Step['kind']>(kind: Kind) => {
    const step = page.step();
    return step.kind === kind ? (step as Extract<Step, { kind: Kind }>) : undefined;
  };
  const disabledReason = (): string | undefined => {
    if (health.data?.readOnly) {
      const reason = health.data.readOnlyReason ?? 'The database is open read-only';
      return `${reason}, so nothing can be imported.`;
    }
    const busy = getStep('busy');
    if (!busy) return undefined;
    return busy.dryRun ? 'Another file is being checked.' : 'An import is running.';
  };
  return (
    <>
      <PageHeader title="Import" />
      <div class="page-content import-page">
        <Show when={health.data?.readOnly}>
          <p class="notice-line">{disabledReason()}</p>
        </Show>
        <SourceCard page={page} disabledReason={disabledReason()} />
        <Switch>
          <Match when={getStep('busy')}>{(step) => <BusyCard step={step()} page={page} />}</Match>
          <Match when={getStep('found')}>{(step) => <FoundCard step={step()} page={page} />}</Match>
          <Match when={getStep('failed')}>
            {(step) => <FailedCard step={step()} page={page} />}
          </Match>
          <Match when={getStep('done')}>{(step) => <DoneCard step={step()} page={page} />}</Match>
        </Switch>
        <WatchesCard />
        <DataSetsCard page={page} disabledReason={disabledReason()} />
      </div>
    </>
  );
}
