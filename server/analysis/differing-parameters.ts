import { hash } from 'node:crypto';
import type { WholeParam } from '#server/repositories/params.ts';
import { isIncidental } from '#server/domain/problem-instance.ts';
import { maskShownParam } from '#server/domain/secrets/params.ts';
import type { RunsOverlay } from '#shared/schemas/analysis-runs.ts';

/** Longest value that is sent whole, in characters. */
const longestValue = 200;

/**
 * The parameters of runs by path, those that do not say the same for all of them apart, those that only name or store
 * last among these. `experimentIds` are those of the runs, in order. Secrets are hidden before they are compared, so two
 * of them are equal. A long value is cut, with its length and a sum that tells it from others.
 */
export function compareParameters(
  params: readonly WholeParam[],
  experimentIds: readonly string[],
): RunsOverlay['parameters'] {
  const byPath = Map.groupBy(params, ({ paramPath }) => paramPath);
  const rows = Array.from(byPath, ([path, own]) => {
    const valueOf = new Map(own.map((param) => [param.experimentId, shownValue(param)]));
    const values = experimentIds.map((id) => valueOf.get(id) ?? null);
    return { path, isIncidental: isIncidental(own[0]?.section ?? ''), values };
  });
  const differs = ({ values }: { values: readonly (string | null)[] }) => new Set(values).size > 1;
  return {
    differing: rows
      .filter(differs)
      .toSorted((a, b) => Number(a.isIncidental) - Number(b.isIncidental)),
    equal: rows
      .filter((row) => !differs(row))
      .map(({ path, values }) => ({ path, value: values[0] ?? null })),
  };
}

function shownValue({ paramPath, valueType, valueText, valueJson }: WholeParam): string | null {
  if (valueType === 'null') return 'null';
  const text = maskShownParam(paramPath, valueText ?? valueJson);
  if (text === null || text.length <= longestValue) return text;
  const sum = hash('sha256', text).slice(0, 8);
  return `${text.slice(0, longestValue)}… (${text.length} characters, ${sum})`;
}
