import { useNavigate } from '@solidjs/router';
import { pagePaths } from '#shared/pages.ts';
import { pages } from '#renderer/pages.ts';
import { setKeyListOpen, setPaletteOpen } from '#renderer/state/frame.ts';
import { listenToKeys, useCommands } from '#renderer/state/commands.ts';
import { useLive } from '#renderer/state/live.tsx';
import { chooseTheme, shownTheme } from '#renderer/state/theme.ts';

/** What can be done on every page. */
export function FrameCommands(): null {
  const navigate = useNavigate();
  const live = useLive();
  useCommands([
    ...pages.flatMap(({ path, place }) =>
      place
        ? [
            {
              keys: place.keys,
              description: `Go to all ${place.plural}`,
              run: () => navigate(path),
            },
          ]
        : [],
    ),
    {
      keys: 'mod+k',
      description: 'Go to a run, experiment or campaign, or do something',
      run: () => setPaletteOpen(true),
    },
    {
      keys: 'g i',
      description: 'Import a data set of COCO, IOHprofiler or a table',
      run: () => navigate(pagePaths.import),
    },
    {
      keys: 'g h',
      description: 'Go to the help: terms, keys, the API for scripts',
      run: () => navigate(pagePaths.help),
    },
    { keys: '?', description: 'List of keys', run: () => setKeyListOpen(true) },
    { description: 'Pause or resume updates', run: () => live.togglePause() },
    {
      description: 'Switch between light and dark',
      run: () => chooseTheme(shownTheme() === 'dark' ? 'light' : 'dark'),
    },
  ]);
  listenToKeys();
  return null;
}
