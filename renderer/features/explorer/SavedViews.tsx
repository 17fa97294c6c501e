import { A, useLocation } from '@solidjs/router';
import { createSignal, For, Show, untrack, type JSX } from 'solid-js';
import { useUrl } from '#renderer/state/url.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { copyText } from '#renderer/ui/clipboard.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import { Popover } from '#renderer/ui/Popover.tsx';
import { getColumnsInUrl } from '#renderer/ui/table/table-model.ts';
import { TextField } from '#renderer/ui/TextField.tsx';
import { createSavedViews, isCurrentView, getSearchOfView, type SavedView } from './saved-views.ts';

/** Saves views of a list by name in this browser, opens them, and copies links to them. */
export function SavedViews(props: { name: string }): JSX.Element {
  const url = useUrl();
  const location = useLocation();
  const [isOpen, setOpen] = createSignal(false);
  const { views, ...actions } = createSavedViews(untrack(() => props.name));
  const [name, setName] = createSignal('');
  const search = (): string =>
    getSearchOfView(location.search, getColumnsInUrl(url, { urlKey: '', name: props.name }));
  const save = (event: Event): void => {
    event.preventDefault();
    const trimmed = name().trim();
    if (trimmed === '') return;
    actions.save({ name: trimmed, search: search() });
    setName('');
  };
  const copyLink = (view: SavedView): void => {
    const link = new URL(`${location.pathname}${view.search}`, window.location.origin);
    void copyText(link.href, `the link to “${view.name}”`);
  };
  return (
    <Popover
      label="Views"
      placement="bottom-end"
      open={isOpen()}
      onOpenChange={setOpen}
      buttonClass="button button-plain button-normal"
      button={
        <>
          Views
          <Icon name="down" size={12} />
        </>
      }
    >
      <form class="condition-form" onSubmit={save}>
        <TextField
          label="Save view as"
          placeholder="Name"
          maxLength={80}
          value={name()}
          onInput={setName}
        />
        <Button type="submit">Save</Button>
        <p class="field-note muted">Saves filters, sorting and columns in this browser.</p>
      </form>
      <Show when={views().length > 0}>
        <ul class="view-list">
          <For each={views()}>
            {(view) => (
              <li>
                <A
                  class="clip"
                  href={`${location.pathname}${view.search}`}
                  aria-current={isCurrentView(view.search, search()) ? 'true' : undefined}
                  onClick={() => setOpen(false)}
                >
                  {view.name}
                </A>
                <Button size="small" kind="quiet" onClick={() => copyLink(view)}>
                  Copy link
                </Button>
                <Button
                  size="small"
                  kind="quiet"
                  aria-label={`Delete ${view.name}`}
                  onClick={() => actions.remove(view.name)}
                >
                  Delete
                </Button>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </Popover>
  );
}
