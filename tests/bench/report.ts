import { quantile, type Timings } from './measure.ts';

/** Whether a line is to be measured: when the command line names no word, or one of its title. */
export function isWanted(title: string): boolean {
  const words = process.argv.slice(2);
  return words.length === 0 || words.some((word) => title.includes(word));
}

/** Prints the medians and p99 of both sides and returns the ratio of the medians. */
export function printTimings(title: string, { service, floor }: Timings): number {
  const ratio = quantile(service, 0.5) / quantile(floor, 0.5);
  const figures = [service, floor].flatMap((values) => [
    quantile(values, 0.5),
    quantile(values, 0.99),
  ]);
  print([title, ...figures.map((millis) => `${millis.toFixed(2)} ms`), ratio.toFixed(2)]);
  return ratio;
}

/** Prints a line of a table: a title and right-aligned cells. */
export function print([title = '', ...cells]: string[]): void {
  process.stdout.write(`${title.padEnd(38)}${cells.map((cell) => cell.padStart(16)).join('')}\n`);
}
