import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { makeParquetPart, type ParquetColumn, type ParquetState } from '#server/formats/parquet.ts';

const columns: ParquetColumn[] = [
  { heading: 'seed', type: 'INT64' },
  { heading: 'best', type: 'DOUBLE' },
];

test('a file in parts contains the rows of all parts, and no part copies the previous ones', async () => {
  const bytes: number[] = [];
  let previousState: ParquetState | undefined;
  for (let part = 0; part < 5; part += 1) {
    const rows = [
      [part, part / 2],
      [part, null],
    ];
    const { bytes: partBytes, state } = makeParquetPart(columns, part === 2 ? [] : rows, {
      previousState,
      isLast: part === 4,
    });
    bytes.push(...partBytes);
    // Another thread may write the next part.
    previousState = structuredClone(state);
    for (const rowGroups of previousState.rowGroups)
      expect(rowGroups).toBeInstanceOf(SharedArrayBuffer);
  }
  const file = new Uint8Array(bytes).buffer;
  expect(await parquetReadObjects({ file })).toEqual(
    [0, 1, 3, 4].flatMap((part) => [
      { seed: BigInt(part), best: part / 2 },
      { seed: BigInt(part), best: null },
    ]),
  );
});
