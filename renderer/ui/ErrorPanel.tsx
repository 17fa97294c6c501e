import type { JSX } from 'solid-js';
import type { ProblemError } from '#renderer/state/problem-error.ts';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';

interface ErrorPanelProps {
  error: Pick<ProblemError, 'code' | 'detail'>;
  onRetry: () => void;
  title?: string;
}

/** An error with the service's detail, its code and a way to retry. */
export function ErrorPanel(props: ErrorPanelProps): JSX.Element {
  return (
    <div class="panel panel-error" role="alert">
      <Icon name="warning" size={20} />
      <p class="panel-title">{props.title ?? 'This could not be loaded'}</p>
      <p class="panel-text">{props.error.detail}</p>
      <p class="panel-code mono">{props.error.code}</p>
      <Button onClick={() => props.onRetry()}>Retry</Button>
    </div>
  );
}
