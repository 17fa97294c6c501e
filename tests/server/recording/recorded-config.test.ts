import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ConfigObject, type ConfigValue, isConfigObject } from '#server/domain/config.ts';
import { makeRecordedConfig } from '#server/recording/recorded-config.ts';
import { hashConfig } from '#server/recording/recorder.ts';

const getId = (config: ConfigObject) => hashConfig(makeRecordedConfig(config));

const leaf = fc.constantFrom<ConfigValue>(null, true, 1, 2.5, 'a', 'DE');
const keys = ['type', 'name', 'params', 'x', 'dimension', 'maxEvaluations', 'targetFitness'];
/** Few keys and values, so that many values have the same position. */
const value = fc.letrec<{ value: ConfigValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const sections = ['algorithm', 'problem', 'stopping', 'model', 'grammar', 'recording', 'schema'];
// `name` at the top names the run, as `run` does.
const topKeys = [...sections, ...keys, 'budget', 'target', 'direction'].filter(
  (key) => key !== 'name',
);
const config = fc.dictionary(fc.constantFrom(...topKeys), value, { noNullPrototype: true });

/** Returns copies of a value with another scalar, or a list, in the position of it or of one of its members. */
function listChanges(original: ConfigValue): ConfigValue[] {
  const members = Array.isArray(original)
    ? original.flatMap((member, i) => listChanges(member).map((other) => original.with(i, other)))
    : isConfigObject(original)
      ? Object.entries(original).flatMap(([key, member]) =>
          listChanges(member).map((other) => ({ ...original, [key]: other })),
        )
      : [];
  return ['another value', [original, 'another value'], ...members];
}

describe('the experiment of a recorded configuration', () => {
  test('is another one after a change of any value, list or section', () => {
    fc.assert(
      fc.property(config, (original) => {
        const id = getId(original);
        const changedConfigs = listChanges(original).filter(isConfigObject);
        expect(changedConfigs.filter((changed) => getId(changed) === id)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [
      { algorithm: 'CMA-ES', problem: 'sphere', dimension: 10, budget: 1_000, popsize: 12 },
      'd334fdb7021a04a790ab35b07636aa430c21a938dc4a353116039a4a2afcc40b',
    ],
    [
      {
        algorithm: { type: 'DE', params: { F: 0.5 }, CR: 0.9 },
        problem: { type: 'f', name: 'g' },
        stopping: { maxEvaluations: 500 },
        budget: 500,
      },
      '3f59a2dba8847dd12b8e4b6597d20a5aa7fa2cf3d20054f788774a6c8848a24c',
    ],
    [
      {
        algorithm: 'DE',
        params: { F: 0.5 },
        model: null,
        run: 7,
        name: 'a',
        recording: { client: 'evoscope-python', version: '1' },
      },
      'b012926a591aa3c686d98575ea8128217f2a6d34b237f4aed8117fa3dc40aff8',
    ],
  ])('remains that of the stored runs of %j', (original, id) => {
    expect(getId(original)).toBe(id);
  });

  test('may have 2000 values, without the configuration itself', () => {
    const makeConfig = (elementCount: number): ConfigObject => ({
      list: Array.from({ length: elementCount }, () => 0),
    });
    expect(() => makeRecordedConfig(makeConfig(1_999))).not.toThrow();
    expect(() => makeRecordedConfig(makeConfig(2_000))).toThrow(
      'config must have at most 2000 values',
    );
  });
});
