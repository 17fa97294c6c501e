import type { RunRecord } from '#server/repositories/analysis.ts';
import { hash } from 'node:crypto';
import type { AnalysisMemory } from './memory.ts';

/** A text that the shared memory keeps under a key, and whether it was there already. */
export interface KeptText {
  key: string;
  wasThere: boolean;
}

/** A piece of an answer: as it is, or kept. */
export type AnswerPart = string | KeptText;

/** An answer whose texts the shared memory keeps. */
export class KeptAnswer {
  readonly parts: readonly AnswerPart[];

  constructor(parts: readonly AnswerPart[]) {
    this.parts = parts;
  }

  /** Nothing of it had to be computed. */
  get wasThere(): boolean {
    return this.parts.every((part) => typeof part === 'string' || part.wasThere);
  }
}

/** A key that is equal only for equal facts. */
export function keyOf(...facts: unknown[]): string {
  return hash('sha256', JSON.stringify(facts), 'base64');
}

/** A key that is equal only for the same runs, as they are. */
export function keyOfRuns(runs: readonly RunRecord[]): string {
  const facts = runs.map(
    ({ runId, seed, runtimeMillis, version }) => `${runId},${seed},${runtimeMillis},${version}`,
  );
  return hash('sha256', facts.join('\n'), 'base64');
}

/** Keeps the text that these facts decide, computed unless it is there. */
export async function ensureText(
  memory: AnalysisMemory,
  facts: unknown[],
  compute: () => Promise<string>,
): Promise<KeptText> {
  const key = keyOf(...facts);
  if (await memory.hasText(key)) return { key, wasThere: true };
  memory.keepText(key, await compute());
  return { key, wasThere: false };
}

/** The value that these facts decide, which must be JSON, out of the memory where it keeps it. */
export async function keptValue<Value>(
  memory: AnalysisMemory,
  facts: unknown[],
  compute: () => Promise<Value>,
): Promise<Value> {
  const key = keyOf(...facts);
  const kept = await memory.findText(key);
  if (kept !== null) return JSON.parse(kept) as Value;
  const value = await compute();
  memory.keepText(key, JSON.stringify(value));
  return value;
}

/** The text of an answer; null when a part of it is not kept any more. */
export async function textOf(
  memory: AnalysisMemory,
  parts: readonly AnswerPart[],
): Promise<string | null> {
  const texts = await Promise.all(
    parts.map(async (part) => (typeof part === 'string' ? part : memory.findText(part.key))),
  );
  return texts.includes(null) ? null : texts.join('');
}
