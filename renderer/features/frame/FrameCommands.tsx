import { useNavigate } from '@solidjs/router';
import { pagePaths } from '#shared/pages.ts';
import { pages } from '#renderer/pages.ts';
import { setKeyListOpen, setPaletteOpen } from '#renderer/state/frame.ts';
import { listenToKeys, useCommands } from '#renderer/state/commands.ts';
import { useLive } from '#renderer/api/live.tsx';
import { chooseTheme, getShownTheme } from '#renderer/state/theme.ts';

/** Registers the commands of every page. */
export function FrameCommands(): null {
  const navigate = useNavigate();
  const live = useLive();
  useCommands([
    ...pages.flatMap(({ path, place }) =>
      place
        ? [
            {
              keys: place.keys,
              description: place.command,
              run: () => navigate(path),
            },
          ]
        : [],
    ),
    {
      keys: 'mod+k',
      description: 'Search runs, experiments, campaigns and commands',
      run: () => setPaletteOpen(true),
    },
    {
      keys: 'g h',
      description: 'Help: glossary, shortcuts, API',
      run: () => navigate(pagePaths.help),
    },
    { keys: '?', description: 'Keyboard shortcuts', run: () => setKeyListOpen(true) },
    { description: 'Pause or resume updates', run: () => live.togglePause() },
    {
      description: 'Switch between light and dark theme',
      run: () => chooseTheme(getShownTheme() === 'dark' ? 'light' : 'dark'),
    },
  ]);
  listenToKeys();
  return null;
}
