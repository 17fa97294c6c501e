import { makeTextColumn } from '#renderer/ui/table/column-kinds.tsx';
import type { TableColumn } from '#renderer/ui/table/types.ts';
import { Tags } from './Tags.tsx';

interface AnnotatedRow {
  displayName: string | null;
  tags: readonly string[];
}

/** Columns of the display name and tags of a run or an experiment. */
export const annotationColumns: readonly TableColumn<AnnotatedRow>[] = [
  makeTextColumn('display-name', 'Display name', (row) => row.displayName, {
    explanation: 'The name that a user gave it',
    isHiddenByDefault: true,
  }),
  makeTextColumn('tags', 'Tags', (row) => row.tags.join(', '), {
    isHiddenByDefault: true,
    maxWidthChars: 34,
    cell: (row) => <Tags tags={row().tags} />,
  }),
];
