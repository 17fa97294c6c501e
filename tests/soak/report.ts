/** Prints a line immediately. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns the faults in a list in which false means no fault. */
export function listFaults(faults: readonly (string | false)[]): string[] {
  return faults.filter((fault) => fault !== false);
}
