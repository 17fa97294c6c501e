import { attributeOf, type FlatAttribute, plainText } from './attributes.ts';

/** The keys and texts of a header line of an index, keys in lower case. */
export type InfoHeader = ReadonlyMap<string, string>;

/** Keys that say where and how was measured, and not what the algorithm is. */
const describedKeys = new Set([
  'suite',
  'funcid',
  'funcname',
  'function',
  'dim',
  'precision',
  'algid',
  'algorithm',
  'alginfo',
  'indicator',
  'folder',
  'maximization',
  'dynamicattribute',
  'coco_version',
  'logger',
  'data_format',
  'settings',
]);

/** A longer header is none: it would take a time that grows with the square of its length to read. */
const longestHeader = 65_536;

const assignment = /(?<![\w.])([\w.]+)\s*=\s*(?:'((?:[^']|'(?!\s*(?:,|$)))*)'|"([^"]*)"|([^,]*))/g;

/** Whether a line of an index is a header: it assigns something and names no data file. Longer lines are none. */
export function isHeaderLine(line: string): boolean {
  return line.length <= longestHeader && /^\s*[\w.]+\s*=/.test(line) && !namesDataFile(line);
}

/** Whether a line begins as a header does and is too long for one. */
export function isLongHeader(line: string): boolean {
  return line.length > longestHeader && /^\s*[\w.]+\s*=/.test(line) && !namesDataFile(line);
}

/** Whether a line of an index lists runs of a data file. */
export function namesDataFile(line: string): boolean {
  return /\.[a-z]*dat\s*(,|$)/i.test(line);
}

/** Reads the assignments of the first 65,536 characters of a line: `key = 'text'`, `"text"` or bare; a quote ends before a comma only. */
export function parseHeader(line: string): InfoHeader {
  const pairs = [...line.slice(0, longestHeader).matchAll(assignment)].map(
    ([, key = '', single, double, bare = '']) => {
      return [key.toLowerCase(), plainText(single ?? double ?? bare)] as const;
    },
  );
  return new Map(pairs);
}

/** What a header says of the algorithm beyond its name: `info`, and keys of the experiment's own. */
export function attributesOf(header: InfoHeader): Record<string, FlatAttribute> {
  const own = [...header].filter(([key]) => !describedKeys.has(key));
  const info = header.get('alginfo');
  return Object.fromEntries([
    ...(info === undefined || info === '' || info === '_' ? [] : [['info', info] as const]),
    ...own.map(([key, text]) => [key, attributeOf(text)] as const),
  ]);
}
