import { describe, expect, test } from 'vitest';
import { launch, type StartDatabase, type StartEffects } from '#build/launch.ts';
import type { WindowDecision } from '#build/start-decisions.ts';

const plain = { serveOnly: false, sample: false, flags: [] };
const headless: WindowDecision = { electron: null, reason: 'there is no display' };
const filled: StartDatabase = {
  url: 'evoscope.db',
  name: 'evoscope.db',
  content: 'filled',
  isNamed: false,
  isReadOnly: false,
};
const ended = { code: 0, signal: null };

/** Effects that only write down what is done, in order, and what is said. */
function recording(changes: Partial<StartEffects> = {}, database: Partial<StartDatabase> = {}) {
  const done: string[] = [];
  const said: string[] = [];
  const effects: StartEffects = {
    say: (line) => said.push(line),
    canAsk: false,
    ask: (question) => Promise.resolve(done.push(`ask ${question}`) > 0),
    findFaults: () => [],
    inspectDatabase: () => Promise.resolve({ ...filled, ...database }),
    ensurePages: () => Promise.resolve(void done.push('pages')),
    ensureDesktop: () => Promise.resolve(void done.push('desktop')),
    fillSample: (url) => Promise.resolve((done.push(`sample ${url}`), ended)),
    runService: () => Promise.resolve((done.push('service'), ended)),
    runWindow: (electron) => Promise.resolve((done.push(`window ${electron}`), ended)),
    ...changes,
  };
  return { effects, done, said };
}

describe('a start', () => {
  test('with wrong flags says each fault, ends with exit code 2 and touches nothing', async () => {
    const faults = ['--port must be a port', 'unknown flag --bd'];
    const { effects, done, said } = recording({ findFaults: () => faults });
    expect(await launch(plain, headless, effects)).toEqual({ code: 2, signal: null });
    expect(said).toEqual(faults);
    expect(done).toEqual([]);
  });

  test('with a window builds what it runs, and ends as it ends', async () => {
    const { effects, done, said } = recording();
    expect(await launch(plain, { electron: '/electron' }, effects)).toEqual(ended);
    expect(done).toEqual(['desktop', 'window /electron']);
    expect(said).toEqual([]);
  });

  test('without a window says why and runs the service', async () => {
    const { effects, done, said } = recording();
    await launch(plain, headless, effects);
    expect(done).toEqual(['pages', 'service']);
    expect(said).toEqual([
      'No window: there is no display. Open the address below in a browser instead.',
    ]);
  });

  test('that nobody wanted a window for says nothing about it', async () => {
    const { effects, said } = recording();
    await launch({ ...plain, serveOnly: true }, { electron: null, reason: null }, effects);
    expect(said).toEqual([]);
  });

  test('whose window cannot be opened goes on without one', async () => {
    const runWindow = () => Promise.resolve({ code: null, signal: 'SIGTRAP' as const });
    const { effects, done, said } = recording({ runWindow });
    expect(await launch(plain, { electron: '/electron' }, effects)).toEqual(ended);
    expect(done).toEqual(['desktop', 'service']);
    expect(said).toEqual([
      'The window could not be opened. Open the address below in a browser instead.',
    ]);
  });

  test('ends as the service ends', async () => {
    const runService = () => Promise.resolve({ code: 5, signal: null });
    const { effects } = recording({ runService });
    expect(await launch(plain, headless, effects)).toEqual({ code: 5, signal: null });
  });
});

describe('sample runs', () => {
  const server: WindowDecision = { electron: null, reason: null };

  test('fill the new database of a first start, which says so and how to see other data', async () => {
    const { effects, done, said } = recording({}, { content: 'missing' });
    await launch(plain, server, effects);
    expect(done).toEqual(['pages', 'sample evoscope.db', 'service']);
    expect(said).toEqual([
      'No database was named: filling the new evoscope.db with sample runs. For your own: npm start -- --db <file or URL>',
    ]);
  });

  test('are offered in a terminal and left out on no', async () => {
    const questions: string[] = [];
    const ask = (question: string) => Promise.resolve(questions.push(question) > 1);
    const { effects, done } = recording({ canAsk: true, ask }, { content: 'empty', isNamed: true });
    await launch(plain, server, effects);
    expect(questions).toEqual(['evoscope.db has no runs yet. Fill it with sample runs? [Y/n] ']);
    expect(done).toEqual(['pages', 'service']);
    await launch(plain, server, effects);
    expect(done).toEqual(['pages', 'service', 'pages', 'sample evoscope.db', 'service']);
  });

  test.each([
    ['my runs.db', "'my runs.db'"],
    ['postgres://me:pw@db/evo', '<the same database>'],
    ['jdbc:postgresql://db/evo?user=me&password=pw', '<the same database>'],
  ])('are left to a command when nobody can be asked about %s', async (url, shown) => {
    const database = { url, name: 'evo', content: 'empty' as const, isNamed: true };
    const { effects, done, said } = recording({}, database);
    await launch(plain, server, effects);
    expect(said).toEqual([
      `evo has no runs yet. Sample runs to look at: npm run sample -- --db ${shown}`,
    ]);
    expect(done).toEqual(['pages', 'service']);
  });

  test('are written without a question on --sample', async () => {
    const database = { content: 'empty' as const, isNamed: true };
    const { effects, done, said } = recording({ canAsk: true }, database);
    await launch({ ...plain, sample: true }, server, effects);
    expect(said).toEqual(['Filling evoscope.db with sample runs.']);
    expect(done).toEqual(['pages', 'sample evoscope.db', 'service']);
  });

  test('are not added to other runs, even on --sample', async () => {
    const { effects, done, said } = recording();
    await launch({ ...plain, sample: true }, server, effects);
    expect(said).toEqual(['evoscope.db has runs already, so no sample runs were added.']);
    expect(done).toEqual(['pages', 'service']);
  });

  test('that cannot be written do not keep the service from starting', async () => {
    const fillSample = () => Promise.resolve({ code: 1, signal: null });
    const { effects, done, said } = recording({ fillSample }, { content: 'missing' });
    await launch(plain, server, effects);
    expect(done).toEqual(['pages', 'service']);
    expect(said.at(-1)).toBe(
      'The sample runs could not be written to evoscope.db; going on without them.',
    );
  });

  test('that the user interrupts end the start', async () => {
    const interrupted = { code: null, signal: 'SIGINT' as const };
    const fillSample = () => Promise.resolve(interrupted);
    const { effects, done } = recording({ fillSample }, { content: 'missing' });
    expect(await launch(plain, server, effects)).toEqual(interrupted);
    expect(done).toEqual(['pages']);
  });
});
