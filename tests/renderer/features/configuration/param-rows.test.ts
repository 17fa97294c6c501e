import { expect, test } from 'vitest';
import type { ParamRow } from '#shared/schemas/run.ts';
import { getMatchingParams, getParamValue } from '#renderer/features/configuration/param-rows.ts';

function param(values: Partial<ParamRow>): ParamRow {
  return {
    id: 1,
    experimentId: 'e',
    section: 'algorithm',
    paramPath: 'algorithm.elitism',
    leafKey: 'elitism',
    valueType: 'string',
    valueText: null,
    valueNumber: null,
    valueBoolean: null,
    valueJson: null,
    ...values,
  };
}

test('a parameter has the value of its type', () => {
  expect(
    getParamValue(param({ valueType: 'number', valueText: '5.0E-4', valueNumber: 0.0005 })),
  ).toBe(0.0005);
  expect(getParamValue(param({ valueType: 'number', valueText: 'NaN' }))).toBe('NaN');
  expect(getParamValue(param({ valueType: 'boolean', valueText: 'true', valueBoolean: 1 }))).toBe(
    'true',
  );
  expect(getParamValue(param({ valueType: 'json', valueJson: '{"a":1}' }))).toBe('{"a":1}');
  expect(getParamValue(param({ valueType: 'null' }))).toBe('null');
  expect(getParamValue(param({ valueText: 'cga' }))).toBe('cga');
  expect(getParamValue(param({}))).toBe('');
});

test('a search finds parameters that contain every word in section, path or value, case ignored', () => {
  const elitism = param({ valueText: 'Strong' });
  const model = param({ section: 'model', paramPath: 'model.type', valueText: 'cga' });
  const params = [elitism, model];
  expect(getMatchingParams(params, '')).toEqual(params);
  expect(getMatchingParams(params, ' ELIT strong ')).toEqual([elitism]);
  expect(getMatchingParams(params, 'type cga')).toEqual([model]);
  expect(getMatchingParams(params, 'type strong')).toEqual([]);
});
