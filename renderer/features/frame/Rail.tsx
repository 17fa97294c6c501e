import { A, useLocation } from '@solidjs/router';
import { For, Show, type JSX } from 'solid-js';
import { describeCount, formatBytes, formatCount, formatDuration } from '#shared/number-format.ts';
import type { ResponseBody } from '#shared/api.ts';
import { addresses } from '#shared/addresses.ts';
import { isWithoutDatabase } from '#renderer/api/opened-database.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { pages } from '#renderer/pages.ts';
import { setKeyListOpen } from '#renderer/state/frame.ts';
import { DatabaseMenu } from '#renderer/features/databases/DatabaseMenu.tsx';
import { Icon } from '#renderer/ui/Icon.tsx';
import { chooseTheme, themeChoice } from '#renderer/state/theme.ts';
import { Menu, MenuChoices } from '#renderer/ui/Menu.tsx';

const dialectNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

/** The sidebar: the pages with their counts, and the database at the bottom. */
export function Rail(): JSX.Element {
  const summary = useEndpoint('getSummary', () => ({ enabled: !isWithoutDatabase() }));
  const counts = (): Record<string, number> => {
    const all = summary.data;
    if (!all) return {};
    return {
      Runs: all.runCount - all.trialRunCount,
      Experiments: all.experimentCount - all.trialExperimentCount,
      Problems: all.problemCount,
      COCO: all.campaignCount,
    };
  };
  const location = useLocation();
  // The list of runs is at the root, and its runs are under /runs.
  const isInside = (path: string): boolean =>
    path === '/'
      ? location.pathname === '/' || location.pathname.startsWith('/runs/')
      : location.pathname.startsWith(path);
  return (
    <header class="rail">
      <A href="/" class="brand">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M2.5 20c4 0 4.5-15 7.5-15s3.5 9 6 12c1.5 1.8 3 3 5.5 3" />
          <circle cx="10" cy="5" r="1.8" />
        </svg>
        <span class="rail-word">Evoscope</span>
      </A>
      <nav aria-label="Pages">
        <For each={pages}>
          {({ path, place }) => (
            <Show when={place}>
              {(entry) => (
                <A
                  href={path}
                  class="rail-link"
                  classList={{ 'rail-link-active': isInside(path) }}
                  title={entry().label}
                >
                  <Icon name={entry().icon} />
                  <span class="rail-word">{entry().label}</span>
                  <Show when={entry().icon !== 'import'}>
                    <span class="rail-word rail-count">{formatCount(counts()[entry().label])}</span>
                  </Show>
                </A>
              )}
            </Show>
          )}
        </For>
      </nav>
      <RailFoot summary={summary.data} />
    </header>
  );
}

function getName({ databaseName }: ResponseBody<'getHealth'>): string {
  return databaseName ?? 'No database';
}

/** Minimum lag of a replica that is shown: the lag is known to 1 s. */
const minimumLagMillis = 2_000;

function getReplicaState({
  isUsed,
  lagMillis,
}: NonNullable<ResponseBody<'getHealth'>['replica']>): string {
  if (!isUsed) return 'replica not used';
  return (lagMillis ?? 0) < minimumLagMillis
    ? 'reads from replica'
    : `replica ${formatDuration(lagMillis)} behind`;
}

/** The open database: its name is a menu to choose another one. */
function RailFoot(props: { summary: ResponseBody<'getSummary'> | undefined }): JSX.Element {
  const health = useEndpoint('getHealth');
  return (
    <div class="rail-foot">
      <Show when={health.data}>
        {(service) => (
          <div class="rail-database">
            <Show
              when={service().choosing}
              fallback={
                <p class="rail-word rail-database-name clip" title={getName(service())}>
                  {getName(service())}
                </p>
              }
            >
              <DatabaseMenu name={getName(service())} />
            </Show>
            <Show when={service().dialect}>
              {(dialect) => (
                <p class="rail-word">
                  {dialectNames[dialect()]}
                  <Show when={props.summary?.databaseSizeBytes}>
                    {(size) => <> · {formatBytes(size())}</>}
                  </Show>
                </p>
              )}
            </Show>
            <Show when={service().replica}>
              {(replica) => (
                <p class="rail-word" title={replica().note ?? replica().place}>
                  {getReplicaState(replica())}
                </p>
              )}
            </Show>
            <Show when={service().readOnly}>
              <p class="rail-word read-only">
                <Icon name="lock" size={12} /> read-only
              </p>
            </Show>
          </div>
        )}
      </Show>
      <Show when={props.summary}>
        {(counts) => (
          <p class="rail-word">
            {describeCount(counts().runCount, 'run')} ·{' '}
            {formatCount(counts().runningCount - counts().silentCount)} running
            <Show when={counts().silentCount > 0}>
              {', '}
              <span class="run-silent rail-silent">{formatCount(counts().silentCount)} silent</span>
            </Show>
          </p>
        )}
      </Show>
      <div class="rail-tools">
        <ThemeButton />
        <a
          class="icon-button"
          href={addresses.getDocs.path}
          target="_blank"
          title="API documentation"
          aria-label="API documentation"
        >
          <Icon name="api" />
        </a>
        <button
          type="button"
          class="icon-button"
          title="Keyboard shortcuts (?)"
          aria-label="Keyboard shortcuts"
          onClick={() => setKeyListOpen(true)}
        >
          <Icon name="help" />
        </button>
      </div>
    </div>
  );
}

const themeNames = { system: 'System', light: 'Light', dark: 'Dark' } as const;

/** Menu to choose between the system's theme, light and dark. */
function ThemeButton(): JSX.Element {
  return (
    <Menu
      label={`Theme: ${themeNames[themeChoice()]}`}
      of="Theme"
      class="icon-button"
      title="Theme"
      button={<Icon name="theme" />}
      placement="top-start"
    >
      <MenuChoices labels={themeNames} value={themeChoice()} onChoose={chooseTheme} />
    </Menu>
  );
}
