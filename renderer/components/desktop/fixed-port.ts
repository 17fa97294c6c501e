/** The ports that a user's program may have. */
export const portRange = { least: 1024, most: 65_535 } as const;

/**
 * The port that a text names; null for an empty one, which is no fixed port. What is no whole number from 1024 to 65535
 * in decimal digits gives undefined.
 */
export function parseFixedPort(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const port = /^\d{1,5}$/.test(trimmed) ? Number(trimmed) : 0;
  return port >= portRange.least && port <= portRange.most ? port : undefined;
}
