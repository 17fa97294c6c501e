import { describeCount, formatCount, noValue } from '#shared/number-format.ts';
import type { FunctionCompleteness } from '#shared/schemas/coco.ts';

type Place = Pick<FunctionCompleteness, 'optimizerId' | 'dimension' | 'functionId'>;
type Cell = FunctionCompleteness | undefined;

/** Returns the key of a cell within a campaign. */
export function getCellKey({ optimizerId, dimension, functionId }: Place): string {
  return JSON.stringify([optimizerId, dimension, functionId]);
}

/** Returns the state of a cell: with failed trials, incomplete, complete, or without present and planned trials. */
export function getCellState(cell: Cell): 'failed' | 'part' | 'whole' | 'none' {
  if (!cell || (cell.expected === 0 && cell.present === 0)) return 'none';
  if (cell.failed > 0) return 'failed';
  return cell.present < cell.expected ? 'part' : 'whole';
}

/** Returns the share of the trials of a cell that reached their target, from 0 to 1; 0 without trials. */
export function getSolvedShare(cell: Cell): number {
  return cell && cell.present > 0 ? cell.reachedTargets / cell.present : 0;
}

/** Returns the text of a cell: "15", "12/15" where trials are missing or failed, "12/15 ✕3" where 3 of them failed. */
export function formatCell(cell: Cell): string {
  if (!cell || getCellState(cell) === 'none') return noValue;
  const sound = cell.present - cell.failed;
  const counted =
    sound < cell.expected
      ? `${formatCount(sound)}/${formatCount(cell.expected)}`
      : formatCount(sound);
  return cell.failed > 0 ? `${counted} ✕${formatCount(cell.failed)}` : counted;
}

/**
 * Returns the description of a cell: "es, f3, dimension 5: 14 trials of 15 planned, 2 of them failed, 9 reached their
 * target".
 */
export function describeCell(
  { optimizerId, dimension, functionId }: Place,
  cell: Cell,
  getName: (optimizer: string) => string = (optimizer) => optimizer,
): string {
  const place = `${getName(optimizerId)}, f${functionId}, dimension ${dimension}`;
  if (!cell || getCellState(cell) === 'none') return `${place}: no trials, none planned`;
  const { present, expected, failed, reachedTargets } = cell;
  const plan = expected === 0 ? ', none planned' : ` of ${formatCount(expected)} planned`;
  return [
    `${place}: ${describeCount(present, 'trial')}${plan}`,
    ...(failed > 0 ? [`${formatCount(failed)} of them failed`] : []),
    `${formatCount(reachedTargets)} reached their target`,
  ].join(', ');
}
