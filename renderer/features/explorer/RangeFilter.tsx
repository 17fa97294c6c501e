import { For, type JSX } from 'solid-js';
import { CommittedField } from '#renderer/ui/CommittedField.tsx';
import { formatDay } from '#renderer/ui/time.ts';
import { getDecimalError } from '#renderer/state/decimal.ts';
import type { UrlChanges } from '#renderer/state/url.ts';
import { toFieldTime, toUtcTime, toWireTime } from './local-time.ts';
import { any, PopoverFilter } from '#renderer/ui/PopoverFilter.tsx';

/** Kind of a range: the fields of its ends, and its summary. */
interface RangeKind {
  /** The labels of both ends. */
  ends: readonly [string, string];
  field: { type?: 'datetime-local'; inputMode?: 'decimal' };
  /** Converts the text in the URL to the text of the field, and back; '' for an open end. */
  toField: (text: string, edge: 'start' | 'end') => string;
  fromField: (text: string) => string;
  /** Returns the error of a typed text; undefined when it is valid. */
  check: (text: string) => string | undefined;
  /** Returns the range in words; at least one end is not open. */
  summary: (least: string, most: string) => string;
}

/** A range of numbers. */
export const numberRange: RangeKind = {
  ends: ['At least', 'At most'],
  field: { inputMode: 'decimal' },
  toField: (text) => text,
  fromField: (text) => text,
  check: getDecimalError,
  summary: (least, most) => `${least || 'min'} – ${most || 'max'}`,
};

/** A time range, in local time in its fields and in UTC elsewhere. */
export const timeRange: RangeKind = {
  ends: ['From (your time)', 'To (your time)'],
  field: { type: 'datetime-local' },
  toField: toFieldTime,
  fromField: toWireTime,
  check: () => undefined,
  summary: (from, to) => {
    const first = from && formatDay(toUtcTime(from, 'start'));
    const last = to && formatDay(toUtcTime(to, 'end'));
    if (first && last) return `${first} – ${last}`;
    return first ? `from ${first}` : `to ${last}`;
  },
};

interface RangeFilterProps extends RangeKind {
  label: string;
  /** The names of both ends in the URL. */
  names: readonly [string, string];
  /** Returns the text of an end; '' when it is open. */
  value: (name: string) => string;
  onFilter: (changed: UrlChanges) => void;
}

/** A filter by the ends of a range; only valid values reach the URL. */
export function RangeFilter(props: RangeFilterProps): JSX.Element {
  const summary = (): string => {
    const [least, most] = [props.value(props.names[0]), props.value(props.names[1])];
    return least || most ? props.summary(least, most) : any;
  };
  const clear = (): void =>
    props.onFilter(Object.fromEntries(props.names.map((name) => [name, undefined])));
  return (
    <PopoverFilter label={props.label} summary={summary()} onClear={clear}>
      <For each={props.names}>
        {(name, end) => (
          <CommittedField
            {...props.field}
            label={props.ends[end()] ?? name}
            value={props.toField(props.value(name), end() === 0 ? 'start' : 'end')}
            check={props.check}
            onCommit={(text) => props.onFilter({ [name]: props.fromField(text) || undefined })}
          />
        )}
      </For>
    </PopoverFilter>
  );
}
