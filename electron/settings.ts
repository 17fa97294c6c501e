import { readFileSync, renameSync } from 'node:fs';
import * as z from 'zod';
import { desktopSettings, type DesktopSettings } from '#shared/desktop.ts';
import { writeJson } from './json-file.ts';
import { recentPlaces } from './places.ts';

const bounds = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().positive(),
  height: z.int().positive(),
});

const settings = z.object({
  ...desktopSettings.partial().shape,
  /** Port that the service had last. Pages keep what they remember per address, so it should stay. */
  port: z.int().min(1024).max(65_535).optional(),
  bounds: bounds.optional(),
  isMaximized: z.boolean().optional(),
  /** As Electron counts: 0 is 100 %, each step a fifth more. */
  zoomLevel: z.number().min(-8).max(9).optional(),
  /** Where the last export was saved. */
  exportFolder: z.string().optional(),
  /** Databases that were opened, newest first. */
  recent: recentPlaces.optional(),
});
export type Settings = z.infer<typeof settings>;

/** What the window remembers, in a file. */
export interface SettingsStore {
  /** What is remembered now. */
  read(): Settings;
  /** Remembers this too, in memory at least: a file that cannot be written is complained of. */
  change(part: Settings): void;
}

/** The file's settings from now on; `complain` gets a sentence when it could not be read or written. */
export function openSettings(file: string, complain: (text: string) => void): SettingsStore {
  let current = readSettings(file, complain);
  return {
    read: () => current,
    change(part) {
      current = { ...current, ...part };
      try {
        writeJson(file, current);
      } catch (error) {
        complain(`The settings could not be kept: ${messageOf(error)}`);
      }
    },
  };
}

/** What pages and menus show as chosen; what nobody chose stands at its default. */
export function chosenSettings({ theme, notifies, fixedPort }: Settings): DesktopSettings {
  return { theme: theme ?? 'system', notifies: notifies ?? false, fixedPort: fixedPort ?? null };
}

/** Nothing when there is no file; one that is damaged or of another program is put aside, and nothing too. */
function readSettings(file: string, complain: (text: string) => void): Settings {
  const text = readText(file);
  if (text === null) return {};
  try {
    return settings.parse(JSON.parse(text));
  } catch {
    complain(`The settings could not be read, and begin anew: ${putAside(file)}`);
    return {};
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function putAside(file: string): string {
  const kept = `${file}.broken`;
  try {
    renameSync(file, kept);
    return `the old ones are in ${kept}`;
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
