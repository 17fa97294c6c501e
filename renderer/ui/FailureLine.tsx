import { Show, type JSX } from 'solid-js';
import type { FailureCode } from '#renderer/state/problem-error.ts';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';

interface FailureLineProps {
  error: { code: FailureCode; detail: string };
  /** Consequence of the failure, or what to do. */
  children?: JSX.Element;
}

/** Failure of an action, inside its dialog or form; announced immediately. */
export function FailureLine(props: FailureLineProps): JSX.Element {
  return (
    <div class="failure-line" role="alert">
      <Icon name="warning" size={14} />
      <div>
        <p>
          {props.error.detail} <span class="mono muted">{props.error.code}</span>
        </p>
        <Show when={props.children}>
          <p>{props.children}</p>
        </Show>
        <Show when={props.error.code === 'DATABASE_CHANGED'}>
          <Button size="small" onClick={() => location.reload()}>
            Reload the page
          </Button>
        </Show>
      </div>
    </div>
  );
}
