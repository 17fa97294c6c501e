import { createMemo, Show, type JSX } from 'solid-js';
import type { CampaignDetail, CocoAggregate, CocoOptimizer } from '#shared/schemas/coco.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Dialog } from '#renderer/ui/Dialog.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { TextButtons } from '#renderer/ui/TextButtons.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import { getTrialFreshness } from './campaign-set.ts';
import { aggregateColumns, optimizerColumns } from './optimizer-columns.tsx';

interface OptimizersTabProps {
  campaign: CampaignDetail;
}

/** The optimizers of a campaign with their configurations, and the runner's aggregates. */
export function OptimizersTab(props: OptimizersTabProps): JSX.Element {
  const options = createMemo(() => ({
    params: { campaignId: props.campaign.campaignId },
    ...getTrialFreshness([props.campaign]),
  }));
  const optimizers = useEndpoint('listOptimizers', options);
  const aggregates = useEndpoint('listAggregates', options);
  // The open row is in the URL, like every view.
  const [openId, open] = createUrlSignal('config', asText());
  return (
    <div class="card-stack">
      <QueryView
        query={optimizers}
        skeleton={<Skeleton content="optimizers" shape="table" count={3} />}
      >
        {(rows) => (
          <>
            <DataCard<CocoOptimizer>
              name="optimizers"
              urlKey="optimizers."
              title="Optimizers"
              description="Click a row to open its configuration"
              columns={optimizerColumns}
              rows={rows()}
              rowId={(row) => row.optimizerId}
              onOpen={(row) => open(row.optimizerId)}
              empty="No optimizers recorded."
            />
            <ConfigurationDialog
              optimizer={rows().find(({ optimizerId }) => optimizerId === openId())}
              onClose={() => open('')}
            />
          </>
        )}
      </QueryView>
      <QueryView
        query={aggregates}
        skeleton={<Skeleton content="aggregates" shape="table" count={4} />}
      >
        {(rows) => (
          <DataCard<CocoAggregate>
            name="aggregates"
            urlKey="aggregates."
            title="Aggregates of the runner"
            description="As stored by the runner; the other tabs compute theirs from the trials"
            columns={aggregateColumns}
            rows={rows()}
            rowId={(row) => String(row.id)}
            empty="No aggregates recorded."
          />
        )}
      </QueryView>
    </div>
  );
}

interface ConfigurationDialogProps {
  optimizer: CocoOptimizer | undefined;
  onClose: () => void;
}

function ConfigurationDialog(props: ConfigurationDialogProps): JSX.Element {
  const name = (): string => props.optimizer?.label ?? props.optimizer?.optimizerId ?? '';
  return (
    <Dialog
      title={`Configuration of ${name()}`}
      description="As stored; secrets masked"
      size="wide"
      open={props.optimizer !== undefined}
      onClose={() => props.onClose()}
    >
      <Show when={props.optimizer}>
        {(optimizer) => (
          <div class="campaign-source">
            <pre class="source" tabIndex={0} role="region" aria-label="Configuration as YAML">
              {optimizer().configYaml}
            </pre>
            <footer class="dialog-foot">
              <TextButtons
                size="normal"
                text={optimizer().configYaml}
                name="the configuration"
                fileName={`${name()}.yaml`}
                mediaType="application/yaml"
              />
              <Button onClick={() => props.onClose()}>Close</Button>
            </footer>
          </div>
        )}
      </Show>
    </Dialog>
  );
}
