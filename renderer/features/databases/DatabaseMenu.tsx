import { DropdownMenu } from '@kobalte/core/dropdown-menu';
import { useNavigate } from '@solidjs/router';
import { For, Show, type JSX } from 'solid-js';
import { pagePaths } from '#shared/pages.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { setSettingsOpen } from '#renderer/features/desktop/window-state.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import { Menu, MenuItem } from '#renderer/ui/Menu.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { getDesktopBridge } from '#renderer/desktop.ts';
import { beginDraft } from './connect-draft.ts';
import { useRecent, type RecentChoice } from './recent.ts';

/** Maximum number of recent databases in the menu; the page to choose one lists all. */
const maximumRecent = 5;

/** The name of the open database, as a menu to open another one. */
export function DatabaseMenu(props: { name: string }): JSX.Element {
  // The page that a choice opens sets the focus.
  let hasLed = false;
  const leave = (event: Event): void => {
    if (hasLed) event.preventDefault();
    hasLed = false;
  };
  return (
    <Menu
      onClosed={leave}
      label={`Database: ${props.name}`}
      of="Database"
      class="rail-database-button"
      title={props.name}
      placement="top-start"
      button={
        <>
          <Icon name="database" size={14} />
          <span class="rail-word clip">{props.name}</span>
          <Icon name="up" size={10} />
        </>
      }
    >
      <Choices onLead={() => (hasLed = true)} />
    </Menu>
  );
}

/** Fetches the choices only when the menu is open. */
function Choices(props: { onLead: () => void }): JSX.Element {
  const navigate = useNavigate();
  const lead = (hash: string): void => {
    props.onLead();
    navigate(`${pagePaths.welcome}${hash}`);
  };
  const choices = useEndpoint('listDatabases');
  const recent = useRecent(() => choices.data);
  const open = async (choice: RecentChoice): Promise<void> => {
    if (choice.open === undefined) {
      if (choice.postgres) beginDraft(choice.postgres);
      return lead('#connect');
    }
    const failure = await choice.open();
    if (failure !== null) showToast(failure, 'failure');
  };
  return (
    <>
      <MenuItem onSelect={() => lead('')}>Open another database…</MenuItem>
      <MenuItem onSelect={() => lead('#connect')}>Connect to PostgreSQL…</MenuItem>
      <MenuItem onSelect={() => lead('#new')}>New database…</MenuItem>
      <MenuItem onSelect={() => lead('#sample')}>Sample data…</MenuItem>
      <Show when={recent().length > 0}>
        <DropdownMenu.Separator class="menu-separator" />
        <DropdownMenu.Group>
          <DropdownMenu.GroupLabel class="menu-title">Recent</DropdownMenu.GroupLabel>
          <For each={recent().slice(0, maximumRecent)}>
            {(choice) => (
              <MenuItem title={choice.location} onSelect={() => void open(choice)}>
                {choice.name}
              </MenuItem>
            )}
          </For>
        </DropdownMenu.Group>
      </Show>
      <Show when={getDesktopBridge()}>
        <DropdownMenu.Separator class="menu-separator" />
        <MenuItem onSelect={() => setSettingsOpen(true)}>Show address and token…</MenuItem>
      </Show>
    </>
  );
}
