import { useNavigate } from '@solidjs/router';
import type { JSX } from 'solid-js';
import type { RunsOverlay, TelemetryOverlay } from '#shared/schemas/analysis-runs.ts';
import type { RunLook } from '#renderer/charts/figures/run-overlay.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { getRunPath } from '#renderer/paths.ts';
import type { ComparedSet } from './compared-set.ts';
import { resultColumns, type ResultRow } from './result-columns.tsx';

interface ResultsCardProps {
  overlay: RunsOverlay;
  /** Undefined until it is loaded. */
  telemetry: TelemetryOverlay | undefined;
  set: ComparedSet;
  getLook: (runId: string) => RunLook;
}

/** Results of each run, with actions. */
export function ResultsCard(props: ResultsCardProps): JSX.Element {
  const navigate = useNavigate();
  const getFindings = (runId: string): ResultRow['findings'] =>
    props.telemetry?.runs.find((run) => run.runId === runId)?.diagnosis;
  const rows = (): ResultRow[] => {
    const { runs, reference } = props.overlay;
    return runs.map((run) => ({
      ...run,
      ...props.getLook(run.runId),
      isReference: run.runId === reference,
      findings: getFindings(run.runId),
    }));
  };
  const toggleReference = ({ runId, isReference }: ResultRow): void =>
    props.set.setReference(isReference ? undefined : runId);
  return (
    <DataCard<ResultRow>
      name="compared-runs"
      urlKey=""
      title="Results"
      description={
        props.overlay.reference === null
          ? 'Final or current results. Any run can be the reference.'
          : `Small numbers: difference from the reference run, ${props.getLook(props.overlay.reference).name}`
      }
      columns={resultColumns}
      rows={rows()}
      rowId={({ runId }) => runId}
      onOpen={({ runId }) => navigate(getRunPath(runId))}
      actions={(row, context) => (
        <span class="row-actions">
          <Button
            size="small"
            pressed={row().isReference}
            tabIndex={context.tabIndex()}
            aria-label={`${row().name} as reference`}
            onClick={() => toggleReference(row())}
          >
            Reference
          </Button>
          <Button
            size="small"
            icon="cross"
            tabIndex={context.tabIndex()}
            aria-label={`Remove ${row().name}`}
            title="Remove from the comparison"
            onClick={() => props.set.remove(row().runId)}
          />
        </span>
      )}
      maxHeight="70vh"
      empty={null}
    />
  );
}
