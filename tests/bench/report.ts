import { computeQuantile, type Timings } from './measure.ts';

/** Returns whether a line is selected: the command line has no words, or one that the title contains. */
export function isSelected(title: string): boolean {
  const words = process.argv.slice(2);
  return words.length === 0 || words.some((word) => title.includes(word));
}

/** Prints the medians and p99 of service and floor, and returns the ratio of the medians. */
export function printTimings(title: string, { service, floor }: Timings): number {
  const ratio = computeQuantile(service, 0.5) / computeQuantile(floor, 0.5);
  const quantiles = [service, floor].flatMap((values) => [
    computeQuantile(values, 0.5),
    computeQuantile(values, 0.99),
  ]);
  print([title, ...quantiles.map((millis) => `${millis.toFixed(2)} ms`), ratio.toFixed(2)]);
  return ratio;
}

/** Prints a line of a table: a title and right-aligned cells. */
export function print([title = '', ...cells]: string[]): void {
  process.stdout.write(`${title.padEnd(38)}${cells.map((cell) => cell.padStart(16)).join('')}\n`);
}
