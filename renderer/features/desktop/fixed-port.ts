/** Ports that a program of an ordinary user may use. */
export const portRange = { least: 1024, most: 65_535 } as const;

/**
 * Parses a port; null for an empty text (no fixed port), undefined for anything but a whole number from 1024 to 65535
 * in decimal digits.
 */
export function parseFixedPort(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const port = /^\d{1,5}$/.test(trimmed) ? Number(trimmed) : 0;
  return port >= portRange.least && port <= portRange.most ? port : undefined;
}
