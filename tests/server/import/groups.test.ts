import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createDataFileReader } from '#server/import/formats/data-file.ts';
import { parseInfoIndex, parseJsonIndex } from '#server/import/formats/indexes.ts';
import { guessScenarios } from '#server/import/formats/unlisted.ts';
import { NoteBook } from '#server/import/notes.ts';
import { groupRuns, joinRuns } from '#server/import/run-groups.ts';
import { groupTables } from '#server/import/tables/group-table.ts';
import { readTable } from '#server/import/tables/read-table.ts';

const rows = 'evaluations raw_y\n1 3\n2 5\n';

function readDataFile(path: string, text = rows) {
  const reader = createDataFileReader(path);
  reader.push(Buffer.from(text));
  return reader.getFile(new Date(0));
}

/** Reads an index of OneMax that states `maximization`, in this folder. */
function readIndex(folder: string, maximization: 'T' | 'F') {
  const lines = [
    `suite = "PBO", funcId = 1, DIM = 16, maximization = "${maximization}", algId = "EA"`,
    '%',
    'd.dat, 1:2|5',
  ];
  return parseInfoIndex(`${folder}/x.info`, lines.join('\n'), new NoteBook());
}

test('runs of an algorithm have one direction, with a note if their indexes state both', () => {
  const group = (...directions: ('T' | 'F')[]) => {
    const notes = new NoteBook();
    const scenarios = directions.flatMap((direction, index) => readIndex(`f${index}`, direction));
    const files = directions.map((_, index) => readDataFile(`f${index}/d.dat`));
    const groups = groupRuns(joinRuns(scenarios, files, notes), notes);
    return [groups.map(({ direction, runs }) => [direction, runs.length]), notes.list()];
  };
  expect(group('F', 'F')).toEqual([[['min', 2]], []]);
  expect(group('F', 'T')).toMatchObject([
    [['min', 2]],
    [{ code: 'DIRECTIONS_CONFLICT', file: 'f1/x.info' }],
  ]);
});

test('a run that is not the first in its data file has the instance of the index that states its best row', () => {
  // IOHprofiler 0.4.2 lists the last of these runs of Rosenbrock only, because its trigger Each(10) skips evaluation 1.
  const blocks = [
    '10 4264.1645054828\n20 243.1654396241\n',
    '10 13.6324993770\n25 78.8214265627\n',
  ];
  const text = blocks.map((block) => `evaluations raw_y\n${block}`).join('');
  const getRuns = (bestValue: number) => {
    const index = {
      function_id: 8,
      maximization: false,
      scenarios: [
        {
          dimension: 2,
          path: 'd.dat',
          runs: [{ instance: 2, evals: 25, best: { evals: 10, y: bestValue } }],
        },
      ],
    };
    const notes = new NoteBook();
    const scenarios = parseJsonIndex('IOHprofiler_f8.json', JSON.stringify(index), notes) ?? [];
    const runs = joinRuns(scenarios, [readDataFile('d.dat', text)], notes);
    return runs.map(({ instance, blocks: [block] }) => [instance, block?.evaluations.at(-1)]);
  };
  expect(getRuns(13.632499377000828)).toEqual([
    [2, 25],
    [null, 20],
  ]);
  // An index of transformed values has no row in the data file.
  expect(getRuns(-3)).toEqual([
    [2, 20],
    [null, 25],
  ]);
});

test('equal lines of an index are several runs if the data file has as many, otherwise one', () => {
  const header = 'suite = "PBO", funcId = 1, DIM = 16, algId = "EA"\n%\n';
  const index = ['1:2|5', '2:2|5', '1:2|5', '3:2|5'].map((run) => `${header}d.dat, ${run}\n`);
  const getInstances = (blockCount: number) => {
    const notes = new NoteBook();
    const scenarios = parseInfoIndex('x.info', index.join(''), notes);
    const file = readDataFile('d.dat', rows.repeat(blockCount));
    const runs = joinRuns(scenarios, [file], notes);
    return [runs.map(({ instance }) => instance), notes.list().map(({ code }) => code)];
  };
  expect(getInstances(4)).toEqual([[1, 2, 1, 3], []]);
  expect(getInstances(3)).toEqual([[1, 2, 3], ['DUPLICATE_ENTRY']]);
});

test('the name of a data file states the suite if the index next to it has an empty one', () => {
  const [scenario] = readIndex('a', 'F');
  const file = readDataFile('a/bbob-biobj_f2_DIM2.dat');
  expect(guessScenarios([{ ...scenario!, suite: '' }], [file])).toMatchObject([
    { suite: 'bbob-biobj', functionId: '2' },
  ]);
});

/** Returns the groups of a table with these lines. */
async function groupTable(...lines: string[]) {
  return (await readGroups(lines)).groups;
}

async function readGroups(lines: readonly string[]) {
  const notes = new NoteBook();
  const bytes = Readable.from([Buffer.from(`${lines.join('\n')}\n`)]);
  const table = await readTable({ path: 'a.csv', modifiedAt: new Date(0), bytes }, notes);
  return { groups: groupTables([table!], notes, undefined), notes: notes.list() };
}

test('a suite of BBOB in capitals is the same problem as in lower case', async () => {
  expect(await groupTable('problem,evaluations,best', 'BBOB-f8,10,3', 'bbob-8,20,2')).toMatchObject(
    [{ suite: 'bbob', functionId: '8', functionName: 'Rosenbrock', precision: 1e-8 }],
  );
});

test('rows of a table without a direction belong to the run whose other rows state one', async () => {
  const groups = await groupTable(
    'evaluations,best,direction',
    '1,5,',
    '2,6,max',
    '3,4,',
    '9,6,max',
  );
  expect(groups).toMatchObject([
    { direction: 'max', runs: [{ repetition: 1, trace: { usedEvaluations: 9 } }] },
  ]);
});

test.each([
  { rows: ['1,1,5,min', '2,1,7,max'], isConflict: true },
  { rows: ['1,1,5,min', '1,2,4,max'], isConflict: true },
  { rows: ['1,1,5,min', '2,1,7,'], isConflict: false },
])('directions in $rows have a note if they differ', async ({ rows: lines, isConflict }) => {
  const { groups, notes } = await readGroups(['seed,evaluations,best,direction', ...lines]);
  expect(groups.map(({ direction }) => direction)).toEqual(['min']);
  const messages = notes.filter(({ code }) => code === 'DIRECTIONS_CONFLICT');
  expect(messages.map(({ message }) => message)).toEqual(
    isConflict
      ? [
          'The data state both minimisation and maximisation for an algorithm on a problem. The first one applies to all its runs there. Correct the data, or give the algorithms different names, and replace the data set (problem)',
        ]
      : [],
  );
});

test('the target of a problem is the precision of COCO, unless it is maximised', async () => {
  const groupLogged = (header: string, data: string) => {
    const notes = new NoteBook();
    const scenarios = parseInfoIndex('x.info', `${header}\n%\nd.dat, 1:2|5`, notes);
    return groupRuns(joinRuns(scenarios, [readDataFile('d.dat', data)], notes), notes);
  };
  const coco = 'suite = "sbox-cost", funcId = 1, DIM = 2, Precision = 1.000e-07, algId = "A"';
  const cocoRows = '% f evaluations | best noise-free fitness - Fopt\n1 3\n';
  expect(groupLogged(coco, cocoRows)).toMatchObject([{ direction: 'min', precision: 1e-7 }]);
  const sphere = 'suite = "bbob", funcId = 1, DIM = 2, maximization = "T", algId = "A"';
  expect(groupLogged(sphere, rows)).toMatchObject([{ direction: 'max', precision: null }]);
  const [group] = await groupTable('problem,evaluations,best,direction', 'bbob-f1,1,-3,max');
  expect(group).toMatchObject({ direction: 'max', precision: null });
});

test('values of an indicator have a note, because they are no objective values', () => {
  const index = "suite = 'bbob-biobj', function = 1, dim = 2, algorithm = 'A'\n%\nd.dat, 1:2|5";
  const notes = new NoteBook();
  const scenarios = parseInfoIndex('x.info', index, notes);
  const file = readDataFile('d.dat', '% function evaluation | indicator value\n1\t3\n');
  groupRuns(joinRuns(scenarios, [file], notes), notes);
  expect(notes.list().map(({ message }) => message)).toEqual([
    'Values of problems with two objectives are distances from a reference value of the hypervolume indicator, not objective values',
  ]);
});

test('functions of a suite with "bbob" in its name are minimised if no index states a direction', () => {
  const getGroups = (suite: string) => {
    const notes = new NoteBook();
    const index = `suite = "${suite}", funcId = 1, DIM = 2, algId = "A"\n%\nd.dat, 1:2|5`;
    const scenarios = parseInfoIndex('x.info', index, notes);
    return groupRuns(joinRuns(scenarios, [readDataFile('d.dat')], notes), notes);
  };
  expect(getGroups('My_BBOB')).toMatchObject([{ direction: 'min', precision: null }]);
  expect(getGroups('other')).toMatchObject([{ direction: 'max', precision: null }]);
});

test('the order of the rows does not change the seeds that replace invalid ones', async () => {
  const replaceSeeds = async (...seeds: string[]) => {
    const lines = seeds.map((seed) => `${seed},10,${seed.length}`);
    const groups = await groupTable('seed,evaluations,best', ...lines);
    return groups.flatMap(({ runs }) => runs.map(({ seed, trace }) => [seed, trace.best.at(-1)]));
  };
  const wide = '9'.repeat(20);
  const expected = [
    [1, 1],
    [22, 2],
    [3, 20],
  ];
  expect(await replaceSeeds('22', wide, '1')).toEqual(expected);
  expect(await replaceSeeds('1', wide, '22')).toEqual(expected);
});
