/** Prints a line at once. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns the faults among these; false where there is none. */
export function listFaults(faults: readonly (string | false)[]): string[] {
  return faults.filter((fault) => fault !== false);
}
