import { useQueryClient } from '@tanstack/solid-query';
import { createSignal, onCleanup, type Accessor } from 'solid-js';
import type { ImportNote, ImportResult } from '#shared/schemas/import.ts';
import { asProblem, call, type ProblemError } from '#renderer/api/client.ts';
import { startImport, watchImport, type ImportSource } from '#renderer/api/imports.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { asText } from '#renderer/state/url-kinds.ts';
import { dataSetNameOf, progressWords, sendingWords, type ProgressWords } from './import-words.ts';

/** Why an import was refused, with what was found until then. */
export interface Refusal extends Pick<ProblemError, 'code' | 'detail'> {
  notes: readonly ImportNote[];
}

/** Where the page stands between choosing a source and its result. `dryRun`: only looked at. */
export type Step =
  | { kind: 'choose' }
  | { kind: 'busy'; dryRun: boolean; words: ProgressWords }
  | { kind: 'found'; result: ImportResult; replaces: boolean }
  | { kind: 'failed'; refusal: Refusal; replaces: boolean }
  | { kind: 'done'; result: ImportResult };

export type Direction = 'data' | 'min' | 'max';

/** The state of the import page, and what can be done. */
export interface ImportPageState {
  step: Accessor<Step>;
  /** Null after a reload, which keeps what goes on but not the file that was chosen. */
  source: Accessor<ImportSource | null>;
  name: Accessor<string>;
  setName: (name: string) => void;
  /** Evaluations that each run was granted, as typed; empty for none. */
  budget: Accessor<string>;
  setBudget: (budget: string) => void;
  /** Whether its expected runtimes become reference results, with which campaigns of the suite are compared. */
  isReference: Accessor<boolean>;
  setReference: (isReference: boolean) => void;
  direction: Accessor<Direction>;
  setDirection: (direction: Direction) => void;
  /** Takes a source and looks what it is. */
  choose: (source: ImportSource) => void;
  /** Looks again, under the name as it is now. */
  look: (replaces?: boolean) => void;
  /** Imports what was looked at; by force even where a runner is kept waiting too long. */
  run: (replaces: boolean, force?: boolean) => void;
  cancel: () => void;
  startOver: () => void;
}

/** What the cards need where a source is chosen. */
export interface SourceProps {
  page: ImportPageState;
  /** Why no source can be taken now; undefined when one can. */
  disabledReason: string | undefined;
}

/** What happens on the page; the import that goes on stands in the address as `id` and is followed after a reload. */
export function createImportPage(): ImportPageState {
  const client = useQueryClient();
  const [step, setStep] = createSignal<Step>({ kind: 'choose' });
  const [source, setSource] = createSignal<ImportSource | null>(null);
  const [name, setName] = createSignal('');
  const [direction, setDirection] = createSignal<Direction>('data');
  const [budget, setBudget] = createSignal('');
  const [isReference, setReference] = createSignal(false);
  const [importId, setImportId] = createUrlSignal('id', asText());
  let sending = new AbortController();
  let current = '';

  const show = (words: ProgressWords, dryRun: boolean) => setStep({ kind: 'busy', dryRun, words });
  const refuse = (refusal: Refusal, replaces: boolean) =>
    setStep({ kind: 'failed', refusal, replaces });

  /** Only the newest attempt may change what is shown. */
  const attempt = async (replaces: boolean, work: (isNewest: () => boolean) => Promise<void>) => {
    const own = (sending = new AbortController());
    const isNewest = () => own === sending;
    try {
      await work(isNewest);
    } catch (error) {
      if (!isNewest()) return;
      if (own.signal.aborted) setStep({ kind: 'choose' });
      else {
        const { code, detail } = asProblem(error);
        refuse({ code, detail, notes: [] }, replaces);
      }
    }
  };

  const follow = async (
    id: string,
    { dryRun, replaces }: { dryRun: boolean; replaces: boolean },
    isNewest: () => boolean,
  ) => {
    current = id;
    const outcome = await watchImport(id, (progress) => {
      if (isNewest()) show(progressWords(progress), dryRun);
    });
    if (!isNewest()) return;
    if ('failure' in outcome) refuse(outcome.failure, replaces);
    else if (dryRun) setStep({ kind: 'found', result: outcome.result, replaces });
    else {
      setStep({ kind: 'done', result: outcome.result });
      void wakeQueries(client, 'all');
    }
  };

  const start = (dryRun: boolean, replaces: boolean, force = false): void => {
    const chosen = source();
    if (!chosen) return;
    const asked = direction();
    const query = {
      name: name().trim() || undefined,
      direction: asked === 'data' ? undefined : asked,
      budget: budget().trim() || undefined,
      replace: replaces || undefined,
      force: force || undefined,
      dryRun: dryRun || undefined,
      asReference: isReference() || undefined,
    };
    void attempt(replaces, async (isNewest) => {
      current = '';
      show({ share: null, text: dryRun ? 'Looking at it' : 'Starting' }, dryRun);
      const onSent = (share: number) => isNewest() && show(sendingWords(share), dryRun);
      const id = await startImport(chosen, query, { onSent, signal: sending.signal });
      if (!isNewest()) return;
      if (!dryRun) setImportId(id);
      await follow(id, { dryRun, replaces }, isNewest);
    });
  };

  const state: ImportPageState = {
    step,
    source,
    name,
    setName,
    budget,
    setBudget,
    isReference,
    setReference,
    direction,
    setDirection,
    choose(chosen) {
      state.startOver();
      setSource(chosen);
      setName(dataSetNameOf(chosen));
      state.look();
    },
    look: (replaces = false) => start(true, replaces),
    run: (replaces, force) => start(false, replaces, force),
    cancel() {
      if (current === '') sending.abort();
      else void call('cancelImport', { params: { importId: current } }).catch(() => {});
    },
    startOver() {
      sending = new AbortController();
      setSource(null);
      setDirection('data');
      setBudget('');
      setReference(false);
      setImportId('');
      setStep({ kind: 'choose' });
    },
  };
  if (importId() !== '') {
    show({ share: null, text: 'Asking how far it is' }, false);
    const id = importId();
    void attempt(false, (isNewest) => follow(id, { dryRun: false, replaces: false }, isNewest));
  }
  onCleanup(() => (sending = new AbortController()));
  return state;
}
