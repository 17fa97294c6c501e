import { createSignal, type JSX } from 'solid-js';
import { asProblemError } from '#renderer/state/problem-error.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { downloadBlob } from '#renderer/ui/clipboard.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { getCurrentExhibits, type Exhibit } from '#renderer/state/exhibits.ts';
import { useCommands } from '#renderer/state/commands.ts';
import { call, callTable } from '#renderer/api/client.ts';
import { makeArchiveFiles, type ArchivedData } from './archive.ts';

interface ArchiveButtonProps {
  /** Subject of the page, for the file name. */
  subject: string;
  /** The runs of the page. */
  data: { kind: 'campaign' | 'problem'; subjectIds: readonly string[] };
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
      const files = Object.entries(await makeArchiveFiles(page, exhibits, data));
      const zip = zipSync(Object.fromEntries(files.map(([name, text]) => [name, strToU8(text)])));
      downloadBlob(
        `${getFileName(props.subject)}.zip`,
        new Blob([zip], { type: 'application/zip' }),
      );
    } catch (error) {
      showToast(`The archive could not be created. ${asProblemError(error).detail}`, 'failure');
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
      Save archive
    </Button>
  );
}

/** Reads the data of an archive; traces have the direction of its first table with one. */
async function readData(
  { kind, subjectIds }: ArchiveButtonProps['data'],
  exhibits: readonly Exhibit[],
): Promise<ArchivedData> {
  const directions = exhibits.flatMap(({ request }) => request?.query['direction'] ?? []);
  const requests = subjectIds.map((subjectId) => ({
    params: { kind, subjectId },
    query: { direction: directions[0] },
  }));
  const campaignIds = kind === 'campaign' ? subjectIds : [];
  const experiments = await collect(requests, (request) => call('exportExperiments', request));
  const experimentIds = new Set(experiments.map(({ experimentId }) => experimentId));
  // Groups are algorithms or experiments.
  const annotations = [
    ...(await call('listAnnotations', { query: { kind: 'algorithm' } })),
    ...(await call('listAnnotations', { query: { kind: 'experiment' } })).filter(({ id }) =>
      experimentIds.has(id),
    ),
  ];
  return {
    runs: await joinTables(requests, (request) => callTable('exportRuns', 'rows', request)),
    traces: await joinTables(requests, (request) => callTable('exportTraces', 'rows', request)),
    trials:
      kind === 'campaign'
        ? await joinTables(campaignIds, (campaignId) =>
            callTable('listTrials', 'items', { params: { campaignId } }),
          )
        : null,
    experiments,
    campaigns: await collect(campaignIds, async (campaignId) => {
      const params = { campaignId };
      const { name, suite, status } = await call('getCampaign', { params });
      const references = await call('listReferences', { params });
      return [{ campaignId, name, suite, status, references }];
    }),
    annotations: annotations.map(({ version: _version, ...annotation }) => ({
      ...annotation,
      note: '',
    })),
  };
}

async function collect<Request, Item>(
  requests: readonly Request[],
  read: (request: Request) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const lists = [];
  for (const request of requests) lists.push(await read(request));
  return lists.flat();
}

/** Returns the rows of all tables after the headings of the first one. */
async function joinTables<Request>(
  requests: readonly Request[],
  read: (request: Request) => Promise<string>,
): Promise<string> {
  const tables = await collect(requests, async (request) => [await read(request)]);
  const end = '\r\n';
  return tables
    .map((table, index) => (index === 0 ? table : table.slice(table.indexOf(end) + end.length)))
    .join('');
}

function getFileName(subject: string): string {
  return subject.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'archive';
}
