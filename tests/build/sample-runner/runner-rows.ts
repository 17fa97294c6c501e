import { readFileSync } from 'node:fs';
import { JavaNumber, type JavaObject } from '#build/sample-runner/java-json.ts';

type Row = Record<string, string | number | null>;

/** Rows that the runner itself wrote, copied from a real database. */
export interface RunnerRows {
  experiments: (Row & { config_json: string; params: Row[] })[];
  runs: Row[];
  iterations: Row[];
  events: Row[];
  checkpoints: Row[];
  controlRequests: Row[];
  objectives: Row[];
}

/** The rows of the runner. */
export const runnerRows = JSON.parse(
  readFileSync(new URL('../../fixtures/runner-rows/rows.json', import.meta.url), 'utf8'),
) as RunnerRows;

/** JSON of the runner with the text of its numbers kept: an int as a number, a double as it is written. */
export function parseJavaJson(text: string): JavaObject {
  return JSON.parse(text, (_, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && /[.eE]/.test(context?.source ?? '')
      ? new JavaNumber(context?.source ?? '')
      : value,
  ) as JavaObject;
}
