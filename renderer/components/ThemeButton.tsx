import { DropdownMenu } from '@kobalte/core/dropdown-menu';
import { For, type JSX } from 'solid-js';
import { chooseTheme, parseThemeChoice, themeChoice } from '#renderer/state/theme.ts';
import { Icon } from './Icon.tsx';
import { Menu } from './Menu.tsx';

const names = { system: 'As the system', light: 'Light', dark: 'Dark' } as const;

/** Chooses between the system's theme, light and dark. */
export function ThemeButton(): JSX.Element {
  return (
    <Menu
      label={`Theme: ${names[themeChoice()]}`}
      of="Theme"
      class="icon-button"
      title="Theme"
      button={<Icon name="theme" />}
      placement="top-start"
    >
      <DropdownMenu.RadioGroup
        value={themeChoice()}
        onChange={(value) => chooseTheme(parseThemeChoice(value))}
      >
        <For each={['system', 'light', 'dark'] as const}>
          {(value) => (
            <DropdownMenu.RadioItem value={value} class="menu-item">
              <DropdownMenu.ItemIndicator class="menu-check">
                <Icon name="check" size={12} />
              </DropdownMenu.ItemIndicator>
              <span class="menu-label clip">{names[value]}</span>
            </DropdownMenu.RadioItem>
          )}
        </For>
      </DropdownMenu.RadioGroup>
    </Menu>
  );
}
