import { createSignal } from 'solid-js';
import type { OpenedLocation } from '#shared/desktop.ts';
import type { OpenDatabase } from '#shared/schemas/databases.ts';
import { call } from '#renderer/api/client.ts';
import { asProblemError, type ProblemError } from '#renderer/state/problem-error.ts';
import { runBeforeLeaving, openFirstPage } from '#renderer/api/opened-database.ts';
import { getDesktopBridge } from '#renderer/desktop.ts';

/** A confirmation that the service requires before it opens a database. */
export interface Question {
  title: string;
  /** The existing database, and the action. */
  detail: string;
  /** Label of the button that confirms. */
  allow: string;
  /** Whether existing data would be replaced. */
  replaces: boolean;
  answer: (isAllowed: boolean) => void;
}

const [question, setQuestion] = createSignal<Question | null>(null);
const [busyWith, setBusyWith] = createSignal<string | null>(null);
export { busyWith, question };

/** By the code of the service's question: its words, and what to send on confirmation. */
const questions: Readonly<
  Record<string, Omit<Question, 'detail' | 'answer'> & { permission: Partial<OpenDatabase> }>
> = {
  CREATE_NEEDED: {
    title: 'Create a new database?',
    allow: 'Create database',
    replaces: false,
    permission: { create: true },
  },
  TABLES_OF_OTHERS: {
    title: 'Add the runner’s tables?',
    allow: 'Add tables',
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
 * Opens a database in place of the current one, with the confirmations that the service requires, and navigates to its
 * first page. Returns why it was not opened; null when it was or the user cancelled. `name` is shown meanwhile.
 */
export async function openPlace(
  place: OpenedLocation,
  name: string,
  storePassword = false,
): Promise<ProblemError | null> {
  return showBusy(`Opening ${name}…`, async () => {
    const failure = await send(place as OpenDatabase);
    if (failure !== null) return failure.code === 'NOT_ALLOWED' ? null : failure.problem;
    await getDesktopBridge()?.databases?.addRecent(place, storePassword);
    openFirstPage();
    return null;
  });
}

type Failure = { code: 'NOT_ALLOWED' } | { code: 'FAILED'; problem: ProblemError };

/** Sends the request, and repeats it with each confirmation of the user. */
async function send(body: OpenDatabase): Promise<Failure | null> {
  try {
    await call('openDatabase', { body });
    return null;
  } catch (error) {
    const problem = asProblemError(error);
    const template = questions[problem.code];
    if (template === undefined) return { code: 'FAILED', problem };
    const { permission, ...words } = template;
    const isAllowed = await ask({ ...words, detail: problem.detail });
    const identity = problem.databaseIdentity;
    return isAllowed ? send({ ...body, ...permission, identity }) : { code: 'NOT_ALLOWED' };
  }
}

function ask(content: Omit<Question, 'answer'>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const answer = (isAllowed: boolean): void => {
    setQuestion(null);
    resolve(isAllowed);
  };
  setQuestion({ ...content, answer });
  return promise;
}

/** Creates sample data in a new file, opens it and leaves this page; returns why that failed, or null. */
export async function makeSample(file: string): Promise<ProblemError | null> {
  return showBusy('Creating sample data…', async () => {
    try {
      await call('makeSample', { body: { file } });
    } catch (error) {
      return asProblemError(error);
    }
    await getDesktopBridge()?.databases?.addRecent({ file }, false);
    openFirstPage();
    return null;
  });
}

/** Opens a database from the desktop window's list; returns in a sentence why that failed, or null. */
export async function openRecentDatabase(id: string, name: string): Promise<string | null> {
  return showBusy(`Opening ${name}…`, async () => {
    const outcome = await getDesktopBridge()?.databases?.openRecent(id);
    return outcome?.failure ?? null;
  });
}

/**
 * Shows the words while the work runs, and leaves the page only after it: an event of the new database may be earlier.
 */
async function showBusy<Result>(words: string, work: () => Promise<Result>): Promise<Result> {
  setBusyWith(words);
  try {
    return await runBeforeLeaving(work);
  } finally {
    setBusyWith(null);
  }
}
