import { Show, type JSX } from 'solid-js';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';
import { LabelMark } from './TermCard.tsx';
import { Popover } from './Popover.tsx';

/** Summary of a filter that excludes nothing. */
export const any = 'any';

interface PopoverFilterProps {
  label: string;
  /** Summary in the closed filter: "any", "≥ 3". */
  summary: string;
  /** Shown after it, muted: its source. */
  detail?: string | undefined;
  onClear: () => void;
  children: JSX.Element;
}

/** A filter of the filter bar that opens in a popover. */
export function PopoverFilter(props: PopoverFilterProps): JSX.Element {
  return (
    <span class="with-mark">
      <Popover
        label={props.label}
        placement="bottom-start"
        buttonClass="select select-normal"
        button={
          <>
            <span class="select-label">{props.label}</span>{' '}
            <span
              class="select-value clip"
              classList={{ 'select-unset': props.summary === any }}
              title={props.summary}
            >
              {props.summary}
            </span>{' '}
            <Show when={props.detail}>{(detail) => <small>{detail()}</small>}</Show>
            <Icon name="down" size={12} />
          </>
        }
      >
        <div class="popover-form">{props.children}</div>
        <div class="popover-foot">
          <Button size="small" onClick={() => props.onClear()}>
            Clear
          </Button>
        </div>
      </Popover>
      <LabelMark label={props.label} />
    </span>
  );
}
