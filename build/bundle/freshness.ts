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

/** A folder that a build creates from sources. */
export interface Product {
  /** Absolute path of the output folder. */
  readonly output: string;
  /**
   * Absolute paths of the source files and folders. A path may be missing. A file that appears there later is a change.
   */
  readonly inputs: readonly string[];
}

/**
 * Builds a product if it is missing or its sources have changed since the last build. Resolves with true if it has
 * built the product, otherwise with false. Compares contents instead of times, so a checkout or copy is not a change.
 * After a failed or interrupted build, the next call builds the product again. Rejects with the error of `build` or of
 * the system.
 */
export async function buildIfStale(product: Product, build: () => Promise<void>): Promise<boolean> {
  const currentFingerprint = computeFingerprint(product.inputs);
  if (existsSync(product.output) && readFingerprint(product) === currentFingerprint) return false;
  await buildAndRecord(product, build);
  return true;
}

/**
 * Builds a product and records its sources for {@link buildIfStale}. Rejects with the error of `build` or of the
 * system.
 */
export async function buildAndRecord(product: Product, build: () => Promise<void>): Promise<void> {
  const currentFingerprint = computeFingerprint(product.inputs);
  rmSync(getRecordFile(product), { force: true });
  await build();
  mkdirSync(dirname(getRecordFile(product)), { recursive: true });
  writeFileSync(getRecordFile(product), `${currentFingerprint}\n`);
}

/**
 * Returns the SHA-256 in hexadecimal of all files under these paths: their contents, and their names relative to the
 * paths. A missing path has no files. Throws the error of the system if it cannot read a file or folder.
 */
export function computeFingerprint(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of listFilesUnder(path)) {
      const content = readFileSync(file);
      hash.update(`${file.slice(path.length)}\0${content.length}\0`).update(content);
    }
    hash.update('\0\0');
  }
  return hash.digest('hex');
}

/**
 * Returns the paths of all files under a path, sorted. Returns only the path itself if it is a file, and no path if it
 * is missing. Ignores links in folders. Throws the error of the system if it cannot read a folder.
 */
export function listFilesUnder(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function getRecordFile({ output }: Product): string {
  return `${output}.fingerprint`;
}

function readFingerprint(product: Product): string | null {
  const file = getRecordFile(product);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
