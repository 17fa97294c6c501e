import type { Database } from '#server/db/database.ts';
import type { ParamFilter } from '#shared/syntax.ts';
import { getParamPath, listPathsOfName, listParamValues } from '#server/repositories/params.ts';
import { makeValidationError } from '#server/errors.ts';

/** The fields of a list's query that contain names of parameters. */
interface ParamQuery {
  param: readonly ParamFilter[];
  sortBy: string;
}

/** Returns the paths among these that occur in the items of a query. Ignores the filters of the query on parameters. */
export type FindPathsAmong = (paths: readonly string[]) => Promise<readonly string[]>;

/**
 * Returns the query with full paths instead of the last keys of parameters. An unknown name stays unchanged. A name of
 * several parameters becomes the path of the parameter that occurs in the requested items, or the path of any of them
 * if none occurs. Throws VALIDATION_FAILED if several occur.
 */
export async function completePaths<Query extends ParamQuery>(
  database: Database,
  query: Query,
  findPathsAmong: FindPathsAmong,
): Promise<Query> {
  const findFullPath = async (field: keyof ParamQuery, name: string): Promise<string> => {
    const paths = await listPathsOfName(database, name);
    const matches = paths.length > 1 ? await findPathsAmong(paths) : paths;
    if (matches.length > 1) throw makeAmbiguousNameError(field, name, matches);
    return matches[0] ?? paths[0] ?? name;
  };
  const param: ParamFilter[] = [];
  for (const filter of query.param) {
    param.push({ ...filter, path: await findFullPath('param', filter.path) });
  }
  const name = getParamPath(query.sortBy);
  if (name === null) return { ...query, param };
  return { ...query, param, sortBy: `param:${await findFullPath('sortBy', name)}` };
}

function makeAmbiguousNameError(field: string, name: string, paths: readonly string[]): Error {
  const list = paths.toSorted().join(', ');
  return makeValidationError([
    { path: field, message: `names several parameters by "${name}": give one of ${list}` },
  ]);
}

type ParamTexts = Record<string, string | null>;

/**
 * Returns the rows with the parameters of their experiments at these paths as texts; null for a missing parameter.
 * Without paths, returns the rows unchanged.
 */
export async function addParams<Row extends { experimentId: string }>(
  database: Database,
  rows: readonly Row[],
  paths: readonly string[],
): Promise<(Row & { params?: ParamTexts })[]> {
  if (paths.length === 0) return [...rows];
  const experimentIds = [...new Set(rows.map((row) => row.experimentId))];
  const texts = new Map<string, Map<string, string | null>>();
  for (const value of await listParamValues(database, experimentIds, paths)) {
    const { experimentId, paramPath, valueText, valueJson } = value;
    const valuesByPath = texts.get(experimentId) ?? new Map<string, string | null>();
    valuesByPath.set(paramPath, valueText ?? valueJson);
    texts.set(experimentId, valuesByPath);
  }
  const getParams = (row: Row): ParamTexts =>
    Object.fromEntries(paths.map((path) => [path, texts.get(row.experimentId)?.get(path) ?? null]));
  return rows.map((row) => ({ ...row, params: getParams(row) }));
}
