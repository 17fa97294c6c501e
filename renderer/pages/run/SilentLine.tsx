import { createSignal, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/ui/Button.tsx';
import { useReadOnlyReason } from '#renderer/features/stop-and-delete/read-only.ts';
import { formatAge, formatFullTime, formatTime } from '#renderer/ui/time.ts';
import { createNow } from '#renderer/state/now.ts';
import { SettleDialog } from './SettleDialog.tsx';

/**
 * Time since the last row of a RUNNING run, with a button to mark it as failed; nothing for every other run. The open
 * dialog stays if the run writes again; the service then refuses the request.
 */
export function SilentLine(props: { runId: string; since: string | null }): JSX.Element {
  const [openSince, setOpenSince] = createSignal<string>();
  const now = createNow(() => props.since !== null);
  const readOnly = useReadOnlyReason();
  return (
    <>
      <Show when={props.since}>
        {(time) => (
          <div class="run-message run-silent-line" role="status">
            <strong>No data</strong>
            <span>
              since <span title={formatFullTime(time())}>{formatTime(time())}</span> (
              {formatAge(time(), now())}). The runner may have crashed.
            </span>
            <Button size="small" disabledReason={readOnly()} onClick={() => setOpenSince(time())}>
              Mark as failed…
            </Button>
          </div>
        )}
      </Show>
      <SettleDialog
        runId={props.runId}
        since={openSince() ?? ''}
        open={openSince() !== undefined}
        onClose={() => setOpenSince(undefined)}
      />
    </>
  );
}
