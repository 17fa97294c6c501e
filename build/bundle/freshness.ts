import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Something that is built from sources: a folder, and the files and folders that it depends on. */
export interface Product {
  /** Absolute path of the folder that the build makes. */
  readonly output: string;
  /** Absolute paths of files and folders; one that is missing counts as such. */
  readonly inputs: readonly string[];
}

/**
 * Builds a product unless it is there and its sources read as they did when it was built; returns whether it
 * was built. Compares contents, not times, so that a checkout or a copy does not count as a change. A build
 * that fails or is interrupted leaves a product that counts as old.
 */
export async function buildIfStale(product: Product, build: () => Promise<void>): Promise<boolean> {
  const current = fingerprint(product.inputs);
  if (existsSync(product.output) && recorded(product) === current) return false;
  await buildAndRecord(product, build);
  return true;
}

/** Builds a product in any case and remembers what it was built from, for {@link buildIfStale}. */
export async function buildAndRecord(product: Product, build: () => Promise<void>): Promise<void> {
  const current = fingerprint(product.inputs);
  rmSync(recordFile(product), { force: true });
  await build();
  mkdirSync(dirname(recordFile(product)), { recursive: true });
  writeFileSync(recordFile(product), `${current}\n`);
}

/** SHA-256, in hexadecimal, of the names and contents of all files in and under these paths. */
export function fingerprint(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of filesUnder(path)) {
      const content = readFileSync(file);
      hash.update(`${file.slice(path.length)}\0${content.length}\0`).update(content);
    }
    hash.update('\0\0');
  }
  return hash.digest('hex');
}

/** All files in and under a path, itself if it is one, in the order of their names; none where it is missing. */
export function filesUnder(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function recordFile({ output }: Product): string {
  return `${output}.fingerprint`;
}

function recorded(product: Product): string | null {
  const file = recordFile(product);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
