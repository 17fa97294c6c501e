import type { JSX } from 'solid-js';

/** Outlines on a 16 × 16 grid, in the text colour. */
const paths = {
  runs: 'M2 13h12M2.5 10.5 6 6.5l3 2.5 4.5-6',
  experiments:
    'M6.5 2.5v4L2.8 12.6a.7.7 0 0 0 .6 1h9.2a.7.7 0 0 0 .6-1L9.5 6.5v-4M5.5 2.5h5M4.8 10h6.4',
  problems: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 2.5v11M2.5 8h11',
  campaigns:
    'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14',
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  down: 'M4 6l4 4 4-4',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  up: 'M8 13V3.5M4 7.5l4-4 4 4',
  descending: 'M8 3v9.5M4 8.5l4 4 4-4',
  copy: 'M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z',
  columns: 'M2.5 3h11v10h-11zM6.5 3v10M10 3v10',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11z',
  help: 'M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12.2v.3',
  warning: 'M8 2.5 14 13.5H2zM8 6.5v3.2M8 11.6v.2',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10',
  import: 'M8 10.5v-8M4.5 6 8 2.5 11.5 6M3 10v3.5h10V10',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.2a2.5 2.5 0 0 1 5 0v2.3',
  play: 'M5 3.5v9l7-4.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  expand: 'M9.5 3H13v3.5M13 3 9 7M6.5 13H3V9.5M3 13l4-4',
  database:
    'M3 4.2c0-1.1 2.2-2 5-2s5 .9 5 2-2.2 2-5 2-5-.9-5-2M3 4.2v7.6c0 1.1 2.2 2 5 2s5-.9 5-2V4.2M3 8c0 1.1 2.2 2 5 2s5-.9 5-2',
  api: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  pencil: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7l2.3 2.3',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
} as const;

export type IconName = keyof typeof paths;

/** An icon next to a word; hidden from screen readers, because the word is enough. */
export function Icon(props: { name: IconName; size?: number }): JSX.Element {
  // Icons scale with the text: 13 pixels are one rem on a screen of normal size.
  const size = (): number => (props.size ?? 16) / 13;
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      style={{ width: `${size()}rem`, height: `${size()}rem` }}
      aria-hidden="true"
    >
      <path d={paths[props.name]} />
    </svg>
  );
}
