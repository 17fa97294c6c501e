import { describe, expect, test } from 'vitest';
import { parseArguments } from '#server/sample/options.ts';

describe('options', () => {
  test('default to a fast sample of everything', () => {
    expect(parseArguments(['--db', 'x.db'])).toEqual({
      kind: 'run',
      options: { database: 'x.db', intervalMillis: 0, lanes: 1, coco: false },
    });
  });

  test('--live means a pause and two runs at a time; --interval sets the pause', () => {
    expect(parseArguments(['--db', 'x.db', '--live'])).toMatchObject({
      options: { intervalMillis: 300, lanes: 2 },
    });
    expect(parseArguments(['--db', 'x.db', '--live', '--interval', '20'])).toMatchObject({
      options: { intervalMillis: 20, lanes: 2 },
    });
  });

  test('--seeds, --iterations and --only narrow the sample', () => {
    const argv = ['--db', 'x.db', '--seeds', '3', '--iterations', '7', '--only', 'sphere5-gauss'];
    expect(parseArguments(argv)).toMatchObject({
      options: { seeds: 3, iterations: 7, only: 'sphere5-gauss' },
    });
  });

  test('--help asks for help, whatever else is there', () => {
    expect(parseArguments(['--help'])).toEqual({ kind: 'help' });
  });

  test.each([
    [[], '--db is missing: name the database to write into'],
    [['--db', 'x', '--seeds', '0'], '--seeds must be a whole number from 1 to 1000000, not "0"'],
    [
      ['--db', 'x', '--interval', 'fast'],
      '--interval must be a whole number from 0 to 1000000, not "fast"',
    ],
    [
      ['--db', 'x', '--iterations', '1.5'],
      '--iterations must be a whole number from 1 to 1000000, not "1.5"',
    ],
    [['--db', 'x', '--speed', '3'], "Unknown option '--speed'"],
    [['--db', 'x', 'y'], "Unexpected argument 'y'"],
  ])('%j is a fault that says what is wrong', (argv, message) => {
    const parsed = parseArguments(argv);
    expect(parsed.kind).toBe('fault');
    expect(parsed.kind === 'fault' && parsed.message).toContain(message);
  });

  test('an unknown experiment is answered with the known ones', () => {
    const parsed = parseArguments(['--db', 'x', '--only', 'knapsack']);
    expect(parsed).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining(
        '"knapsack" is no experiment of the sample: use one of onemax40-umda',
      ),
    });
  });
});
