import { existsSync, readFileSync, renameSync } from 'node:fs';
import * as z from 'zod';
import { desktopSettings, type DesktopSettings } from '#shared/desktop.ts';
import { writeJson } from './json-file.ts';
import { recentLocations } from './locations.ts';

const bounds = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().positive(),
  height: z.int().positive(),
});

/** The settings in the file of the window. A missing setting has its default. */
const settings = z.object({
  ...desktopSettings.partial().shape,
  /** Previous port of the service. Browsers store the state of pages by address, so the port should not change. */
  port: z.int().min(1024).max(65_535).optional(),
  bounds: bounds.optional(),
  isMaximized: z.boolean().optional(),
  /** Electron's zoom level: 0 is 100 %, and each step multiplies by 1.2. */
  zoomLevel: z.number().min(-8).max(9).optional(),
  /** Folder of the last file that the user saved: an export or a download. */
  exportFolder: z.string().optional(),
  /** Recent databases, newest first. */
  recent: recentLocations.optional(),
});
export type Settings = z.infer<typeof settings>;

/** The settings of the window, stored in a file. */
export interface SettingsStore {
  /** Returns the current settings. */
  read(): Settings;
  /**
   * Changes settings in memory and in the file. Ignores values that the file must not contain, such as a port below
   * 1024. If writing the file fails, reports this, and changes the settings only in memory.
   */
  change(changes: Settings): void;
}

/** Opens the settings in a file. Calls `reportError` if the file is invalid, or if reading or writing it fails. */
export function openSettings(file: string, reportError: (text: string) => void): SettingsStore {
  let currentSettings = readSettings(file, reportError);
  return {
    read: () => currentSettings,
    change(changes) {
      currentSettings = { ...currentSettings, ...omitInvalid(changes) };
      try {
        writeJson(file, currentSettings);
      } catch (error) {
        reportError(
          `Evoscope cannot store the settings: ${getMessage(error)}. Check ${file} and its folder, then change the settings again`,
        );
      }
    },
  };
}

/**
 * Returns the changes without invalid values and unknown names, because one invalid value in the file makes all
 * settings in it unreadable.
 */
function omitInvalid(changes: Settings): Settings {
  const fields: Record<string, z.ZodType> = settings.shape;
  const validEntries = Object.entries(changes).filter(
    ([name, value]) => fields[name]?.safeParse(value).success === true,
  );
  return Object.fromEntries(validEntries);
}

/** Returns the settings as pages and menus show them, with defaults. */
export function getDesktopSettings({
  theme = 'system',
  notifies = false,
  fixedPort = null,
  isRecording = false,
}: Settings): DesktopSettings {
  return { theme, notifies, fixedPort, isRecording };
}

/**
 * Returns the stored settings; an empty object if the file is missing, invalid or unreadable. Renames and reports an
 * invalid or unreadable file.
 */
function readSettings(file: string, reportError: (text: string) => void): Settings {
  if (!existsSync(file)) return {};
  try {
    return settings.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    reportError(
      `Evoscope cannot read the settings and uses the defaults: ${getMessage(error)}. ${renameInvalidFile(file)}`,
    );
    return {};
  }
}

function renameInvalidFile(file: string): string {
  const invalidFile = `${file}.broken`;
  try {
    renameSync(file, invalidFile);
    return `To restore the previous settings, correct ${invalidFile} and rename it to ${file}`;
  } catch (error) {
    return `Correct or delete ${file}, because Evoscope cannot rename it: ${getMessage(error)}`;
  }
}

function getMessage(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues
      .map(({ path, message }) => `${path.join('.') || 'settings'}: ${message}`)
      .join('; ');
  return error instanceof Error ? error.message : String(error);
}
