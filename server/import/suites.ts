/**
 * IOHprofiler's names of the BBOB functions, in the order of their ids. COCO's suites `bbob-largescale` and
 * `bbob-mixint` use the same ids.
 */
const bbobNames = [
  'Sphere',
  'Ellipsoid',
  'Rastrigin',
  'BuecheRastrigin',
  'LinearSlope',
  'AttractiveSector',
  'StepEllipsoid',
  'Rosenbrock',
  'RosenbrockRotated',
  'EllipsoidRotated',
  'Discus',
  'BentCigar',
  'SharpRidge',
  'DifferentPowers',
  'RastriginRotated',
  'Weierstrass',
  'Schaffers10',
  'Schaffers1000',
  'GriewankRosenBrock',
  'Schwefel',
  'Gallagher101',
  'Gallagher21',
  'Katsuura',
  'LunacekBiRastrigin',
];

/** Names of the functions of IOHprofiler's suite of pseudo-Boolean optimisation (PBO), in the order of their ids. */
const pboNames = [
  'OneMax',
  'LeadingOnes',
  'Linear',
  'OneMaxDummy1',
  'OneMaxDummy2',
  'OneMaxNeutrality',
  'OneMaxEpistasis',
  'OneMaxRuggedness1',
  'OneMaxRuggedness2',
  'OneMaxRuggedness3',
  'LeadingOnesDummy1',
  'LeadingOnesDummy2',
  'LeadingOnesNeutrality',
  'LeadingOnesEpistasis',
  'LeadingOnesRuggedness1',
  'LeadingOnesRuggedness2',
  'LeadingOnesRuggedness3',
  'LABS',
  'IsingRing',
  'IsingTorus',
  'IsingTriangular',
  'MIS',
  'NQueens',
  'ConcatenatedTrap',
  'NKLandscapes',
];

/** Suite of data of IOHprofiler, and of tables with instances, whose suite is unknown. */
export const unknownSuite = 'unknown_suite';

const namesBySuite: Readonly<Record<string, readonly string[]>> = {
  bbob: bbobNames,
  'bbob-largescale': bbobNames,
  'bbob-mixint': bbobNames,
  PBO: pboNames,
};

/** Returns the name of a function in a suite by its id; null if the suite has no names or no such id. */
export function findFunctionName(suite: string, functionId: string): string | null {
  return namesBySuite[suite]?.[Number(functionId) - 1] ?? null;
}

/**
 * Returns the suite of IOHprofiler data: the stated suite, with the usual letter case of `bbob` and `PBO`. Most data
 * state `unknown_suite` or no suite. For these data, returns `bbob` or `PBO` if that suite has a function with this id
 * and name, otherwise `unknown_suite`. The id alone is ambiguous: 23 is NQueens or Katsuura.
 */
export function toIohprofilerSuite(
  suiteName: string | null,
  functionId: string,
  functionName: string | null,
): string {
  if (suiteName && suiteName !== unknownSuite)
    return /^(bbob|pbo)$/i.test(suiteName) ? toCanonicalName(suiteName) : suiteName;
  const suite = ['bbob', 'PBO'].find(
    (candidate) =>
      functionName !== null && findFunctionName(candidate, functionId) === functionName,
  );
  return suite ?? unknownSuite;
}

function toCanonicalName(suite: string): string {
  return /^bbob$/i.test(suite) ? 'bbob' : 'PBO';
}

/**
 * Returns the suite of COCO data. Data since version 2.0 state the suite. For other data, the suite is `bbob-biobj` for
 * values of an indicator, `bbob-noisy` for ids of functions above 100, and `bbob` for the rest.
 */
export function toCocoSuite(
  suiteName: string | null,
  functionId: string,
  isIndicator: boolean,
): string {
  if (suiteName) return suiteName;
  if (isIndicator) return 'bbob-biobj';
  return Number(functionId) > 100 ? 'bbob-noisy' : 'bbob';
}

/**
 * Returns whether a suite is one of BBOB. The values in the data of such a suite are differences from the optimum, so a
 * target precision applies to them.
 */
export function isBbobSuite(suite: string): boolean {
  return suite.startsWith('bbob');
}
