import { areAllSilent } from '#renderer/features/runs/run-counters.ts';
import { Show, type JSX } from 'solid-js';
import { describeDirectionSource } from '#renderer/features/analysis/objective.ts';
import { formatCount, formatFitness } from '#shared/number-format.ts';
import type { ExperimentDetail } from '#shared/schemas/experiment.ts';
import { CopyableId } from '#renderer/ui/CopyableId.tsx';
import { Fact, PageFacts, Stat, TimeFact } from '#renderer/ui/Facts.tsx';
import { RunCounters } from '#renderer/features/runs/RunCounters.tsx';
import { StatusBadge } from '#renderer/features/runs/StatusBadge.tsx';
import type { StopSubject } from '#renderer/features/stop-and-delete/stop-progress.ts';
import { Tags } from '#renderer/features/notes/Tags.tsx';
import { StopProgress } from '#renderer/features/stop-and-delete/StopProgress.tsx';

const directionWords = { min: 'minimise', max: 'maximise' } as const;

/** Head of an experiment: its status and its configuration. */
export function ExperimentHead(props: { experiment: ExperimentDetail }): JSX.Element {
  const stopSubject = (): StopSubject => ({
    kind: 'experiment',
    id: props.experiment.experimentId,
    status: props.experiment.status,
    request: props.experiment.stopRequest,
  });
  return (
    <PageFacts
      stats={
        <>
          <Stat term="Status">
            <StatusBadge
              status={props.experiment.status}
              isSilent={areAllSilent(props.experiment)}
            />
          </Stat>
          <Stat term="Runs">
            <RunCounters counts={props.experiment} detailed />
          </Stat>
          <Stat
            term="Algorithm"
            value={props.experiment.algorithmType}
            note={props.experiment.modelType}
          />
          <Stat term="Problem" value={props.experiment.problemType} />
          <Stat
            term="Direction"
            value={directionWords[props.experiment.direction]}
            note={describeDirectionSource(props.experiment)}
          />
          <Show
            when={props.experiment.targetFitness !== null}
            fallback={<Stat term="Target" note="none in config" />}
          >
            <Stat
              term="Target"
              value={formatFitness(props.experiment.targetFitness)}
              note="from config"
            />
          </Show>
        </>
      }
      line={
        <>
          <Tags tags={props.experiment.tags} isBaseline={props.experiment.isBaseline} />
          <StopProgress subject={stopSubject()} isBrief />
          <span class="facts-links">
            <TimeFact term="Created" time={props.experiment.createdAt} />
          </span>
        </>
      }
    >
      <div class="facts">
        <Show when={props.experiment.note}>
          <Fact term="Note">
            <span class="typed-text">{props.experiment.note}</span>
          </Fact>
        </Show>
        <Fact term="Experiment">
          <CopyableId id={props.experiment.experimentId} of="experiment" />
        </Fact>
        <Fact term="Representation">{props.experiment.representationType}</Fact>
        <Fact term="Selection">{props.experiment.selectionType}</Fact>
        <Fact term="Replacement">{props.experiment.replacementType}</Fact>
        <Fact term="Stopping">{props.experiment.stoppingType}</Fact>
        <Fact term="Iteration limit">{formatCount(props.experiment.maxIterations)}</Fact>
        <Fact term="Schema">{props.experiment.schemaVersion}</Fact>
        <Show when={props.experiment.configHash !== props.experiment.experimentId}>
          <Fact term="Configuration hash">
            <CopyableId id={props.experiment.configHash} of="configuration" />
          </Fact>
        </Show>
      </div>
      <StopProgress subject={stopSubject()} />
    </PageFacts>
  );
}
