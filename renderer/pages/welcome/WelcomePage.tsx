import { useLocation } from '@solidjs/router';
import { createEffect, createSignal, onCleanup, Show, type JSX } from 'solid-js';
import type { CurrentDatabase, DatabaseChoices } from '#shared/schemas/databases.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { busyWith, openPlace } from '#renderer/features/databases/opening.ts';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { getDesktopBridge } from '#renderer/desktop.ts';
import { ConnectCard } from './ConnectCard.tsx';
import { FilesCard } from './FilesCard.tsx';
import { ImportCard, NewCard, SampleCard } from './NewCards.tsx';
import { RecentCard } from './RecentCard.tsx';
import './welcome.css';

/** Interval at which the progress of sample data is polled. */
const progressMillis = 1_000;

/** Chooses a database: opens, creates or connects to one. Shown for every URL while no database is open. */
export function WelcomePage(): JSX.Element {
  const health = useEndpoint('getHealth');
  return (
    <>
      <PageHeader title="Choose a database" />
      <QueryView query={health} skeleton={<Skeleton content="choices" shape="table" />}>
        {(service) => (
          <Show
            when={service().choosing}
            fallback={
              <EmptyState title="This service shows one database">
                To choose others on this page, start it with <code>npm run serve -- --choose</code>{' '}
                and a folder.
              </EmptyState>
            }
          >
            <DatabaseChooser />
          </Show>
        )}
      </QueryView>
    </>
  );
}

function DatabaseChooser(): JSX.Element {
  const choices = useEndpoint('listDatabases');
  const location = useLocation();
  const [page, setPage] = createSignal<HTMLElement>();
  createEffect(() => {
    // Entries of the database menu link to a part of this page.
    const part = location.hash.slice(1);
    if (part)
      page()
        ?.querySelector<HTMLElement>(`#${CSS.escape(part)} :is(input, button)`)
        ?.focus();
  });
  createEffect(() => {
    if (busyWith() === null) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') choices.retry();
    }, progressMillis);
    onCleanup(() => clearInterval(timer));
  });
  return (
    <QueryView query={choices} skeleton={<Skeleton content="databases" shape="table" />}>
      {(list) => (
        <div
          class="page-content welcome"
          ref={setPage}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => void openDropped(event, list())}
        >
          <p class="welcome-now" role="status">
            {makeStateLine(list(), busyWith())}
          </p>
          <div class="welcome-columns">
            <div class="welcome-column">
              <FilesCard choices={list()} />
              <RecentCard choices={list()} />
              <div class="welcome-pair">
                <NewCard choices={list()} />
                <SampleCard choices={list()} />
              </div>
            </div>
            <div class="welcome-column">
              <ConnectCard servers={list().servers} />
              <ImportCard hasDatabase={list().current !== null} />
            </div>
          </div>
        </div>
      )}
    </QueryView>
  );
}

/** Returns the open database or the current operation, in a sentence. */
function makeStateLine({ current, sample }: DatabaseChoices, busy: string | null): string {
  if (busy === null) return makeCurrentLine(current);
  if (sample === null || sample.totalRuns === 0) return busy;
  return `${busy} ${sample.runs} of ${sample.totalRuns} runs`;
}

function makeCurrentLine(current: CurrentDatabase | null): string {
  if (current === null) return 'No database is open yet.';
  return `${current.name} is open (${current.place}). Opening another one replaces it in every tab.`;
}

/** Opens a dropped file in the desktop window; elsewhere, where the file has no path, shows how to open it. */
async function openDropped(event: DragEvent, { folder }: DatabaseChoices): Promise<void> {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file === undefined || busyWith() !== null) return;
  const path = getDesktopBridge()?.databases?.getPath(file) ?? '';
  if (path === '') {
    const advice = folder === null ? 'Choose it with the button.' : `Put it into ${folder}.`;
    return showToast(`The browser hides the path of ${file.name}. ${advice}`, 'failure');
  }
  const failure = await openPlace({ file: path }, file.name);
  if (failure) showToast(failure.detail, 'failure');
}
