const maximumNameLength = 100;

/**
 * Returns a file name that is valid on every system for the title of a page. Forbidden characters become spaces. The
 * name has at most 100 characters before the extension; it is `Evoscope` if nothing is left.
 */
export function makeExportName(title: string, extension: string): string {
  const plainTitle = title.replace(/[\\/:*?"<>|\p{Cc}\s]+/gu, ' ').slice(0, maximumNameLength);
  const trimmedName = plainTitle.toWellFormed().replace(/^[\s.]+|[\s.]+$/g, '');
  return `${trimmedName || 'Evoscope'}.${extension}`;
}
