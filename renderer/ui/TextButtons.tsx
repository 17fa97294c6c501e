import type { JSX } from 'solid-js';
import { Button } from './Button.tsx';
import { copyText, downloadText } from './clipboard.ts';

interface TextButtonsProps {
  text: string;
  /** Name of the content, for the toast after copying. */
  name: string;
  fileName: string;
  mediaType: string;
  size?: 'small' | 'normal';
}

/** Buttons that copy a text or save it as a file. */
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
        Save
      </Button>
    </>
  );
}
