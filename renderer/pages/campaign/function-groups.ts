/** A group of functions with its own chart. */
export interface Part {
  id: string;
  title: string;
  functionId: readonly string[];
}

const groups: readonly [from: number, to: number, name: string][] = [
  [1, 5, 'separable'],
  [6, 9, 'moderate conditioning'],
  [10, 14, 'ill-conditioned'],
  [15, 19, 'multi-modal'],
  [20, 24, 'weakly structured'],
];

const noisyGroups: typeof groups = [
  [101, 106, 'moderate noise'],
  [107, 121, 'severe noise'],
  [122, 130, 'multi-modal, severe noise'],
];

/** The suites whose 24 functions are grouped like those of bbob; Hansen et al. 2009. */
const groupedAsBbob = /^bbob(-largescale|-mixint)?$/i;

/**
 * Returns the groups of a suite that contain any of these functions; none for a suite without groups. Functions that
 * are not among a selection are omitted; an empty selection is all.
 */
export function getFunctionGroups(
  suite: string,
  functions: readonly number[],
  selection: readonly string[] = [],
): Part[] {
  const suiteGroups = groupedAsBbob.test(suite)
    ? groups
    : /^bbob-noisy$/i.test(suite)
      ? noisyGroups
      : [];
  return suiteGroups.flatMap(([from, to, name]) => {
    const own = functions
      .filter((functionId) => functionId >= from && functionId <= to)
      .map(String)
      .filter((functionId) => selection.length === 0 || selection.includes(functionId));
    if (own.length === 0) return [];
    const title = `f${from}–f${to}, ${name}`;
    return [{ id: `f${from}-${to}`, title, functionId: own }];
  });
}
