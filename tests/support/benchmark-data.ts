import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Size of a generated data set. The default is that of a data set in the archive of COCO. */
interface BenchmarkSize {
  functions?: number;
  dimensions?: readonly number[];
  instances?: number;
  /** Number of rows of each run in its `.dat`; its `.tdat` has half as many. */
  rows?: number;
}

const header =
  '% f evaluations | g evaluations | best noise-free fitness - Fopt (0.0) + sum g_i+ | measured fitness | best measured fitness or single-digit g-values | x1 | x2...';

/** Creates a folder like COCO's logger. The default has 24 functions, 6 dimensions and 15 instances: 2,160 runs. */
export function makeBenchmark({
  functions = 24,
  dimensions = [2, 3, 5, 10, 20, 40],
  instances = 15,
  rows = 50,
}: BenchmarkSize = {}): { folder: string; runs: number; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'evoscope-benchmark-'));
  for (let id = 1; id <= functions; id++) {
    mkdirSync(join(folder, `data_f${id}`));
    const index = dimensions.map((dimension) => {
      const data = `data_f${id}/bbobexp_f${id}_DIM${dimension}`;
      const runs = Array.from({ length: instances }, (_, run) =>
        getBlock(dimension, id + run, rows),
      );
      writeFileSync(join(folder, `${data}.dat`), runs.map(({ dat }) => dat).join(''));
      writeFileSync(join(folder, `${data}.tdat`), runs.map(({ tdat }) => tdat).join(''));
      const indexEntries = runs.map(({ lastLine }, run) => `${run + 1}:${lastLine}|1.0e-08`);
      return `suite = 'bbob', funcId = ${id}, DIM = ${dimension}, Precision = 1.000e-08, algId = 'made'\n%\n${data}.dat, ${indexEntries.join(', ')}\n`;
    });
    writeFileSync(join(folder, `bbobexp_f${id}.info`), index.join(''));
  }
  return {
    folder,
    runs: functions * dimensions.length * instances,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function getBlock(dimension: number, firstExponent: number, rows: number) {
  const x = ' +1.2345e+00'.repeat(dimension);
  const lines = Array.from({ length: rows }, (_, row) => {
    const value = (firstExponent * 10 ** (2 - (row * 10) / rows)).toExponential(9);
    return `${row * row * dimension + 1} 0 +${value} +${value} +${value}${x}\n`;
  });
  const everySecondLine = lines.filter((_, row) => row % 2 === 0);
  const last = lines.at(-1) ?? '';
  return {
    dat: `${header}\n${lines.join('')}`,
    tdat: `${header}\n${everySecondLine.join('')}${last}`,
    lastLine: (rows - 1) ** 2 * dimension + 1,
  };
}
