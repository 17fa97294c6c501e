import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  getChips,
  makeFacetFilter,
  getNames,
  readFilters,
  getClearingChanges,
  makeWordFilter,
  type Filter,
} from '#renderer/features/explorer/filters.ts';
import { getTexts } from '#renderer/state/url-kinds.ts';

const filters: readonly Filter[] = [
  { kind: 'search', label: 'Search runs', placeholder: 'Search' },
  makeFacetFilter('algorithm', 'Algorithm', 'algorithms'),
  makeWordFilter('status', 'Status', () => ['RUNNING', 'FAILED']),
  { kind: 'times', label: 'Started', verb: 'started' },
  { kind: 'numbers', label: 'Best', names: ['minBest', 'maxBest'] },
  { kind: 'params' },
];

const read = (search: string) => {
  const params = new URLSearchParams(search);
  return readFilters(filters, (name) => getTexts(params.getAll(name)));
};

describe('the filters of an address', () => {
  test('are none if it has none', () => {
    expect(read('')).toEqual({});
    expect(getChips(filters, {})).toEqual([]);
  });

  test('are read by the names of the service, several values of a choice among them', () => {
    expect(
      read('?q=+onemax+&algorithm=umda&algorithm=pbil&from=2026-11-21T09:55Z&maxBest=1e-3&page=2'),
    ).toEqual({
      q: ['onemax'],
      algorithm: ['umda', 'pbil'],
      from: ['2026-11-21T09:55Z'],
      maxBest: ['1e-3'],
    });
  });

  test('are ignored if the service would refuse them', () => {
    expect(read('?from=yesterday&to=2026-13-40&minBest=abc&maxBest=Infinity&param=x&q=')).toEqual(
      {},
    );
    expect(read('?minBest=1&minBest=2')).toEqual({ minBest: ['1'] });
    expect(read(`?q=${'a'.repeat(300)}`)['q']?.[0]).toHaveLength(200);
    expect(read(`?q=${'a'.repeat(199)}𝛼`)['q']).toEqual(['a'.repeat(199)]);
  });

  test('keep the conditions on parameters that are well formed', () => {
    const params = new URLSearchParams([
      ['param', 'populationSize > 50'],
      ['param', 'populationSize >'],
    ]);
    expect(readFilters(filters, (name) => params.getAll(name))).toEqual({
      param: ['populationSize > 50'],
    });
  });
});

describe('chips', () => {
  test('show each filter in the order of the bar, and remove only that one', () => {
    const chips = getChips(
      filters,
      read('?maxBest=0&status=FAILED&algorithm=umda&algorithm=pbil&q=x'),
    );
    expect(chips).toEqual([
      { text: 'search: x', without: { q: [] } },
      { text: 'algorithm: umda', without: { algorithm: ['pbil'] } },
      { text: 'algorithm: pbil', without: { algorithm: ['umda'] } },
      { text: 'status: FAILED', without: { status: [] } },
      { text: 'best ≤ 0', without: { maxBest: [] } },
    ]);
  });

  test('show the text of a value, but filter by the value', () => {
    const optimizer = makeWordFilter(
      'optimizer',
      'Optimizer',
      () => ['cma-es'],
      (id) => (id === 'cma-es' ? 'Tuned CMA' : id),
    );
    expect(getChips([optimizer], { optimizer: ['cma-es', 'pso'] })).toEqual([
      { text: 'optimizer: Tuned CMA', without: { optimizer: ['pso'] } },
      { text: 'optimizer: pso', without: { optimizer: ['cma-es'] } },
    ]);
  });

  test('show the event and its time, and conditions unchanged', () => {
    const chips = getChips(filters, { from: ['2026-11-21T09:55Z'], param: ['a.b = 1'] });
    expect(chips.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^started from .*21/),
      'a.b = 1',
    ]);
  });
});

describe('in another time zone', () => {
  const former = process.env.TZ;
  beforeEach(() => {
    process.env.TZ = 'Asia/Kolkata';
  });
  afterEach(() => {
    if (former === undefined) delete process.env.TZ;
    else process.env.TZ = former;
  });

  test.each(['2026-11-21T20:00Z', '2026-11-21T20:00', '2026-11-21 20:00', '2026-11-21T21:00+0100'])(
    'a chip shows %s as local time, without a zone as UTC',
    (from) => {
      const [chip] = getChips(filters, { from: [from] });
      expect(chip?.text).toBe('started from 22 Nov 2026 01:30');
    },
  );

  test('the chip of a date shows the start of its day as the first time and the end as the last', () => {
    const chips = getChips(filters, { from: ['2026-11-21'], to: ['2026-11-21'] });
    expect(chips.map(({ text }) => text)).toEqual([
      'started from 21 Nov 2026 05:30',
      'started to 22 Nov 2026 05:29',
    ]);
  });
});

test('clearing drops every filter and the page, and nothing else', () => {
  expect(Object.keys(getClearingChanges(filters))).toEqual([...filters.flatMap(getNames), 'page']);
  expect(Object.values(getClearingChanges(filters)).every((text) => text === undefined)).toBe(true);
});

test('a choice among values of the database offers them with their counts, and none before they are known', () => {
  const [, algorithm] = filters;
  if (algorithm?.kind !== 'choice') throw new Error('no choice');
  expect(algorithm.options(undefined)).toEqual([]);
  const facets = { algorithms: ['umda'], runCounts: { algorithms: { umda: 24 } } };
  expect(algorithm.options(facets as never)).toEqual([{ value: 'umda', count: 24 }]);
});
