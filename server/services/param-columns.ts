import type { Database } from '#server/db/database.ts';
import { listParamValues } from '#server/repositories/params.ts';

type ParamTexts = Record<string, string | null>;

/**
 * The rows with the parameters of their experiments at these paths as texts, null where there is
 * none; unchanged without requested paths.
 */
export async function withParams<Row extends { experimentId: string }>(
  database: Database,
  rows: readonly Row[],
  paths: readonly string[],
): Promise<(Row & { params?: ParamTexts })[]> {
  if (paths.length === 0) return [...rows];
  const experimentIds = [...new Set(rows.map((row) => row.experimentId))];
  const texts = new Map<string, Map<string, string | null>>();
  for (const value of await listParamValues(database, experimentIds, paths)) {
    const { experimentId, paramPath, valueText, valueJson } = value;
    const ofExperiment = texts.get(experimentId) ?? new Map<string, string | null>();
    ofExperiment.set(paramPath, valueText ?? valueJson);
    texts.set(experimentId, ofExperiment);
  }
  const paramsOf = (row: Row): ParamTexts =>
    Object.fromEntries(paths.map((path) => [path, texts.get(row.experimentId)?.get(path) ?? null]));
  return rows.map((row) => ({ ...row, params: paramsOf(row) }));
}
