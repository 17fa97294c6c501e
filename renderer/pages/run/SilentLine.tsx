import { createSignal, Show, type JSX } from 'solid-js';
import { Button } from '#renderer/components/Button.tsx';
import { useReadOnlyReason } from '#renderer/components/read-only.ts';
import { formatAge, formatFullTime, formatTime } from '#renderer/components/time.ts';
import { createNow } from '#renderer/state/now.ts';
import { SettleDialog } from './SettleDialog.tsx';

/**
 * Since when a RUNNING run has written nothing, with the way to settle it; nothing for every other. The dialog stays when
 * the run writes again meanwhile, and then says so when it is sent.
 */
export function SilentLine(props: { runId: string; since: string | null }): JSX.Element {
  const [asked, setAsked] = createSignal<string>();
  const now = createNow(() => props.since !== null);
  const readOnly = useReadOnlyReason();
  return (
    <>
      <Show when={props.since}>
        {(time) => (
          <div class="run-message run-silent" role="status">
            <strong>No data</strong>
            <span>
              since <span title={formatFullTime(time())}>{formatTime(time())}</span> (
              {formatAge(time(), now())}). The runner may have crashed.
            </span>
            <Button size="small" disabledReason={readOnly()} onClick={() => setAsked(time())}>
              Settle…
            </Button>
          </div>
        )}
      </Show>
      <SettleDialog
        runId={props.runId}
        since={asked() ?? ''}
        open={asked() !== undefined}
        onClose={() => setAsked(undefined)}
      />
    </>
  );
}
