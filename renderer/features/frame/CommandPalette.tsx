import { useNavigate } from '@solidjs/router';
import { createEffect, createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import { isWithoutDatabase } from '#renderer/api/opened-database.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { getActiveCommands } from '#renderer/state/commands.ts';
import { createDebounced } from '#renderer/state/debounced.ts';
import { isPaletteOpen, setPaletteOpen } from '#renderer/state/frame.ts';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { Icon } from '#renderer/ui/Icon.tsx';
import { stepIndex } from '#renderer/ui/matching.ts';
import './palette.css';
import { findEntry, makePaletteEntries, type PaletteEntry } from './palette-entries.ts';

/** Opens a run, experiment or campaign by id or name, or runs a command of the page; opened with Ctrl/⌘ K. */
export function CommandPalette(): JSX.Element {
  return (
    <Dialog
      title="Search runs, experiments, campaigns and commands"
      titleHidden
      size="normal"
      open={isPaletteOpen()}
      onClose={() => setPaletteOpen(false)}
    >
      <Palette />
    </Dialog>
  );
}

function Palette(): JSX.Element {
  const navigate = useNavigate();
  const [text, setText] = createSignal('');
  /** The line that the arrow keys moved to; undefined for the first. */
  const [chosenEntry, setChosenEntry] = createSignal<PaletteEntry>();
  const searchText = createDebounced(() => text().trim(), 120);
  const makeSearch = (size: number) => () => ({
    query: { q: searchText(), size },
    enabled: searchText() !== '' && !isWithoutDatabase(),
  });
  const runs = useEndpoint('listRuns', makeSearch(8), 'matches');
  const experiments = useEndpoint('listExperiments', makeSearch(4), 'matches');
  const campaigns = useEndpoint('listCampaigns', makeSearch(3), 'matches');
  const isSearched = (): boolean => text().trim() !== '';
  const entries = createMemo(() =>
    makePaletteEntries(text(), getActiveCommands(), {
      runs: (isSearched() && runs.data?.items) || [],
      experiments: (isSearched() && experiments.data?.items) || [],
      campaigns: (isSearched() && campaigns.data?.items) || [],
    }),
  );
  /** -1 if the chosen line is not among the entries; then Enter opens nothing. */
  const activeIndex = createMemo(() => findEntry(entries(), chosenEntry()));
  /** The listed matches belong to the previous text; the responses to this one are pending. */
  const isStale = (): boolean =>
    isSearched() &&
    (searchText() !== text().trim() ||
      [runs, experiments, campaigns].some((query) => query.isPlaceholder || query.isLoading));
  const [isPickWaiting, setPickWaiting] = createSignal(false);
  createEffect(() => {
    if (!isPickWaiting() || isStale()) return;
    setPickWaiting(false);
    pick(entries()[activeIndex()]);
  });

  const pick = (entry: PaletteEntry | undefined): void => {
    if (!entry) return;
    setPaletteOpen(false);
    if (entry.path !== undefined) navigate(entry.path);
    else queueMicrotask(() => entry.run?.());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') setPickWaiting(true);
    else if (step) {
      const start = step < 0 ? Math.max(0, activeIndex()) : activeIndex();
      setChosenEntry(entries()[stepIndex(start, step, entries().length)]);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="palette">
      <div class="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Run, experiment, campaign or command"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries()[activeIndex()] && `palette-${activeIndex()}`}
          placeholder="Run, experiment, campaign or command"
          maxLength={200}
          autofocus
          value={text()}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosenEntry(undefined);
            setPickWaiting(false);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul
        id="palette-list"
        role="listbox"
        aria-label="Matches"
        aria-busy={isStale()}
        class="palette-list"
      >
        <For each={entries()}>
          {(entry, index) => (
            <PaletteItem
              entry={entry}
              id={`palette-${index()}`}
              isChosen={index() === activeIndex()}
              onPick={() => pick(entry)}
            />
          )}
        </For>
      </ul>
      <Show when={runs.error}>{(error) => <p class="palette-note">{error().detail}</p>}</Show>
      <Show when={entries().length === 0 && !isStale() && !runs.error}>
        <p class="palette-note">
          No run, experiment, campaign or command matches “{text().trim()}”.
        </p>
      </Show>
    </div>
  );
}

interface PaletteItemProps {
  entry: PaletteEntry;
  id: string;
  isChosen: boolean;
  onPick: () => void;
}

function PaletteItem(props: PaletteItemProps): JSX.Element {
  let item: HTMLLIElement | undefined;
  createEffect(() => props.isChosen && item?.scrollIntoView({ block: 'nearest' }));
  return (
    // The field keeps the focus and its keys choose; the pointer also works.
    <li
      ref={(element) => (item = element)}
      id={props.id}
      role="option"
      aria-selected={props.isChosen}
      class="palette-item"
      onClick={() => props.onPick()}
    >
      <span class="clip" title={props.entry.label}>
        {props.entry.label}
      </span>
      <span class="palette-detail clip" title={props.entry.detail}>
        {props.entry.detail}
      </span>
    </li>
  );
}
