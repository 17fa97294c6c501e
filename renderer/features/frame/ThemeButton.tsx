import type { JSX } from 'solid-js';
import { chooseTheme, themeChoice } from '#renderer/state/theme.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import { Menu, MenuChoices } from '#renderer/ui/Menu.tsx';

const names = { system: 'System', light: 'Light', dark: 'Dark' } as const;

/** Menu to choose between the system's theme, light and dark. */
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
      <MenuChoices labels={names} chosen={themeChoice()} onChoose={chooseTheme} />
    </Menu>
  );
}
