import type { Accessor } from 'solid-js';
import { replacedDetail } from '#shared/words.ts';
import type { FailureCode } from '#renderer/api/client.ts';
import { isReplaced } from '#renderer/api/opened-database.ts';

interface Failure {
  code: FailureCode;
  detail: string;
}

/** Why a dialog cannot do what it asks about. */
export interface DialogFailure {
  /** Its own failure, or that another database has taken the place of the one whose rows it shows. */
  failure: Accessor<Failure | undefined>;
  /** Why its button is disabled for as long as the page is not loaded again; undefined when it is not. */
  disabledReason: Accessor<string | undefined>;
}

/** The failure of a dialog: its own, or that another database has taken the place of the one that the page shows. */
export function createDialogFailure(own: Accessor<Failure | undefined>): DialogFailure {
  const failure = (): Failure | undefined =>
    isReplaced() ? { code: 'DATABASE_CHANGED', detail: replacedDetail } : own();
  const disabledReason = (): string | undefined =>
    failure()?.code === 'DATABASE_CHANGED' ? 'Reload the page first.' : undefined;
  return { failure, disabledReason };
}
