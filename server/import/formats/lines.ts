/** Gets the lines of a file as its bytes arrive, each with its number from 1 and whether an end of line follows. */
export type LineVisitor = (text: string, line: number, isWhole: boolean) => void;

/** No number or header that is read stands further to the right. */
const longestLine = 4_096;
const lineFeed = 10;

/**
 * Cuts chunks of bytes into lines, of which no more than 4,096 characters are kept. Latin-1: data files hold
 * numbers and headers of loggers. NUL bytes and the CR of a line end are left out.
 */
export function createLineReader(visit: LineVisitor): {
  push: (chunk: Buffer) => void;
  end: () => void;
} {
  let carried = '';
  let line = 0;

  function take(text: string, isWhole: boolean): void {
    line += 1;
    const plain = text.includes('\0') ? text.replaceAll('\0', '') : text;
    visit(plain.endsWith('\r') ? plain.slice(0, -1) : plain, line, isWhole);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        const text = chunk.toString('latin1', start, Math.min(end, start + longestLine));
        take(carried === '' ? text : carried + text, true);
        carried = '';
        start = end + 1;
      }
      const room = longestLine - carried.length;
      if (room > 0)
        carried += chunk.toString('latin1', start, Math.min(chunk.length, start + room));
    },
    end() {
      if (carried !== '') take(carried, false);
    },
  };
}
