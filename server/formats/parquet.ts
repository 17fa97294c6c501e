import { deserialize, serialize } from 'node:v8';
import {
  ByteWriter,
  ParquetWriter,
  schemaFromColumnData,
  type ColumnSource,
} from 'hyparquet-writer';
import type { CsvValue } from '#shared/csv.ts';

/** The types of columns in a Parquet file. */
export type ParquetType = 'STRING' | 'INT64' | 'DOUBLE' | 'BOOLEAN';

/** A column of a table. */
export interface ParquetColumn {
  heading: string;
  type: ParquetType;
}

/** State of a partly written file: the input for its next part. */
export interface ParquetState {
  /** Number of written bytes. */
  offset: number;
  rowCount: bigint;
  /**
   * Serialised descriptions of the row groups of each part, which the writer needs for the end of the file. They are in
   * memory that all threads share, because different threads may write the parts. Copying all descriptions for each
   * part would take time quadratic in their number.
   */
  rowGroups: readonly SharedArrayBuffer[];
}

/**
 * Returns the next part of a Parquet file, and the state after it. The part contains the rows as one row group, or no
 * row group without rows. The last part also contains the end of the file. `previousState` is undefined for the first
 * part. A column contains null instead of a value of another type, such as a fraction in a column of integers, or an
 * integer beyond 64 bits. A column of integers also accepts digits as text. A column of texts contains other values as
 * text. A column of doubles can contain NaN and infinite numbers.
 */
export function makeParquetPart(
  columns: readonly ParquetColumn[],
  rows: readonly (readonly CsvValue[])[],
  { previousState, isLast }: { previousState: ParquetState | undefined; isLast: boolean },
): { bytes: Uint8Array<ArrayBuffer>; state: ParquetState } {
  const columnData = columns.map(({ heading, type }, index): ColumnSource => ({
    name: heading,
    type,
    data: rows.map((row) => converters[type](row[index])),
    // Readers of whole files do not use the offset index, and the state would have to contain it.
    offsetIndex: false,
  }));
  const sink = new ByteWriter();
  const writer = new ParquetWriter({
    writer: sink,
    schema: schemaFromColumnData({ columnData }),
    createdBy: 'Evoscope',
  });
  if (previousState) {
    // Omits the bytes that begin a file.
    Object.assign(sink, { index: 0, offset: previousState.offset });
    writer.num_rows = previousState.rowCount;
  }
  if (rows.length > 0) void writer.write({ columnData, rowGroupSize: rows.length });
  const rowGroups = [...(previousState?.rowGroups ?? []), shareRowGroups(writer.row_groups)];
  if (isLast) {
    writer.row_groups = rowGroups.flatMap(readRowGroups);
    void writer.finish();
  }
  return {
    bytes: sink.getBytes().slice(),
    state: { offset: sink.offset, rowCount: writer.num_rows, rowGroups },
  };
}

type RowGroups = ParquetWriter['row_groups'];

function shareRowGroups(rowGroups: RowGroups): SharedArrayBuffer {
  const bytes = serialize(rowGroups);
  const memory = new SharedArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}

function readRowGroups(memory: SharedArrayBuffer): RowGroups {
  return deserialize(Buffer.from(memory)) as RowGroups;
}

const converters: Record<ParquetType, (value: CsvValue) => unknown> = {
  STRING: (value) => (value === null || value === undefined ? null : String(value)),
  INT64: toInteger,
  DOUBLE: (value) => (typeof value === 'number' ? value : null),
  BOOLEAN: (value) => (typeof value === 'boolean' ? value : null),
};

function toInteger(value: CsvValue): bigint | null {
  const isInteger = typeof value === 'string' ? /^-?\d+$/.test(value) : Number.isInteger(value);
  if (!isInteger) return null;
  const integer = BigInt(value as string | number);
  return BigInt.asIntN(64, integer) === integer ? integer : null;
}
