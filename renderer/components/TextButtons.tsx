import type { JSX } from 'solid-js';
import { Button } from './Button.tsx';
import { copyText, downloadText } from './clipboard.ts';

interface TextButtonsProps {
  text: string;
  /** What it is, for the message that it was copied. */
  name: string;
  fileName: string;
  mediaType: string;
  size?: 'small' | 'normal';
}

/** Copies a text, or saves it as a file. */
export function TextButtons(props: TextButtonsProps): JSX.Element {
  return (
    <>
      <Button
        icon="copy"
        size={props.size ?? 'small'}
        onClick={() => void copyText(props.text, props.name)}
      >
        Copy
      </Button>
      <Button
        icon="download"
        size={props.size ?? 'small'}
        onClick={() => downloadText(props.fileName, props.text, props.mediaType)}
      >
        Download
      </Button>
    </>
  );
}
