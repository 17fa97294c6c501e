import { createSignal } from 'solid-js';
import type { OpenedPlace } from '#shared/desktop.ts';
import type { OpenDatabase } from '#shared/schemas/databases.ts';
import { asProblem, call, type ProblemError } from '#renderer/api/client.ts';
import { beforeLeaving, openFirstPage } from '#renderer/api/opened-database.ts';
import { desktopBridge } from '#renderer/desktop.ts';

/** What the service asks before it opens a database. */
export interface Question {
  title: string;
  /** What is there, and what would be done. */
  detail: string;
  /** What the button says that allows it. */
  allow: string;
  /** Whether something that is there would be replaced. */
  replaces: boolean;
  answer: (isAllowed: boolean) => void;
}

const [question, setQuestion] = createSignal<Question | null>(null);
const [busyWith, setBusyWith] = createSignal<string | null>(null);
export { busyWith, question };

/** By the code of the service's question: how it is put, and what to send when it is allowed. */
const questions: Readonly<
  Record<string, Omit<Question, 'detail' | 'answer'> & { permission: Partial<OpenDatabase> }>
> = {
  CREATE_NEEDED: {
    title: 'Make a new database?',
    allow: 'Make it',
    replaces: false,
    permission: { create: true },
  },
  TABLES_OF_OTHERS: {
    title: 'Add the runner’s tables?',
    allow: 'Add the tables',
    replaces: false,
    permission: { create: true },
  },
  LEGACY_SCHEMA: {
    title: 'Back up and replace the tables?',
    allow: 'Back up and replace',
    replaces: true,
    permission: { legacy: 'replace' },
  },
};

/**
 * Opens a database in place of the present one, asking what must be allowed, and leaves this page for its first one.
 * Answers why it was not opened; null when the user did not want it after all. `name` is how it is called meanwhile.
 */
export async function openPlace(
  place: OpenedPlace,
  name: string,
  keepPassword = false,
): Promise<ProblemError | null> {
  return busy(`Opening ${name}…`, async () => {
    const failure = await send(place as OpenDatabase);
    if (failure !== null) return failure.code === 'NOT_ALLOWED' ? null : failure.problem;
    await desktopBridge()?.databases?.remember(place, keepPassword);
    openFirstPage();
    return null;
  });
}

type Failure = { code: 'NOT_ALLOWED' } | { code: 'FAILED'; problem: ProblemError };

/** Sends what is to be opened, and again with what the user allows. */
async function send(body: OpenDatabase): Promise<Failure | null> {
  try {
    await call('openDatabase', { body });
    return null;
  } catch (error) {
    const problem = asProblem(error);
    const asked = questions[problem.code];
    if (asked === undefined) return { code: 'FAILED', problem };
    const { permission, ...shown } = asked;
    const isAllowed = await ask({ ...shown, detail: problem.detail });
    const identity = problem.databaseIdentity;
    return isAllowed ? send({ ...body, ...permission, identity }) : { code: 'NOT_ALLOWED' };
  }
}

function ask(shown: Omit<Question, 'answer'>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const answer = (isAllowed: boolean): void => {
    setQuestion(null);
    resolve(isAllowed);
  };
  setQuestion({ ...shown, answer });
  return promise;
}

/** Makes sample data in a new file, opens them and leaves this page; answers why that failed. */
export async function makeSample(file: string): Promise<ProblemError | null> {
  return busy('Making sample data…', async () => {
    try {
      await call('makeSample', { body: { file } });
    } catch (error) {
      return asProblem(error);
    }
    await desktopBridge()?.databases?.remember({ file }, false);
    openFirstPage();
    return null;
  });
}

/** Opens what the desktop window remembers; answers why it could not, in a sentence. */
export async function openRemembered(id: string, name: string): Promise<string | null> {
  return busy(`Opening ${name}…`, async () => {
    const outcome = await desktopBridge()?.databases?.openRecent(id);
    return outcome?.problem ?? null;
  });
}

/** Says what is being done until it is; all tabs, this one too, may be told of the other database before. */
async function busy<Result>(words: string, work: () => Promise<Result>): Promise<Result> {
  setBusyWith(words);
  try {
    return await beforeLeaving(work);
  } finally {
    setBusyWith(null);
  }
}
