import { useQueryClient } from '@tanstack/solid-query';
import { createSignal, onCleanup, type Accessor } from 'solid-js';
import type { ImportNote, ImportResult, ImportState } from '#shared/schemas/import.ts';
import { call } from '#renderer/api/client.ts';
import { asProblemError, type ProblemError } from '#renderer/state/problem-error.ts';
import { startImport, watchImport, type ImportSource } from '#renderer/api/imports.ts';
import { wakeQueries } from '#renderer/api/waking.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { asText } from '#renderer/state/url-kinds.ts';
import {
  getDataSetName,
  describeProgress,
  makeRenameQuery,
  describeSending,
  type ProgressWords,
} from './import-words.ts';

/** Reason why the service refuses an import, with the notes until then. */
export interface Refusal extends Pick<ProblemError, 'code' | 'detail'> {
  notes: readonly ImportNote[];
}

/** Step of the page between choosing a source and the result. `dryRun`: a check without writing. */
export type Step =
  | { kind: 'choose' }
  | { kind: 'busy'; dryRun: boolean; words: ProgressWords }
  | { kind: 'found'; result: ImportResult; replaces: boolean }
  | { kind: 'failed'; refusal: Refusal; replaces: boolean }
  | { kind: 'done'; result: ImportResult };

export type Direction = 'data' | 'min' | 'max';

/** State and actions of the import page. */
export interface ImportPageState {
  step: Accessor<Step>;
  /** The chosen source. Null after a reload and for an import that the page found running. */
  source: Accessor<ImportSource | null>;
  name: Accessor<string>;
  setName: (name: string) => void;
  /** Budget per run in evaluations, as typed; empty for none. */
  budget: Accessor<string>;
  setBudget: (budget: string) => void;
  /** New names of algorithms by their names in the source, as typed. */
  algorithmNames: Accessor<Readonly<Record<string, string>>>;
  renameAlgorithm: (source: string, name: string) => void;
  /** Whether its expected runtimes become reference results for campaigns of the suite. */
  isReference: Accessor<boolean>;
  setReference: (isReference: boolean) => void;
  direction: Accessor<Direction>;
  setDirection: (direction: Direction) => void;
  /** Takes a source and checks it. */
  choose: (source: ImportSource) => void;
  /**
   * Checks the source again, under the current name. With `replaces`, the import replaces the data set of this name.
   */
  check: (replaces?: boolean) => void;
  /** Imports the checked source; with force, even if a runner is blocked too long. */
  run: (replaces: boolean, force?: boolean) => void;
  /** Starts to watch a folder. Rejects with a ProblemError. */
  watch: (path: string, dataSet: string) => Promise<void>;
  cancel: () => void;
  startOver: () => void;
}

/** Props of the cards that choose a source. */
export interface SourceProps {
  page: ImportPageState;
  /** Why no source can be chosen now; undefined when one can. */
  disabledReason: string | undefined;
}

/**
 * Creates the state of the page. An import that it starts is in the URL as `id` and is followed after a reload; without
 * an `id` the page follows the import that the service runs, which blocks others until it ends or is cancelled.
 */
export function createImportPage(): ImportPageState {
  const client = useQueryClient();
  const [step, setStep] = createSignal<Step>({ kind: 'choose' });
  const [source, setSource] = createSignal<ImportSource | null>(null);
  const [name, setName] = createSignal('');
  const [direction, setDirection] = createSignal<Direction>('data');
  const [budget, setBudget] = createSignal('');
  const [algorithmNames, setAlgorithmNames] = createSignal<Readonly<Record<string, string>>>({});
  const [isReference, setReference] = createSignal(false);
  const [importId, setImportId] = createUrlSignal('id', asText());
  let controller = new AbortController();
  let current = '';

  const show = (words: ProgressWords, dryRun: boolean) => setStep({ kind: 'busy', dryRun, words });
  const refuse = (refusal: Refusal, replaces: boolean) =>
    setStep({ kind: 'failed', refusal, replaces });

  /** Does some work. Only the last attempt may change the page: an error shows its refusal, an abort starts over. */
  const attempt = async (replaces: boolean, work: (isNewest: () => boolean) => Promise<void>) => {
    const own = (controller = new AbortController());
    const isNewest = () => own === controller;
    try {
      await work(isNewest);
    } catch (error) {
      if (!isNewest()) return;
      if (own.signal.aborted) setStep({ kind: 'choose' });
      else {
        const { code, detail } = asProblemError(error);
        refuse({ code, detail, notes: [] }, replaces);
      }
    }
  };

  const follow = async (
    id: string,
    {
      dryRun,
      replaces,
      isUploaded = false,
    }: { dryRun: boolean; replaces: boolean; isUploaded?: boolean },
    isNewest: () => boolean,
  ) => {
    current = id;
    const outcome = await watchImport(id, (progress) => {
      if (isNewest()) show(describeProgress(progress, { isUploaded }), dryRun);
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
    const currentSource = source();
    if (!currentSource) return;
    const choice = direction();
    const query = {
      name: name().trim() || undefined,
      direction: choice === 'data' ? undefined : choice,
      budget: budget().trim() || undefined,
      rename: makeRenameQuery(algorithmNames()),
      replace: replaces || undefined,
      force: force || undefined,
      dryRun: dryRun || undefined,
      asReference: isReference() || undefined,
    };
    void attempt(replaces, async (isNewest) => {
      current = '';
      show({ share: null, text: dryRun ? 'Checking…' : 'Starting…' }, dryRun);
      const onSent = (share: number) => isNewest() && show(describeSending(share), dryRun);
      const id = await startImport(currentSource, query, { onSent, signal: controller.signal });
      if (!isNewest()) return;
      if (!dryRun) setImportId(id);
      await follow(id, { dryRun, replaces, isUploaded: 'file' in currentSource }, isNewest);
    });
  };

  const state: ImportPageState = {
    step,
    source,
    name,
    setName,
    budget,
    setBudget,
    algorithmNames,
    renameAlgorithm: (algorithm, typed) =>
      setAlgorithmNames((names) => ({ ...names, [algorithm]: typed })),
    isReference,
    setReference,
    direction,
    setDirection,
    choose(next) {
      state.startOver();
      setSource(next);
      setName(getDataSetName(next));
      state.check();
    },
    check: (replaces = false) => start(true, replaces),
    run: (replaces, force) => start(false, replaces, force),
    async watch(path, dataSet) {
      const query = { watch: true, name: dataSet.trim() || undefined };
      await call('startImport', { query, body: { path } });
      await wakeQueries(client, 'all');
    },
    cancel() {
      if (current === '') controller.abort();
      else void call('cancelImport', { params: { importId: current } }).catch(() => {});
    },
    startOver() {
      controller = new AbortController();
      setSource(null);
      setDirection('data');
      setBudget('');
      setAlgorithmNames({});
      setReference(false);
      setImportId('');
      setStep({ kind: 'choose' });
    },
  };
  const resume = (id: string): void => {
    show({ share: null, text: 'Checking progress…' }, false);
    void attempt(false, (isNewest) => follow(id, { dryRun: false, replaces: false }, isNewest));
  };
  if (importId() !== '') resume(importId());
  else {
    const before = controller;
    const takeRunning = (imports: readonly ImportState[]): void => {
      const running = imports.find(isRunningImport);
      // A source that was chosen in the meantime, or another page, replaces the controller.
      if (running && before === controller) resume(running.importId);
    };
    // The list of watched folders reports why imports cannot be read.
    call('listImports').then(takeRunning, () => {});
  }
  onCleanup(() => (controller = new AbortController()));
  return state;
}

function isRunningImport({ status, dryRun, watch }: ImportState): boolean {
  return status === 'running' && !dryRun && watch === null;
}
