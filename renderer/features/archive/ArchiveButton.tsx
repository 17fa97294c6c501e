import { createSignal, type JSX } from 'solid-js';
import { asProblem } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { downloadBlob } from '#renderer/ui/clipboard.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { getCurrentExhibits } from '#renderer/state/exhibits.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { archiveFiles } from './archive.ts';

interface ArchiveButtonProps {
  /** Subject of the page, for the file name. */
  subject: string;
}

/** Saves the content of the page as a zip: charts, tables, captions, and the link to this view. */
export function ArchiveButton(props: ArchiveButtonProps): JSX.Element {
  const [isBusy, setBusy] = createSignal(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const page = {
        title: document.title,
        url: location.href,
        savedAt: new Date().toISOString(),
      };
      const { strToU8, zipSync } = await import('fflate');
      const files = Object.entries(await archiveFiles(page, getCurrentExhibits()));
      const zip = zipSync(Object.fromEntries(files.map(([name, text]) => [name, strToU8(text)])));
      downloadBlob(
        `${getFileName(props.subject)}.zip`,
        new Blob([zip], { type: 'application/zip' }),
      );
    } catch (error) {
      showToast(`The archive could not be created. ${asProblem(error).detail}`, 'failure');
    } finally {
      setBusy(false);
    }
  };
  const reason = (): string | undefined => {
    if (isBusy()) return 'Preparing archive…';
    return getCurrentExhibits().length === 0 ? 'No figure or table on this page.' : undefined;
  };
  useCommands([
    {
      description: 'Save figures, tables and captions of this page as an archive',
      run: () => void save(),
      isPossible: () => reason() === undefined,
    },
  ]);
  return (
    <Button
      icon="download"
      title="Save the figures, tables and captions of this page as a zip, with a link to this view"
      disabledReason={reason()}
      onClick={() => void save()}
    >
      Archive
    </Button>
  );
}

function getFileName(subject: string): string {
  return subject.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'archive';
}
