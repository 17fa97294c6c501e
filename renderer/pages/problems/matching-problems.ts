import type { ProblemSummary } from '#shared/schemas/analysis.ts';

/** Returns the problems whose type or algorithms contain the text, ignoring case; all for ''. */
export function getMatchingProblems(
  problems: readonly ProblemSummary[],
  text: string,
): ProblemSummary[] {
  const needle = text.trim().toLowerCase();
  return problems.filter(({ problemType, algorithms }) =>
    [problemType, ...algorithms].some((name) => name.toLowerCase().includes(needle)),
  );
}
