/** Functions of BBOB in the order of their ids, by IOHprofiler's names; COCO's larger suites number them alike. */
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

/** Functions of IOHprofiler's suite of pseudo-Boolean optimisation in the order of their ids. */
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

/** Suite of data that name none that is known. */
export const unknownSuite = 'unknown_suite';

const namesBySuite: Readonly<Record<string, readonly string[]>> = {
  bbob: bbobNames,
  'bbob-largescale': bbobNames,
  'bbob-mixint': bbobNames,
  PBO: pboNames,
};

/** The name of a function in a suite by its id, where the suite has names; else null. */
export function functionNameIn(suite: string, functionId: string): string | null {
  return namesBySuite[suite]?.[Number(functionId) - 1] ?? null;
}

/**
 * The suite of data of IOHprofiler, which mostly says `unknown_suite`: the stated one, else the one that has a
 * function of this id and this name. An id alone says nothing: 23 is NQueens or Katsuura.
 */
export function iohprofilerSuite(
  stated: string | null,
  functionId: string,
  functionName: string | null,
): string {
  if (stated && stated !== unknownSuite)
    return /^(bbob|pbo)$/i.test(stated) ? usual(stated) : stated;
  const suite = ['bbob', 'PBO'].find(
    (known) => functionName !== null && functionNameIn(known, functionId) === functionName,
  );
  return suite ?? unknownSuite;
}

function usual(suite: string): string {
  return /^bbob$/i.test(suite) ? 'bbob' : 'PBO';
}

/** Returns the suite of COCO data, which name it since version 2.0; in older data the id of the function decides. */
export function cocoSuite(stated: string | null, functionId: string, isIndicator: boolean): string {
  if (stated) return stated;
  if (isIndicator) return 'bbob-biobj';
  return Number(functionId) > 100 ? 'bbob-noisy' : 'bbob';
}

/** Whether the values of a suite are precisions, so that its logger's target says when a run has solved it. */
export function isBbobLike(suite: string): boolean {
  return suite.startsWith('bbob');
}
