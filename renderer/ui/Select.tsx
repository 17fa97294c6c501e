import { Select as KobalteSelect } from '@kobalte/core/select';
import { createMemo, createSignal, Show, type JSX } from 'solid-js';
import type { TermId } from '#shared/glossary.ts';
import { Icon } from './Icon.tsx';
import { maximumWithoutSearch } from './matching.ts';
import { SearchSelect } from './SearchSelect.tsx';
import { LabelMark } from './TermCard.tsx';

interface SelectOption<Value> {
  value: Value;
  label: string;
  /** Number of rows with this value. */
  count?: number;
}

interface SelectProps<Value extends string> {
  /** Shown and announced before the value. */
  label: string;
  value: string;
  /** A plain value is its own label. */
  options: readonly (Value | SelectOption<Value>)[];
  onChange: (value: Value) => void;
  /** Shown instead of the chosen option's label. */
  valueText?: string;
  /** Shown after the value, muted: its source. */
  detail?: string | undefined;
  size?: 'small' | 'normal';
  /** Term that explains the label, where the label alone is ambiguous. */
  term?: TermId;
}

/**
 * A choice of one value: "Algorithm any ▾". Shows a value outside the options as it is. A choice of many values has a
 * search field.
 */
export function Select<Value extends string>(props: SelectProps<Value>): JSX.Element {
  const options = (): SelectOption<string>[] =>
    props.options.map((one) => (typeof one === 'string' ? { value: one, label: one } : one));
  const selectedOption = (): SelectOption<string> =>
    options().find(({ value }) => value === props.value) ?? {
      value: props.value,
      label: props.value,
    };
  const [isOpen, setOpen] = createSignal(false);
  // New options would close the open list, and each update of a page brings new ones.
  const listedOptions = createMemo(
    (previous: SelectOption<string>[] | undefined) => (isOpen() && previous) || options(),
  );
  // The list is at the end of the document: Tab would leave it for the end of the page.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Tab') return;
    event.preventDefault();
    setOpen(false);
  };
  const visibleText = (): string => props.valueText ?? selectedOption().label;
  const buttonClass = (): string => `select select-${props.size ?? 'normal'}`;
  const name = (): string => [props.label, visibleText(), props.detail].filter(Boolean).join(' ');
  const button = () => (
    <SelectButton label={props.label} visibleText={visibleText()} detail={props.detail} />
  );
  const makeSearchSelect = () => (
    <span class="with-mark">
      <SearchSelect
        label={props.label}
        name={name()}
        buttonClass={buttonClass()}
        button={button()}
        value={props.value}
        options={options()}
        onChange={(value) => props.onChange(value as Value)}
      />
      <LabelMark label={props.label} term={props.term} />
    </span>
  );
  const makeList = () => (
    <KobalteSelect<SelectOption<string>>
      class="with-mark"
      options={listedOptions()}
      // An empty key would mean no choice.
      optionValue={(option) => `=${option.value}`}
      optionTextValue="label"
      value={selectedOption()}
      onChange={(option) => {
        // The list also reports a choice that the user has not changed.
        if (option && option.value !== props.value) props.onChange(option.value as Value);
      }}
      gutter={4}
      open={isOpen()}
      onOpenChange={setOpen}
      itemComponent={(item) => (
        <KobalteSelect.Item item={item.item} class="menu-item">
          <KobalteSelect.ItemIndicator class="menu-check">
            <Icon name="check" size={12} />
          </KobalteSelect.ItemIndicator>
          <span class="menu-label clip">{item.item.rawValue.label}</span>{' '}
          <Show when={item.item.rawValue.count !== undefined}>
            <span class="menu-count">{item.item.rawValue.count}</span>
          </Show>
        </KobalteSelect.Item>
      )}
    >
      <KobalteSelect.Trigger class={buttonClass()} aria-label={name()}>
        {button()}
      </KobalteSelect.Trigger>
      <LabelMark label={props.label} term={props.term} />
      <KobalteSelect.Portal>
        <div role="region" aria-label={`${props.label} choices`}>
          <KobalteSelect.Content class="menu" onKeyDown={onKeyDown}>
            <KobalteSelect.Listbox class="menu-list" />
          </KobalteSelect.Content>
        </div>
      </KobalteSelect.Portal>
    </KobalteSelect>
  );
  return (
    <Show when={props.options.length > maximumWithoutSearch} fallback={makeList()}>
      {makeSearchSelect()}
    </Show>
  );
}

function SelectButton(props: {
  label: string;
  visibleText: string;
  detail: string | undefined;
}): JSX.Element {
  return (
    <>
      <span class="select-label">{props.label}</span>{' '}
      <span class="select-value clip" title={props.visibleText}>
        {props.visibleText}
      </span>{' '}
      <Show when={props.detail}>{(detail) => <small>{detail()}</small>}</Show>
      <Icon name="down" size={12} />
    </>
  );
}
