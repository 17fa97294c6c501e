import { createContext, Show, useContext, type JSX } from 'solid-js';
import { asProblemError } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { copyText } from '#renderer/ui/clipboard.ts';
import { showToast } from '#renderer/ui/toaster.ts';

/** Fetches one table of the page as LaTeX, by its name in the service. */
export type ReadTable = (table: string) => Promise<{ text: string }>;

/** Source of single tables as LaTeX; absent where a page has none. */
export const TableLatexSource = createContext<ReadTable>();

/** Copies the table of its card as LaTeX from the service; nothing where the page has no source. */
export function TableLatex(props: { table: string; title: string }): JSX.Element {
  const read = useContext(TableLatexSource);
  const copy = async (source: ReadTable): Promise<void> => {
    try {
      const { text } = await source(props.table);
      await copyText(text, `${props.title} as LaTeX`);
    } catch (error) {
      showToast(asProblemError(error).detail, 'failure');
    }
  };
  return (
    <Show when={read}>
      {(source) => (
        <Button
          size="small"
          aria-label={`Copy LaTeX of ${props.title}`}
          title="Copy this table as LaTeX"
          onClick={() => void copy(source())}
        >
          Copy LaTeX
        </Button>
      )}
    </Show>
  );
}
