import { ErrorBoundary, type JSX } from 'solid-js';
import { asProblemError, isScriptMissing } from '#renderer/state/problem-error.ts';
import { ErrorPanel } from './ErrorPanel.tsx';

/** Shows an error in place of its children when they cannot be drawn; the rest of the page stays. */
export function CardBoundary(props: { children: JSX.Element }): JSX.Element {
  return (
    <ErrorBoundary
      fallback={(error, reset) => {
        // The page knows how to load missing scripts again.
        if (isScriptMissing(error)) throw error;
        return (
          <ErrorPanel
            title="This part cannot be shown"
            error={asProblemError(error)}
            onRetry={reset}
          />
        );
      }}
    >
      {props.children}
    </ErrorBoundary>
  );
}
