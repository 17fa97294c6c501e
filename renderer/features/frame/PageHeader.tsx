import { A } from '@solidjs/router';
import { createEffect, For, Show, type JSX } from 'solid-js';
import { usesCommandKey } from '#renderer/desktop.ts';
import { setPaletteOpen } from '#renderer/state/frame.ts';
import { useLive } from '#renderer/api/live.tsx';
import { isPageOutdated } from '#renderer/api/page-update.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { describeLive, getOfflineReason } from './live-word.ts';

interface PageHeaderProps {
  title: string;
  /** Pages above this one, outermost first. */
  crumbs?: readonly { label: string; href: string }[];
  /** The page's own buttons. */
  actions?: JSX.Element;
}

/** The page's h1 and document title, breadcrumbs, live indicator and actions. */
export function PageHeader(props: PageHeaderProps): JSX.Element {
  createEffect(() => {
    document.title = `${props.title} · Evoscope`;
  });
  const live = useLive();
  const isOffline = (): boolean => live.state().phase === 'offline' && !live.state().isPaused;
  return (
    <>
      <header class="page-header">
        <Show when={props.crumbs?.length}>
          <nav aria-label="Breadcrumb" class="crumbs">
            <For each={props.crumbs}>
              {(crumb) => (
                <>
                  <A href={crumb.href}>{crumb.label}</A>
                  <span aria-hidden="true">/</span>
                </>
              )}
            </For>
          </nav>
        </Show>
        <h1 title={props.title}>{props.title}</h1>
        <div class="page-tools">
          <LiveDot />
          {props.actions}
          <button type="button" class="button go-to" onClick={() => setPaletteOpen(true)}>
            Go to…
            <kbd>{usesCommandKey() ? '⌘ K' : 'Ctrl K'}</kbd>
          </button>
        </div>
      </header>
      <Show when={isPageOutdated() && !isOffline()}>
        <p class="stale-line" role="alert">
          Evoscope was updated, and this page belongs to the previous version.
          <Button kind="quiet" size="small" onClick={() => location.reload()}>
            Reload
          </Button>
        </p>
      </Show>
      <Show when={isOffline()}>
        <p class="stale-line" role="alert">
          Not up to date: {getOfflineReason(live.state())}
        </p>
      </Show>
    </>
  );
}

/** Shows whether the page updates automatically; a click pauses and resumes updates. */
function LiveDot(): JSX.Element {
  const live = useLive();
  const liveText = () => describeLive(live.state());
  return (
    <button
      type="button"
      class={`live live-${liveText().kind}`}
      title={liveText().explanation}
      onClick={() => live.togglePause()}
    >
      <span class="live-dot" aria-hidden="true" />
      {liveText().word}
    </button>
  );
}
