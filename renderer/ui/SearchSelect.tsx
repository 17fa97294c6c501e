import { createEffect, createSignal, createUniqueId, For, Show, type JSX } from 'solid-js';
import { Icon } from './Icon.tsx';
import { Popover } from './Popover.tsx';
import { createOptionSearch, type SearchedOption } from './option-search.ts';
import { TextField } from './TextField.tsx';

interface SearchSelectOption extends SearchedOption {
  /** Number of rows with this value. */
  count?: number;
}

interface SearchSelectProps {
  label: string;
  /** Class of the button. */
  buttonClass: string;
  /** The closed choice. */
  button: JSX.Element;
  /** Accessible name of the closed choice. */
  name: string;
  value: string;
  options: readonly SearchSelectOption[];
  onChange: (value: string) => void;
}

/** A choice of one of many values with a field that searches their labels. Arrow keys move, Enter chooses. */
export function SearchSelect(props: SearchSelectProps): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <Popover
      label={props.label}
      placement="bottom-start"
      buttonClass={props.buttonClass}
      buttonName={props.name}
      button={props.button}
      open={isOpen()}
      onOpenChange={setOpen}
    >
      <Options {...props} onDone={() => setOpen(false)} />
    </Popover>
  );
}

function Options(props: SearchSelectProps & { onDone: () => void }): JSX.Element {
  const id = createUniqueId();
  const { text, search, matches, highlightedIndex, moveHighlight } = createOptionSearch(
    () => props.options,
    () => props.value,
  );
  const pick = (option: SearchSelectOption | undefined): void => {
    if (!option) return;
    if (option.value !== props.value) props.onChange(option.value);
    props.onDone();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') pick(matches()[highlightedIndex()]);
    else if (step) moveHighlight(step);
    else return;
    event.preventDefault();
  };
  return (
    <div class="popover-form">
      <TextField
        role="combobox"
        label={`Search ${props.label}`}
        labelHidden
        icon="search"
        placeholder={`Search ${props.options.length} choices`}
        autocomplete="off"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={matches().length > 0 ? `${id}-${highlightedIndex()}` : undefined}
        value={text()}
        onInput={search}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={props.label} class="choice-list">
        <For each={matches()}>
          {(option, index) => (
            <OptionItem
              id={`${id}-${index()}`}
              option={option}
              isChosen={option.value === props.value}
              isHighlighted={index() === highlightedIndex()}
              onPick={() => pick(option)}
            />
          )}
        </For>
      </ul>
      <Show when={matches().length === 0}>
        <p class="muted">Nothing matches “{text().trim()}”.</p>
      </Show>
    </div>
  );
}

interface OptionItemProps {
  id: string;
  option: SearchSelectOption;
  isChosen: boolean;
  isHighlighted: boolean;
  onPick: () => void;
}

function OptionItem(props: OptionItemProps): JSX.Element {
  let item: HTMLLIElement | undefined;
  createEffect(() => props.isHighlighted && item?.scrollIntoView({ block: 'nearest' }));
  return (
    // The field keeps the focus and its keys choose; the pointer also works.
    <li
      ref={(element) => (item = element)}
      id={props.id}
      role="option"
      aria-selected={props.isChosen}
      class="menu-item"
      data-highlighted={props.isHighlighted ? '' : undefined}
      onClick={() => props.onPick()}
    >
      <Show when={props.isChosen}>
        <span class="menu-check">
          <Icon name="check" size={12} />
        </span>
      </Show>
      <span class="menu-label clip" title={props.option.label}>
        {props.option.label}
      </span>{' '}
      <Show when={props.option.count !== undefined}>
        <span class="menu-count">{props.option.count}</span>
      </Show>
    </li>
  );
}
