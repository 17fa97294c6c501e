import type { Entry } from '../source/entry.ts';
import { NoteBook } from '../notes.ts';
import { type Columns, columnsOf, type LoggerFormat } from './columns.ts';
import { parseRow } from './data-row.ts';
import { createLineReader } from './lines.ts';

/** The rows of one run in one data file, in their order. */
export interface Block {
  /** Never decreasing; doubles, also beyond 2^53. */
  evaluations: number[];
  values: number[];
  /** The digits of evaluations that doubles cannot hold, by the nearest double; null where none are as large. */
  exact: Map<number, string> | null;
  /** As the header of the block states it, which only that of two objectives does. */
  instance: number | null;
  format: LoggerFormat;
}

/** A data file of a logger with a block for each run. */
export interface DataFile {
  path: string;
  modifiedAt: Date;
  blocks: Block[];
  /** What was not read of it. */
  notes: NoteBook;
}

/**
 * Reads a data file as its bytes arrive. What is not read is noted in it: rows that are cut or hold no numbers
 * (a last row without an end of line is cut), the rest of a run whose evaluations decrease, rows before any
 * header.
 */
export async function readDataFile(entry: Entry): Promise<DataFile> {
  const notes = new NoteBook();
  const collector = createCollector(entry.path, notes);
  const lines = createLineReader(collector.take);
  let size = 0;
  for await (const chunk of entry.bytes) {
    size += chunk.length;
    lines.push(chunk);
  }
  lines.end();
  if (size === 0) notes.add('EMPTY_FILE', { file: entry.path });
  return { path: entry.path, modifiedAt: entry.modifiedAt, blocks: collector.blocks, notes };
}

function createCollector(file: string, notes: NoteBook) {
  const blocks: Block[] = [];
  let columns: Columns | null = null;
  let instance: number | null = null;
  let hasDecreased = false;

  function takeHeader(text: string, line: number): void {
    instance = instanceIn(text) ?? instance;
    const named = columnsOf(text);
    if (named === null) return;
    if (named.value === -1) notes.add('NO_VALUE_COLUMN', { file, line });
    columns = named.value === -1 ? null : named;
    blocks.push({
      evaluations: [],
      values: [],
      exact: null,
      instance,
      format: named.format,
    });
    instance = null;
    hasDecreased = false;
  }

  function takeRow(text: string, line: number, isWhole: boolean): void {
    const block = blocks.at(-1);
    if (hasDecreased) return;
    const row = columns && isWhole ? parseRow(text, columns) : null;
    if (row === null || !block) {
      notes.add('ROW_SKIPPED', { file, line });
    } else if (row.evaluations < (block.evaluations.at(-1) ?? 0)) {
      hasDecreased = true;
      notes.add('EVALS_DECREASE', { file, line });
    } else {
      block.evaluations.push(row.evaluations);
      block.values.push(row.value);
      if (row.exact !== null) (block.exact ??= new Map()).set(row.evaluations, row.exact);
    }
  }

  return {
    blocks,
    take: (text: string, line: number, isWhole: boolean): void => {
      const plain = line === 1 ? text.replace(/^\u00ef\u00bb\u00bf/, '') : text;
      if (isHeader(plain)) takeHeader(plain, line);
      else if (plain.trim() !== '') takeRow(plain, line, isWhole);
    },
  };
}

/** Rows begin with a digit, a sign or a blank; comments and headers with `%`, a quote or a word. */
function isHeader(text: string): boolean {
  return /^([%"]|evaluations\b)/.test(text);
}

function instanceIn(text: string): number | null {
  const [, digits] = /^%.*\binstance\s*=\s*(\d+)/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}
