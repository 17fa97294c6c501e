import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createExperimentRecord } from '#server/recording/recorder.ts';
import {
  nameAlgorithms,
  getCampaignId,
  getCampaigns,
  readStoredExperiments,
  createFunctionNumberGetter,
} from '#server/import/data-set.ts';
import {
  createDataFileReader,
  createLineReader,
  getColumns,
  parseRow,
} from '#server/import/formats/data-file.ts';
import { parseInfoIndex, parseJsonIndex } from '#server/import/formats/indexes.ts';
import { guessScenarios } from '#server/import/formats/unlisted.ts';
import { NoteBook } from '#server/import/notes.ts';
import { type RunGroup, getRows, makeTrace } from '#server/import/run-groups.ts';
import { toIohprofilerSuite } from '#server/import/suites.ts';
import { readTable } from '#server/import/tables/read-table.ts';
import { getProblemInstance } from '#server/domain/problem-instance.ts';

function getIndex(...lines: string[]) {
  const notes = new NoteBook();
  return { scenarios: parseInfoIndex('a/x.info', lines.join('\n'), notes), notes: notes.list() };
}

const header = "funcId = 1, DIM = 2, Precision = 1.000e-008, algId = 'A'";

test('a line of an index may name several data files, each with its runs', () => {
  const { scenarios } = getIndex(
    header,
    '%',
    'd\\one.dat, 1:5|1e-9, 2:6|1e-9, d\\two.dat, 3:7|1e-9',
  );
  expect(scenarios.map(({ data, runs }) => [data, runs.length])).toEqual([
    ['a/d/one', 2],
    ['a/d/two', 1],
  ]);
  expect(scenarios[1]).toMatchObject({ algorithm: 'A', dimension: 2, precision: 1e-8, line: 3 });
});

test('a long name is truncated without splitting a character', () => {
  const name = 'a'.repeat(499);
  const { scenarios } = getIndex(`funcId = 1, DIM = 2, algId = '${name}𝛼'`, '%', 'a.dat, 1:5|0');
  expect(scenarios[0]?.algorithm).toBe(name);
});

test('files of different dimensions under one header are distinguished by their names', () => {
  const { scenarios } = getIndex(header, '%', 'd/f1_DIM2.dat, 1:5|0', 'd/f1_DIM40.dat, 1:9|0');
  expect(scenarios.map(({ dimension }) => dimension)).toEqual([2, 40]);
});

test('a quote within a name does not end it', () => {
  const { scenarios } = getIndex("funcId = 1, DIM = 2, algId = 'O'Neil, 2nd'", '%', 'a.dat, 1:5|0');
  expect(scenarios[0]?.algorithm).toBe("O'Neil, 2nd");
});

test('values after a run of an older IOHprofiler are ignored, and its additional keys are attributes', () => {
  const { scenarios } = getIndex(
    'suite = "PBO", funcId = 1, DIM = 16, maximization = "T", algId = "EA", algInfo = "i", budget = "100"',
    '%',
    'd.dat, 1:4307|10.2;10;x, 1:9|3;1',
  );
  expect(scenarios[0]).toMatchObject({
    direction: 'max',
    attributes: { info: 'i', budget: 100 },
    runs: [
      { instance: 1, evaluations: 4307, isFinalised: true },
      { instance: 1, evaluations: 9, isFinalised: true },
    ],
  });
});

test('an index without a dimension is skipped with a note', () => {
  const { scenarios, notes } = getIndex('funcId = 1', '%', 'd.dat, 1:5|0');
  expect(scenarios).toEqual([]);
  expect(notes).toMatchObject([{ code: 'BAD_INDEX', file: 'a/x.info', line: 3 }]);
});

test('a count that is too large for the database is unknown, not an error', () => {
  const counts = ['4611686018427387904', '9223372036854775808', '9'.repeat(400)];
  const entries = counts.map((count) => `1:${count}|0`).join(', ');
  const { scenarios } = getIndex(header, '%', `d.dat, ${entries}`);
  expect(scenarios[0]?.runs.map(({ evaluations }) => evaluations)).toEqual([2 ** 62, 0, 0]);
});

test('instances and dimensions that are too large for the database are unknown, not an error', () => {
  const { scenarios } = getIndex(header, '%', 'd.dat, 99999999999:5|0');
  expect(scenarios[0]?.runs[0]?.instance).toBe(0);
  const reader = createDataFileReader('d.dat');
  reader.push(
    Buffer.from('% instance = 3000000000\n% function evaluation | indicator value\n1 3\n'),
  );
  const { blocks } = reader.getFile(new Date(0));
  expect(blocks.map(({ instance, values }) => [instance, values])).toEqual([[null, [3]]]);
  const json = JSON.stringify({
    function_id: 1,
    scenarios: [{ dimension: 1e12, path: 'd.dat', runs: [] }],
  });
  const notes = new NoteBook();
  expect(parseJsonIndex('IOHprofiler_f1.json', json, notes)).toEqual([]);
  const message = 'File is not a valid JSON index; its invalid parts are skipped';
  expect(notes.list()).toMatchObject([{ code: 'BAD_JSON', message }]);
});

// ioh 0.4.2 writes nan and inf as attributes of runs.
test('a JSON index with nan and inf, which are no JSON, has all its runs', () => {
  const json = `{ "function_id": 1, "algorithm": {"name": "a nan, inf \\"b\\""}, "scenarios": [{"dimension": 2, "path": "d.dat",
    "runs": [{"instance": 1, "evals": 7, "lr": inf}, {"instance": 2, "evals": 8, "best": {"evals": 0, "y": -inf}, "lr": -nan}]}] }`;
  const notes = new NoteBook();
  const [scenario] = parseJsonIndex('IOHprofiler_f1.json', json, notes) ?? [];
  expect(scenario).toMatchObject({
    algorithm: 'a nan, inf "b"',
    runs: [
      { instance: 1, evaluations: 7 },
      { instance: 2, evaluations: 8 },
    ],
  });
  expect(notes.list()).toEqual([]);
  const startMillis = performance.now();
  expect(parseJsonIndex('IOHprofiler_f1.json', `{${'"\\'.repeat(1_000_000)}`, notes)).toEqual([]);
  expect(performance.now() - startMillis).toBeLessThan(2_000);
});

test.each([
  ['2', 1],
  ['99999999999', 0],
])('a data file of dimension %s that no index lists yet has %i scenarios', (dimension, count) => {
  const reader = createDataFileReader(`data_f1_Sphere/IOHprofiler_f1_DIM${dimension}.dat`);
  reader.push(Buffer.from('evaluations raw_y\n1 3\n'));
  expect(guessScenarios([], [reader.getFile(new Date(0))])).toHaveLength(count);
});

test.each([
  [
    '% function evaluation | noise-free fitness - Fopt (79.48) | best noise-free fitness - Fopt | measured fitness',
    [0, -1, 2, 'coco-old'],
  ],
  [
    '% f evaluations | g evaluations | best noise-free fitness - Fopt | noise-free fitness - Fopt (1)',
    [0, 1, 2, 'coco-new'],
  ],
  ['% function evaluation | indicator value | target hit', [0, -1, 1, 'coco-indicator']],
  [
    '"function evaluation" "current f(x)" "best-so-far f(x)"  "best af(x)+b" sigma',
    [0, -1, 2, 'iohprofiler'],
  ],
  ['evaluations raw_y sigma', [0, -1, 1, 'iohprofiler']],
])(
  'columns are recognised by their names: %s',
  (line, [evaluations, constraintEvaluations, value, format]) => {
    expect(getColumns(line)).toEqual({ evaluations, constraintEvaluations, value, format });
  },
);

test('rows are read with all digits, or not at all', () => {
  const columns = getColumns('evaluations raw_y')!;
  expect(parseRow('1.16044e+06 -7e-15 x', columns)).toMatchObject({
    evaluations: 1_160_440,
    value: -7e-15,
  });
  expect(parseRow('9007199254740993 1.000e-008', columns)?.exactCount).toBe('9007199254740993');
  for (const line of ['5', '5 nan', '5 inf', '5 0x10', '1.5 3', '-1 3', '99999999999999999999 1']) {
    expect(parseRow(line, columns), line).toBeNull();
  }
});

test('rows whose evaluations or constraint evaluations are not whole are not read, also beyond 2^53', () => {
  const columns = getColumns('% f evaluations | g evaluations | best noise-free fitness - Fopt')!;
  for (const line of ['0.5 9007199254740992 1', '9007199254740992 0.5 1', '0.5 0.5 1']) {
    expect(parseRow(line, columns), line).toBeNull();
  }
  expect(parseRow('5 9007199254740992 1', columns)?.exactCount).toBe('9007199254740997');
});

test('an infinite value before the first value of a run of IOHprofiler is no fault', () => {
  const read = (...lines: string[]) => {
    const reader = createDataFileReader('f1.dat');
    reader.push(Buffer.from(`${lines.join('\n')}\n`));
    reader.end();
    const { blocks, notes } = reader.getFile(new Date(0));
    return {
      values: blocks.map(({ values }) => values),
      notes: notes.list().map(({ code, line, count }) => ({ code, line, count })),
    };
  };
  const ioh = 'evaluations raw_y';
  expect(read(ioh, '1 inf', '2 INF', '3 5', '4 2', ioh, '1 -inf', '7 4')).toEqual({
    values: [[5, 2], [4]],
    notes: [],
  });
  const skipped = (line: number, count = 1) => [{ code: 'ROW_SKIPPED', line, count }];
  expect(read(ioh, '1 5', '2 inf').notes).toEqual(skipped(3));
  expect(read(ioh, '1 nan', 'x inf', '3').notes).toEqual(skipped(2, 3));
  const coco = '% f evaluations | g evaluations | best noise-free fitness - Fopt (1)';
  expect(read(coco, '1 0 inf', '2 0 5').notes).toEqual(skipped(2));
});

test.each([
  ['jsonl', ['{"evaluations":1,"best":5}', '{"evaluations":"x"}'], 2],
  ['jsonl', ['no object', '{"evaluations":1,"best":5}', '{"evaluations":"x"}'], 1],
  ['csv', ['evaluations,best', '1,5', 'x,4'], 3],
])('a note about skipped rows of a %s table has the line of the first one', async (...table) => {
  const [extension, lines, line] = table;
  const notes = new NoteBook();
  const bytes = Readable.from([Buffer.from(lines.join('\n'))]);
  await readTable({ path: `a.${extension}`, modifiedAt: new Date(0), bytes }, notes);
  expect(notes.list()).toMatchObject([{ code: 'ROW_SKIPPED', line }]);
});

test('lines do not depend on the chunks of the bytes', () => {
  const bytes = Buffer.from('one\r\ntwo\n\nfour');
  for (const size of [1, 2, 5, 100]) {
    const lines: [string, number, boolean][] = [];
    const reader = createLineReader((...line) => lines.push(line));
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    reader.end();
    expect(lines).toEqual([
      ['one', 1, true],
      ['two', 2, true],
      ['', 3, true],
      ['four', 4, false],
    ]);
  }
});

test('a trace joins the files of a run, contains its improvements and ends at the last evaluation', () => {
  const dat = { evaluations: [1, 5, 9], values: [4, 2, 1] };
  const tdat = { evaluations: [1, 3, 9, 12], values: [4, 3, 1, 7] };
  const trace = makeTrace([dat, tdat], 'min', 20);
  expect(Array.from(getRows(trace).evaluations)).toEqual([1, 3, 5, 9, 20]);
  expect(Array.from(getRows(trace).values)).toEqual([4, 3, 2, 1, 1]);
  expect(trace.usedEvaluations).toBe(20);
  expect(getRows(makeTrace([], 'max', 0)).values.length).toBe(0);
});

const sphere: RunGroup = {
  format: 'coco-old',
  algorithm: 'A',
  attributes: {},
  problemAttributes: {},
  suite: 'bbob',
  functionId: '1',
  functionName: 'Sphere',
  dimension: 2,
  direction: 'min',
  precision: 1e-8,
  runs: [],
};

test('the same problem is one instance for all loggers', () => {
  const groups = [sphere, { ...sphere, format: 'iohprofiler' as const, attributes: { info: 'x' } }];
  const campaigns = getCampaigns('set', groups);
  const configs = campaigns.flatMap(({ experiments }) =>
    experiments.map((experiment) => experiment.record.columns.config_json),
  );
  expect(new Set(campaigns.map(({ campaignId }) => campaignId)).size).toBe(2);
  expect(new Set(configs.map((config) => getProblemInstance(config).id)).size).toBe(1);
});

test('the configuration of an experiment describes the problem, with sorted keys', () => {
  const [campaign] = getCampaigns('2009', [{ ...sphere, algorithm: 'DIRECT' }]);
  const { record } = campaign!.experiments[0]!;
  expect(JSON.parse(record.columns.config_json)).toEqual({
    algorithm: { params: {}, type: 'DIRECT' },
    import: { dataset: '2009', format: 'coco-old', precision: 1e-8 },
    model: { type: 'none' },
    problem: {
      params: {
        dimension: 2,
        direction: 'min',
        functionId: 1,
        functionName: 'Sphere',
        suite: 'bbob',
      },
      type: 'coco-bbob',
    },
    replacement: { type: 'none' },
    representation: { params: { length: 2 }, type: 'real-vector' },
    run: { name: 'DIRECT bbob f1 d2' },
    schema: '3.0',
    selection: { type: 'none' },
    stopping: { targetFitness: 1e-8, type: 'imported' },
  });
  expect(
    createExperimentRecord(JSON.parse(record.columns.config_json) as never).params.length,
  ).toBeGreaterThan(20);
});

describe('the name of an algorithm', () => {
  const noNames = new Map<string, string>();
  const getNames = (source: string[], chosenNames = noNames, earlierNames = noNames) => [
    ...nameAlgorithms('my runs', source, chosenNames, earlierNames).values(),
  ];

  test('is that of the data set for a single algorithm with a placeholder as its name', () => {
    expect(getNames(['RS'])).toEqual(['my runs']);
    expect(getNames(['RS', 'A'])).toEqual(['RS', 'A']);
  });

  test('is the chosen name, else that of an earlier import', () => {
    const [chosenNames, earlierNames] = [new Map([['A', 'CMA-ES']]), new Map([['RS', 'random']])];
    expect(getNames(['RS', 'A', 'B'], chosenNames, earlierNames)).toEqual([
      'random',
      'CMA-ES',
      'B',
    ]);
    expect(getNames(['RS'], new Map([['RS', 'DE']]), earlierNames)).toEqual(['DE']);
  });
});

test('data of an unknown suite are experiments, unless their campaign is stored', () => {
  const groups = [{ ...sphere, suite: 'unknown_suite', format: 'iohprofiler' as const }];
  const [firstCampaign] = getCampaigns('set', groups);
  expect(firstCampaign).toMatchObject({ campaignId: null, suite: null });
  const campaignId = getCampaignId('set', groups[0]!);
  const [storedCampaign] = getCampaigns('set', groups, {
    storedCampaignIds: new Set([campaignId]),
  });
  expect(storedCampaign).toMatchObject({ campaignId, suite: 'unknown_suite' });
  expect(storedCampaign!.experiments[0]!.record).toEqual(firstCampaign!.experiments[0]!.record);
});

test('functions with numeric ids keep their numbers; other ids and further names of an id get unused numbers', () => {
  const of = (functionId: string, functionName: string | null = null) => ({
    functionId,
    functionName,
    problemAttributes: {},
  });
  const functions = [of('bla'), of('2'), of('2', 'Other'), of('blubb')];
  const getNumber = createFunctionNumberGetter(functions);
  expect(functions.map(getNumber)).toEqual([1, 2, 4, 3]);
});

test('functions keep their stored numbers, unless their name has another id', () => {
  const makeGroup = (functionId: string, functionName: string, rotation = 0.5): RunGroup => ({
    format: 'iohprofiler',
    algorithm: 'A',
    attributes: {},
    suite: 'own',
    functionId,
    functionName,
    dimension: 2,
    direction: 'max',
    precision: null,
    runs: [],
    problemAttributes: { rotation },
  });
  const listNumbers = (groups: readonly RunGroup[], configs: readonly string[] = []) => {
    const storedExperiments = readStoredExperiments(
      configs.map((configText, index) => ({ experimentId: `e${index}`, configText })),
    );
    const campaigns = getCampaigns('set', groups, { storedExperiments });
    return campaigns.flatMap(({ experiments }) => experiments);
  };
  const stored = listNumbers([
    makeGroup('23', 'NQueens'),
    makeGroup('23', 'Katsuura'),
    makeGroup('x', 'X'),
    makeGroup('x', 'X', 2),
    makeGroup('7', 'Y'),
  ]);
  const configs = stored.map(({ record }) => record.columns.config_json);
  expect(stored.map(({ functionNumber }) => functionNumber)).toEqual([1, 23, 2, 3, 7]);
  const groups = [
    makeGroup('x', 'X', 2),
    makeGroup('23', 'NQueens'),
    makeGroup('a', 'A'),
    makeGroup('8', 'Y'),
  ];
  const numbers = listNumbers(groups, configs).map(({ functionNumber }) => functionNumber);
  expect(numbers).toEqual([3, 1, 4, 8]);
  // An earlier version numbered the functions of each part separately.
  const parts = [[makeGroup('b', 'B')], [makeGroup('a', 'A'), makeGroup('b', 'B')]];
  const partConfigs = parts.flatMap((part) =>
    listNumbers(part).map(({ record }) => record.columns.config_json),
  );
  for (const storedConfigs of [partConfigs, partConfigs.toReversed()]) {
    const numbersOfParts = parts.map((part) =>
      listNumbers(part, storedConfigs).map(({ functionNumber }) => functionNumber),
    );
    expect(numbersOfParts).toEqual([[1], [1, 2]]);
  }
});

test('an id of IOHprofiler belongs to a suite only with its name', () => {
  expect(toIohprofilerSuite('unknown_suite', '23', 'NQueens')).toBe('PBO');
  expect(toIohprofilerSuite('unknown_suite', '23', 'Katsuura')).toBe('bbob');
  expect(toIohprofilerSuite(null, '23', null)).toBe('unknown_suite');
  expect(toIohprofilerSuite('BBOB', '23', null)).toBe('bbob');
  expect(toIohprofilerSuite('own', '1', 'Sphere')).toBe('own');
});
