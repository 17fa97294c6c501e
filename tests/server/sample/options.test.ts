import { describe, expect, test } from 'vitest';
import { parseArguments } from '#server/sample/options.ts';

describe('parseArguments', () => {
  test('defaults to all experiments without a pause', () => {
    expect(parseArguments(['--db', 'x.db'])).toEqual({
      kind: 'run',
      options: { database: 'x.db', intervalMillis: 0, workers: 1, isCoco: false },
    });
  });

  test('sets a pause and two workers for --live, and the pause for --interval', () => {
    expect(parseArguments(['--db', 'x.db', '--live'])).toMatchObject({
      options: { intervalMillis: 300, workers: 2 },
    });
    expect(parseArguments(['--db', 'x.db', '--live', '--interval', '20'])).toMatchObject({
      options: { intervalMillis: 20, workers: 2 },
    });
  });

  test('limits the sample by --seeds, --iterations and --only', () => {
    const argv = ['--db', 'x.db', '--seeds', '3', '--iterations', '7', '--only', 'sphere5-gauss'];
    expect(parseArguments(argv)).toMatchObject({
      options: { seeds: 3, iterations: 7, onlyExperiment: 'sphere5-gauss' },
    });
  });

  test('returns a request for help for --help, without --db', () => {
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
    [
      ['--db', 'x', '--coco', '--seeds', '3'],
      '--seeds has no effect on a campaign: use it without --coco',
    ],
    [
      ['--db', 'x', '--coco', '--live'],
      '--live has no effect on a campaign: use it without --coco',
    ],
    [['--db', 'x', '--speed', '3'], "Unknown option '--speed'"],
    [['--db', 'x', 'y'], "Unexpected argument 'y'"],
  ])('returns an error with the reason for %j', (argv, message) => {
    const options = parseArguments(argv);
    expect(options.kind).toBe('invalid');
    expect(options.kind === 'invalid' && options.message).toContain(message);
  });

  test('lists the experiments in the error for an unknown experiment', () => {
    const result = parseArguments(['--db', 'x', '--only', 'knapsack']);
    expect(result).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(
        '"knapsack" is not an experiment of the sample: use one of onemax40-umda',
      ),
    });
  });
});
