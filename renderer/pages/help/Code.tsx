import type { JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { copyText } from '#renderer/ui/clipboard.ts';

/** A script with a button that copies it. */
export function Code(props: { name: string; text: string }): JSX.Element {
  return (
    <div class="help-script">
      <pre class="help-code" tabIndex={0} role="region" aria-label={props.name}>
        {props.text}
      </pre>
      <Button size="small" icon="copy" onClick={() => void copyText(props.text, 'the script')}>
        Copy
      </Button>
    </div>
  );
}
