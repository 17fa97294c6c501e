import { createSignal, type JSX } from 'solid-js';
import { asProblem } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { downloadBlob } from '#renderer/ui/clipboard.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { getCurrentExhibits, type Exhibit } from '#renderer/state/exhibits.ts';
import { useCommands } from '#renderer/state/commands.ts';
import type { exportKinds } from '#shared/words.ts';
import { call, callTable } from '#renderer/api/client.ts';
import { archiveFiles, type ArchivedData } from './archive.ts';

interface ArchiveButtonProps {
  /** Subject of the page, for the file name. */
  subject: string;
  /** The runs of the page. */
  data: { kind: (typeof exportKinds)[number]; subjectId: string };
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
      const exhibits = getCurrentExhibits();
      const data = await readData(props.data, exhibits);
      const files = Object.entries(await archiveFiles(page, exhibits, data));
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

/** Reads the data of an archive; traces in the direction that its tables have. */
async function readData(
  params: ArchiveButtonProps['data'],
  exhibits: readonly Exhibit[],
): Promise<ArchivedData> {
  const directions = exhibits.flatMap(({ request }) => request?.query['direction'] ?? []);
  const request = { params, query: { direction: directions[0] } };
  const [runs, traces, experiments, annotations] = await Promise.all([
    callTable('exportRuns', 'rows', request),
    callTable('exportTraces', 'rows', request),
    call('exportExperiments', request),
    call('listAnnotations', { query: { kind: 'algorithm' } }),
  ]);
  const named = annotations.map(({ kind, id, displayName, tags, isBaseline }) => {
    return { kind, id, displayName, tags, note: '', isBaseline };
  });
  return { runs, traces, experiments, annotations: named };
}

function getFileName(subject: string): string {
  return subject.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'archive';
}
