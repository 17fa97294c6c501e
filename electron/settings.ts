import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const bounds = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().positive(),
  height: z.int().positive(),
});

const settings = z.object({
  /** Port that the service had last. Pages keep what they remember per address, so it should stay. */
  port: z.int().min(1024).max(65_535).optional(),
  bounds: bounds.optional(),
});
export type Settings = z.infer<typeof settings>;

/** What the window remembers; nothing when the file is missing, damaged or not from this program. */
export function readSettings(file: string): Settings {
  try {
    return settings.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

/** Replaces the file as a whole, so that a crash leaves the old or the new one. Throws when it cannot. */
export function writeSettings(file: string, value: Settings): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(draft, file);
}
