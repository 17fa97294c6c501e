import { A } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import { formatCount, formatDuration, formatFitness, noValue } from '#shared/number-format.ts';
import { CopyableId } from '#renderer/ui/CopyableId.tsx';
import { formatFullTime, formatTime } from '#renderer/ui/time.ts';
import { getShortId } from '#shared/words.ts';
import { makeIntervalFields } from './csv.ts';
import type { TableColumn } from './types.ts';

/** Options of a column besides its kind. */
export type More<Row> = Partial<Omit<TableColumn<Row>, 'id' | 'header' | 'value'>>;
type Value<Row, Kind> = (row: Row) => Kind | null | undefined;

/** Creates a column for one kind of values. */
type ColumnKind<Kind> = <Row>(
  id: string,
  header: string,
  value: Value<Row, Kind>,
  more?: More<Row>,
) => TableColumn<Row>;

/** Creates a text column; long text is truncated. */
export const makeTextColumn: ColumnKind<string> = (id, header, value, more) => ({
  id,
  header,
  value,
  maxWidthChars: 20,
  ...more,
});

/** Creates a column of less important text. */
export const makeMutedColumn: ColumnKind<string> = (id, header, value, more) =>
  makeTextColumn(id, header, value, {
    cell: (row) => <span class="muted">{value(row())}</span>,
    ...more,
  });

/** Creates a column of identifiers, such as parameter paths. */
export const makeMonoColumn: ColumnKind<string | number> = (id, header, value, more) => ({
  id,
  header,
  value,
  cell: (row) => <span class="mono">{value(row())}</span>,
  ...more,
});

/** Creates a column of truncated ids; a button copies the full id. `of` names the object that has the id. */
export function makeIdColumn<Row>(
  id: string,
  header: string,
  value: (row: Row) => string,
  of: string,
  more: More<Row> = {},
): TableColumn<Row> {
  const cell: TableColumn<Row>['cell'] = (row, context) => (
    <CopyableId id={value(row())} of={of} tabIndex={context.tabIndex()} />
  );
  return { id, header, value, cell, ...more };
}

interface LinkColumn<Row> extends More<Row> {
  href: (row: Row) => string;
  /** Text of the link; default: the value, with an id of 64 characters truncated. */
  text?: (row: Row) => string;
  /** A name that is shown instead of the value, which is then the tooltip; null without one. */
  shownName?: (row: Row) => string | null;
  /** A secondary link, such as to the experiment of a run. */
  aside?: boolean;
}

/** Creates a column whose cells link to a page. */
export function makeLinkColumn<Row>(
  id: string,
  header: string,
  value: (row: Row) => string,
  { href, text, shownName, aside, ...more }: LinkColumn<Row>,
): TableColumn<Row> {
  const cell: TableColumn<Row>['cell'] = (row, context) => (
    <A
      href={href(row())}
      class={aside ? 'mono cell-id' : undefined}
      title={text ? undefined : value(row())}
      tabIndex={context.tabIndex()}
    >
      {shownName?.(row()) ?? text?.(row()) ?? getShortId(value(row()))}
    </A>
  );
  return { id, header, value, cell, maxWidthChars: 30, ...more };
}

interface NumberColumn<Row, Kind> extends More<Row> {
  /** Whether the value of a row is bold. */
  isBold?: (row: Row) => boolean;
  /** Ends of the 95 % interval of a value: shown after it where finite, separate fields in exports. */
  interval?: (row: Row) => { lower: Kind; upper: Kind } | null | undefined;
}

/**
 * Creates a column of numbers printed by `format`; missing ones are muted. With an interval, `header` names it: "ERT,
 * 95 % CI".
 */
export function makeNumberColumn<Row, Kind extends number | string>(
  id: string,
  header: string,
  value: Value<Row, Kind>,
  format: (value: Kind | null | undefined) => string,
  { isBold, interval, ...more }: NumberColumn<Row, Kind> = {},
): TableColumn<Row> {
  const cell: TableColumn<Row>['cell'] = (row) => (
    <>
      <NumberText text={format(value(row()))} isBold={isBold?.(row()) === true} />
      <Show when={Number.isFinite(value(row())) && interval?.(row())}>
        {(ends) => (
          <small class="muted">
            {' '}
            {format(ends().lower)} – {format(ends().upper)}
          </small>
        )}
      </Show>
    </>
  );
  const print = (row: Row): string => format(value(row));
  const measure = (row: Row): string => {
    const ends = interval?.(row);
    return [print(row), ...(ends ? [format(ends.lower), format(ends.upper)] : [])].join(' – ');
  };
  const fields = interval && makeIntervalFields(header, interval);
  return {
    id,
    header,
    value,
    cell,
    align: 'end',
    ...(fields ? { fields, measure } : !more.cell && { print }),
    ...more,
  };
}

/** A number as text; "–" is muted. */
function NumberText(props: { text: string; isBold: boolean }): JSX.Element {
  return (
    <Show
      when={props.isBold}
      fallback={<span classList={{ muted: props.text === noValue }}>{props.text}</span>}
    >
      <strong>{props.text}</strong>
    </Show>
  );
}

function getNumberKind<Kind extends number | string>(
  format: (value: Kind | null | undefined) => string,
): ColumnKind<Kind> {
  return (id, header, value, more) => makeNumberColumn(id, header, value, format, more);
}

/** Creates a column of whole numbers; a 64-bit one may be a decimal string. */
export const makeCountColumn = getNumberKind<number | string>(formatCount);

/** Creates a column of fitness values. */
export const makeFitnessColumn = getNumberKind<number>(formatFitness);

/** Creates a column of durations in milliseconds. */
export const makeDurationColumn = getNumberKind<number | string>(formatDuration);

/** Creates a column of stored times, with the full time as tooltip. */
export const makeTimeColumn: ColumnKind<string> = (id, header, value, more) => ({
  id,
  header,
  value,
  cell: (row) => (
    <span class="muted" title={formatFullTime(value(row()))}>
      {formatTime(value(row()))}
    </span>
  ),
  align: 'end',
  ...more,
});
