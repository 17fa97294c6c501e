import { For, type JSX } from 'solid-js';
import { formatDay } from '#renderer/components/time.ts';
import type { UrlChanges } from '#renderer/state/url.ts';
import { toFieldTime, toWireTime } from './local-time.ts';
import { PopoverFilter, RangeEnd } from './PopoverFilter.tsx';

interface TimeFilterProps {
  /** What happened then: "Started". */
  label: string;
  /** UTC texts of the ends; '' for an open one. */
  from: string;
  to: string;
  onFilter: (changed: UrlChanges) => void;
}

/** A range of time, in local time in its fields and in UTC outside. */
export function TimeFilter(props: TimeFilterProps): JSX.Element {
  return (
    <PopoverFilter
      label={props.label}
      summary={rangeText(props.from, props.to)}
      onClear={() => props.onFilter({ from: undefined, to: undefined })}
    >
      <For each={['from', 'to'] as const}>
        {(end) => (
          <RangeEnd
            label={end === 'from' ? 'From (your time)' : 'To (your time)'}
            kind="time"
            value={toFieldTime(props[end])}
            check={() => undefined}
            onCommit={(text) => props.onFilter({ [end]: toWireTime(text) || undefined })}
          />
        )}
      </For>
    </PopoverFilter>
  );
}

function rangeText(from: string, to: string): string {
  if (from && to) return `${formatDay(from)} – ${formatDay(to)}`;
  if (from) return `from ${formatDay(from)}`;
  return to ? `to ${formatDay(to)}` : 'any';
}
