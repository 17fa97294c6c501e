import { Router, type RouteSectionProps } from '@solidjs/router';
import { QueryClientProvider } from '@tanstack/solid-query';
import { ErrorBoundary, Show, Suspense, type JSX } from 'solid-js';
import { isWithoutDatabase } from './api/opened-database.ts';
import { createQueryClient } from './api/queries.ts';
import { DeleteDialog } from './features/stop-and-delete/DeleteDialog.tsx';
import { DatabaseQuestion } from './features/databases/QuestionDialog.tsx';
import { StopDialog } from './features/stop-and-delete/StopDialog.tsx';
import { DesktopLink } from './features/desktop/DesktopLink.tsx';
import { CommandPalette } from './features/frame/CommandPalette.tsx';
import { FrameCommands } from './features/frame/FrameCommands.tsx';
import { KeyList } from './features/frame/KeyList.tsx';
import { Rail } from './features/frame/Rail.tsx';
import { ReasonTip } from './ui/ReasonTip.tsx';
import { Skeleton } from './ui/Skeleton.tsx';
import { ToastRegion } from './ui/Toast.tsx';
import { FailedPage } from './pages/FailedPage.tsx';
import { NotFoundPage, pages, WelcomePage } from './pages.ts';
import { guardFocus } from './state/focus-guard.ts';
import { copyPlainNumbers } from './state/plain-copy.ts';
import { LiveProvider } from './api/live.tsx';
import { useLeave } from './state/use-leave.ts';

const routes = [...pages, { path: '*', component: NotFoundPage }].map(({ path, component }) => ({
  path,
  component,
}));

/** The application: frame, pages, dialogs and toasts. */
export function App(): JSX.Element {
  const client = createQueryClient();
  return (
    <QueryClientProvider client={client}>
      <LiveProvider>
        <Router root={Frame}>{routes}</Router>
      </LiveProvider>
    </QueryClientProvider>
  );
}

function Frame(props: RouteSectionProps): JSX.Element {
  let main: HTMLElement | undefined;
  guardFocus();
  copyPlainNumbers();
  // Keyboard and screen reader users start at the new page, not after the previous focus.
  useLeave(() => main?.focus({ preventScroll: true }));
  return (
    <div class="frame">
      <a
        class="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main?.focus();
        }}
      >
        Skip to content
      </a>
      <Rail />
      <main ref={(element) => (main = element)} id="main" class="main" tabIndex={-1}>
        <ErrorBoundary fallback={(error, reset) => <FailedPage error={error} onRetry={reset} />}>
          <Suspense fallback={<Skeleton content="page" shape="table" count={12} />}>
            <Show when={!isWithoutDatabase()} fallback={<WelcomePage />}>
              {props.children}
            </Show>
          </Suspense>
        </ErrorBoundary>
      </main>
      <FrameCommands />
      <DesktopLink />
      <CommandPalette />
      <KeyList />
      <StopDialog />
      <DeleteDialog />
      <DatabaseQuestion />
      <ToastRegion />
      <ReasonTip />
    </div>
  );
}
