import { createSignal, For, type JSX } from 'solid-js';
import type { ExportDescription } from '#shared/schemas/export.ts';
import type { exportKinds } from '#shared/words.ts';
import { getEndpointUrl, type QueryOf } from '#renderer/api/client.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { downloadUrl } from '#renderer/ui/clipboard.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import { Menu, MenuItem } from '#renderer/ui/Menu.tsx';

/** The runs to export. */
interface ExportMenuProps {
  kind: (typeof exportKinds)[number];
  subjectId: string;
  /** Selects some of the runs. */
  query?: QueryOf<'describeExport'>;
}

const choices = [
  {
    endpoint: 'exportIohprofiler',
    format: 'ioh',
    label: 'IOHprofiler data',
    title: 'For IOHanalyzer and IOHinspector',
  },
  { endpoint: 'exportCoco', format: 'coco', label: 'COCO data', title: 'For cocopp' },
  {
    endpoint: 'exportTraces',
    format: 'tables',
    label: 'Traces as Parquet',
    title: 'All improvements of all runs, for DuckDB, polars and pandas',
  },
  {
    endpoint: 'exportRuns',
    format: 'tables',
    label: 'Runs as Parquet',
    title: 'One row for each run, for DuckDB, polars and pandas',
  },
] as const;

/** A button with a menu that downloads runs in the formats of other programs. */
export function ExportMenu(props: ExportMenuProps): JSX.Element {
  const [hasOpened, setOpened] = createSignal(false);
  const params = () => ({ kind: props.kind, subjectId: props.subjectId });
  const description = useEndpoint('describeExport', () => ({
    params: params(),
    query: { ...props.query },
    // The service reads all runs for it.
    enabled: hasOpened(),
  }));
  const getReason = (format: keyof Omit<ExportDescription, 'runs'>): string | undefined => {
    if (description.error) return description.error.detail;
    if (!description.data) return 'Checking which formats are possible…';
    return description.data[format].reason ?? undefined;
  };
  const download = ({ endpoint, format }: (typeof choices)[number]): void => {
    const query: unknown = { ...props.query, ...(format === 'tables' && { format: 'parquet' }) };
    const options = { params: params(), query: query as QueryOf<typeof endpoint> };
    downloadUrl(getEndpointUrl(endpoint, options));
  };
  return (
    <Menu
      label="Export runs"
      of="Export"
      class="button button-plain button-normal"
      title="Export the runs for other programs"
      onOpened={() => setOpened(true)}
      button={
        <>
          Export
          <Icon name="down" size={12} />
        </>
      }
    >
      <For each={choices}>
        {(choice) => (
          <MenuItem
            title={choice.title}
            disabledReason={getReason(choice.format)}
            onSelect={() => download(choice)}
          >
            {choice.label}
          </MenuItem>
        )}
      </For>
    </Menu>
  );
}
