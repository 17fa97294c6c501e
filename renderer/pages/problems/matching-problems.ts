import type { ProblemSummary } from '#shared/schemas/analysis.ts';

/** The problems whose type, or one of whose algorithms, has the text in it, case ignored; all for ''. */
export function matchingProblems(
  problems: readonly ProblemSummary[],
  text: string,
): ProblemSummary[] {
  const needle = text.trim().toLowerCase();
  return problems.filter(({ problemType, algorithms }) =>
    [problemType, ...algorithms].some((name) => name.toLowerCase().includes(needle)),
  );
}
