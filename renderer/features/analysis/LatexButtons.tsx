import { createSignal, type JSX } from 'solid-js';
import { asProblemError } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { copyText, downloadText } from '#renderer/ui/clipboard.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { useExhibit } from '#renderer/state/exhibits.ts';
import { useCommands } from '#renderer/state/commands.ts';

interface LatexButtonsProps {
  /** Fetches the LaTeX fragment for the current objective. */
  read: () => Promise<{ text: string; fileName: string | null }>;
  /** Name of the file when the service sends none. */
  defaultName: string;
}

/** Copies or saves the service's LaTeX tables; they are also in the archive of the page. */
export function LatexButtons(props: LatexButtonsProps): JSX.Element {
  const [isBusy, setBusy] = createSignal(false);
  const use = async (deliver: (text: string, fileName: string) => unknown): Promise<void> => {
    setBusy(true);
    try {
      const { text, fileName } = await props.read();
      await deliver(text, fileName ?? props.defaultName);
    } catch (error) {
      showToast(asProblemError(error).detail, 'failure');
    } finally {
      setBusy(false);
    }
  };
  useExhibit(() => ({
    kind: 'table',
    id: 'tables',
    title: 'Tables as LaTeX',
    caption: 'The tables with their captions; load booktabs, longtable and graphicx.',
    files: async () => [{ ending: 'tex', content: (await props.read()).text }],
  }));
  const copy = (): void =>
    void use(async (text) => {
      if (await copyText(text)) showToast('Copied the tables as LaTeX');
    });
  const save = (): void =>
    void use((text, fileName) => downloadText(fileName, text, 'text/x-tex;charset=utf-8'));
  useCommands([
    { description: 'Copy the tables as LaTeX', run: copy },
    { description: 'Save the tables as LaTeX', run: save },
  ]);
  return (
    <>
      <Button icon="copy" disabledReason={isBusy() ? 'Preparing LaTeX…' : undefined} onClick={copy}>
        Copy LaTeX
      </Button>
      <Button
        icon="download"
        disabledReason={isBusy() ? 'Preparing LaTeX…' : undefined}
        title="Save as a .tex file"
        onClick={save}
      >
        Save LaTeX
      </Button>
    </>
  );
}
