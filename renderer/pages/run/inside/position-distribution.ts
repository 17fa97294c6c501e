import type { Cell } from '#renderer/charts/figure.ts';

/**
 * Returns the share of the elite with each item at each position, [item][position], from an iteration's
 * `diagnosticsJson`. Empty where it is missing; values that are not finite numbers are null.
 */
export function getPositionDistribution(diagnosticsJson: string | null | undefined): Cell[][] {
  const insights = getMember(getMember(parseJson(diagnosticsJson), 'latentTelemetry'), 'insights');
  return getList(getMember(insights, 'positionDistribution')).map((row) =>
    getList(row).map((cell) => (typeof cell === 'number' && Number.isFinite(cell) ? cell : null)),
  );
}

function parseJson(json: string | null | undefined): unknown {
  try {
    return JSON.parse(json ?? 'null');
  } catch {
    return null;
  }
}

function getMember(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function getList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
