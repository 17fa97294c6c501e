import type { Accessor } from 'solid-js';
import { replacedDetail } from '#shared/words.ts';
import type { FailureCode } from '#renderer/state/problem-error.ts';
import { isReplaced } from '#renderer/api/opened-database.ts';

/** Failure of an action; `detail` is a sentence for the user. */
export interface Failure {
  code: FailureCode;
  detail: string;
}

/** Reasons why a dialog cannot perform its action. */
export interface DialogFailure {
  /** Its own failure, or that the service has opened another database than the one whose rows it shows. */
  failure: Accessor<Failure | undefined>;
  /** Why its button stays disabled until the page is reloaded; undefined when it is enabled. */
  disabledReason: Accessor<string | undefined>;
}

/** Combines a dialog's own failure with the one that the service has opened another database. */
export function createDialogFailure(own: Accessor<Failure | undefined>): DialogFailure {
  const failure = (): Failure | undefined =>
    isReplaced() ? { code: 'DATABASE_CHANGED', detail: replacedDetail } : own();
  const disabledReason = (): string | undefined =>
    failure()?.code === 'DATABASE_CHANGED' ? 'Reload the page first.' : undefined;
  return { failure, disabledReason };
}
