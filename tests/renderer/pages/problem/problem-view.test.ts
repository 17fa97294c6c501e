import { expect, test } from 'vitest';
import { endpointUrl } from '#renderer/api/client.ts';
import {
  parseProblemView,
  shortInstanceLabel,
  toProblemQuery,
} from '#renderer/pages/problem/problem-view.ts';

test('an address without a choice compares all algorithms of the instance the service chooses', () => {
  const view = parseProblemView({});
  expect(view).toEqual({
    direction: undefined,
    target: undefined,
    instance: '',
    algorithms: [],
    groupBy: 'algorithm',
  });
  const url = endpointUrl('compareProblem', {
    params: { problemType: 'onemax' },
    query: toProblemQuery(view),
  });
  expect(url).toBe('/api/analysis/problem/onemax');
});

test('every choice of the address is asked of the service', () => {
  const view = parseProblemView({
    algorithm: ['umda', ' pbil ', 'umda', ''],
    instance: 'da9d',
    by: 'model',
    target: '39',
    direction: 'max',
  });
  const url = endpointUrl('compareProblem', {
    params: { problemType: 'one max' },
    query: toProblemQuery(view),
  });
  expect(url).toBe(
    '/api/analysis/problem/one%20max?direction=max&target=39&instance=da9d&algorithm=umda&algorithm=pbil&groupBy=model',
  );
});

test('one algorithm may stand alone, and an unknown grouping is none', () => {
  expect(parseProblemView({ algorithm: 'umda' }).algorithms).toEqual(['umda']);
  expect(parseProblemView({ by: 'colour' }).groupBy).toBe('algorithm');
});

test('an instance is named by what tells it from others', () => {
  expect(shortInstanceLabel('onemax, length 40', 'onemax')).toBe('length 40');
  expect(shortInstanceLabel('onemax', 'onemax')).toBe('onemax');
});
