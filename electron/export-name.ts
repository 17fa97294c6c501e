const longestName = 100;

/**
 * A file name that every system takes, out of a page's title: what a system forbids becomes a blank, at most 100
 * characters before the extension; `Evoscope` when nothing is left.
 */
export function exportName(title: string, extension: string): string {
  const plain = title.replace(/[\\/:*?"<>|\p{Cc}\s]+/gu, ' ').slice(0, longestName);
  const trimmed = plain.toWellFormed().replace(/^[\s.]+|[\s.]+$/g, '');
  return `${trimmed || 'Evoscope'}.${extension}`;
}
