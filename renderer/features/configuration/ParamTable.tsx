import { createMemo, type JSX } from 'solid-js';
import type { ParamRow } from '#shared/schemas/run.ts';
import { monoColumn } from '#renderer/ui/table/column-kinds.tsx';
import { DataTable } from '#renderer/ui/table/DataTable.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { TextField } from '#renderer/ui/TextField.tsx';
import { matchingParams, paramValue } from './param-rows.ts';

const paramColumns: readonly TableColumn<ParamRow>[] = [
  { id: 'section', header: 'Section', hiddenAtFirst: true, value: (row) => row.section },
  monoColumn('path', 'Path', (row) => row.paramPath, { fixed: true }),
  { id: 'type', header: 'Type', value: (row) => row.valueType },
  monoColumn('value', 'Value', paramValue, { maxWidthChars: 26 }),
];

interface ParamTableProps {
  params: readonly ParamRow[];
  search: string;
  onSearch: (text: string) => void;
}

/** Table of flattened parameters with search and sorting. */
export function ParamTable(props: ParamTableProps): JSX.Element {
  const rows = createMemo(() => matchingParams(props.params, props.search));
  return (
    <DataTable<ParamRow>
      name="parameters"
      urlKey="param-"
      label="Parameters"
      columns={paramColumns}
      rows={rows()}
      rowId={(row) => row.paramPath}
      maxHeight="70vh"
      toolbar={
        <TextField
          class="search"
          type="search"
          label="Search parameters"
          labelHidden
          icon="search"
          placeholder="Search parameters"
          value={props.search}
          onInput={props.onSearch}
        />
      }
      empty={
        props.params.length === 0
          ? 'The experiment has no flattened parameters.'
          : `No parameter contains “${props.search}”.`
      }
    />
  );
}
