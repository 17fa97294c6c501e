import { A, useNavigate } from '@solidjs/router';
import { Show, type JSX } from 'solid-js';
import type { ExperimentDetail } from '#shared/schemas/experiment.ts';
import { useEndpoint } from '#renderer/api/queries.ts';
import { ArchiveButton } from '#renderer/features/archive/ArchiveButton.tsx';
import { ExportMenu } from '#renderer/features/export/ExportMenu.tsx';
import { DeleteButton } from '#renderer/features/stop-and-delete/DeleteDialog.tsx';
import { EmptyState } from '#renderer/ui/EmptyState.tsx';
import { formatSentence } from '#renderer/ui/sentence.ts';
import { NotesButton } from '#renderer/features/notes/NotesButton.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { QueryView } from '#renderer/ui/QueryView.tsx';
import { Skeleton } from '#renderer/ui/Skeleton.tsx';
import { StopButton } from '#renderer/features/stop-and-delete/StopButton.tsx';
import { getExperimentName } from '#renderer/names.ts';
import { getShortId } from '#shared/words.ts';
import { getExperimentTarget } from '#renderer/features/stop-and-delete/targets.ts';
import { ExperimentHead } from './ExperimentHead.tsx';
import { ExperimentTabs } from './ExperimentTabs.tsx';
import './experiment.css';
import { usePathText } from '#renderer/state/url.ts';

const listPath = '/experiments';
const crumbs = [{ label: 'Experiments', href: listPath }];

/** One experiment: its statistics, runs and configuration, with actions. */
export function ExperimentPage(): JSX.Element {
  const experimentId = usePathText('experimentId');
  // Another experiment is another page: no state of this one applies there.
  return (
    <Show when={experimentId()} keyed>
      {(id) => <ExperimentView experimentId={id} />}
    </Show>
  );
}

function ExperimentView(props: { experimentId: string }): JSX.Element {
  const experiment = useEndpoint('getExperiment', () => ({
    params: { experimentId: props.experimentId },
  }));
  const isUnknown = (): boolean => experiment.error?.code === 'EXPERIMENT_NOT_FOUND';
  return (
    <>
      <PageHeader
        title={
          experiment.data ? getExperimentName(experiment.data) : getShortId(props.experimentId)
        }
        crumbs={crumbs}
        actions={
          <Show when={!isUnknown() && experiment.data}>
            {(data) => <Toolbar experiment={data()} />}
          </Show>
        }
      />
      <Show
        when={!isUnknown()}
        fallback={
          <EmptyState title="Experiment not found" actions={<A href={listPath}>All experiments</A>}>
            {formatSentence(experiment.error?.detail ?? '')}
          </EmptyState>
        }
      >
        <QueryView
          query={experiment}
          skeleton={<Skeleton content="experiment" shape={{ blockPixels: 420 }} />}
        >
          {(data) => (
            <div class="experiment-page">
              <ExperimentHead experiment={data()} />
              <ExperimentTabs experiment={data} />
            </div>
          )}
        </QueryView>
      </Show>
    </>
  );
}

function Toolbar(props: { experiment: ExperimentDetail }): JSX.Element {
  const navigate = useNavigate();
  return (
    <>
      <ExportMenu kind="experiment" subjectId={props.experiment.experimentId} />
      <ArchiveButton
        subject={getShortId(props.experiment.experimentId)}
        data={{ kind: 'problem', subjectIds: [props.experiment.problemType] }}
      />
      <NotesButton
        subject={{
          kind: 'experiment',
          id: props.experiment.experimentId,
          name: getExperimentName({ ...props.experiment, displayName: null }),
        }}
      />
      <StopButton
        targets={[getExperimentTarget(props.experiment)]}
        disabledReason={
          props.experiment.runningRuns > 0 ? undefined : 'No run of this experiment is RUNNING.'
        }
      >
        Stop experiment
      </StopButton>
      <DeleteButton
        kind="danger"
        targets={[getExperimentTarget(props.experiment)]}
        onDeleted={() => navigate(listPath, { replace: true })}
      >
        Delete experiment
      </DeleteButton>
    </>
  );
}
