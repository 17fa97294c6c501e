import { A } from '@solidjs/router';
import { createMemo, For, Show, type JSX } from 'solid-js';
import { formatCount, formatDuration, formatFitness, noValue } from '#shared/number-format.ts';
import type { RunForecast } from '#shared/schemas/run-forecast.ts';
import type { IterationRow, RunDetail } from '#shared/schemas/run.ts';
import { getEndTime } from '#shared/words.ts';
import { CopyableId } from '#renderer/ui/CopyableId.tsx';
import { Fact, PageFacts, Stat, TimeFact } from '#renderer/ui/Facts.tsx';
import { StatusBadge } from '#renderer/features/runs/StatusBadge.tsx';
import type { StopSubject } from '#renderer/features/stop-and-delete/stop-progress.ts';
import { Tags } from '#renderer/features/notes/Tags.tsx';
import { StopProgress } from '#renderer/features/stop-and-delete/StopProgress.tsx';
import { getCampaignName } from '#renderer/names.ts';
import { getCampaignPath, getExperimentPath } from '#renderer/paths.ts';
import { DiagnosisChips } from './DiagnosisChips.tsx';
import type { Diagnoses } from '#renderer/features/runs/diagnoses.ts';
import { PaceLine } from './PaceLine.tsx';
import { RunDetails } from './RunDetails.tsx';
import { getRunMessages } from './run-message.ts';
import { getRunProgress } from './run-progress.ts';
import { SilentLine } from './SilentLine.tsx';

interface RunHeadProps {
  run: RunDetail;
  iterations: readonly IterationRow[];
  diagnoses: Diagnoses;
  /** The last activity of a silent run, as stored; null for every other run. */
  silentSince: string | null;
  forecast: RunForecast | undefined;
}

/** The state of a run: its results, or its progress while there are none. */
export function RunHead(props: RunHeadProps): JSX.Element {
  // A seed may have 19 digits, for which the strip has no room.
  const isSeedLong = (): boolean => String(props.run.seed ?? '').length > 10;
  const stopSubject = (): StopSubject => ({
    kind: 'run',
    id: props.run.runId,
    status: props.run.status,
    request: props.run.stopRequest,
  });
  const progress = createMemo(() => getRunProgress(props.run, props.iterations));
  return (
    <PageFacts
      stats={
        <>
          <Stat term="Status">
            <StatusBadge status={props.run.status} isSilent={props.silentSince !== null} />
          </Stat>
          <Stat
            term={progress().isFromIterations ? 'Best so far' : 'Best'}
            value={formatFitness(progress().best)}
            note={
              props.run.targetFitness !== null &&
              `of target ${formatFitness(props.run.targetFitness)}`
            }
          />
          <Stat
            term="Iterations"
            value={formatCount(progress().iterations)}
            note={
              props.run.maxIterations !== null && `of max. ${formatCount(props.run.maxIterations)}`
            }
          />
          <Stat term="Evaluations" value={formatCount(progress().evaluations)} />
          <Stat
            term="Runtime"
            value={formatDuration(progress().runtimeMillis)}
            note={progress().isFromIterations && 'so far'}
          />
          <Stat term="Algorithm" value={props.run.algorithmType} note={props.run.modelType} />
          <Stat
            term="Problem"
            value={props.run.problemType}
            note={props.run.direction === 'min' ? 'minimised' : 'maximised'}
          />
          <Show when={!isSeedLong()}>
            <Stat term="Seed" value={props.run.seed ?? 'none'} />
          </Show>
        </>
      }
      line={
        <>
          <Tags tags={props.run.tags} isBaseline={props.run.isBaseline} />
          <DiagnosisChips diagnoses={props.diagnoses} />
          <SilentLine runId={props.run.runId} since={props.silentSince} />
          <PaceLine run={props.run} forecast={props.forecast} />
          <RunMessage run={props.run} />
          <StopProgress subject={stopSubject()} isBrief />
          <span class="facts-links">
            <Show when={props.run.trial}>
              {(trial) => <A href={getCampaignPath(trial().campaignId)}>Open campaign</A>}
            </Show>
            <A href={getExperimentPath(props.run.experimentId)}>Open experiment</A>
          </span>
        </>
      }
    >
      <div class="facts">
        <Show when={props.run.runName}>
          <Fact term="Name">{props.run.runName}</Fact>
        </Show>
        <Show when={props.run.note}>
          <Fact term="Note">
            <span class="typed-text">{props.run.note}</span>
          </Fact>
        </Show>
        <Show when={isSeedLong()}>
          <Fact term="Seed">{props.run.seed}</Fact>
        </Show>
        <TimeFact term="Started" time={props.run.startTime} />
        <TimeFact term="Ended" time={getEndTime(props.run)} />
        <Fact term="Run">
          <CopyableId id={props.run.runId} of="run" />
        </Fact>
        <Fact term="Experiment">
          <CopyableId id={props.run.experimentId} of="experiment" />
        </Fact>
        <Show when={props.run.trial}>
          {(trial) => (
            <Fact term="Trial of campaign">
              <A href={getCampaignPath(trial().campaignId)}>{getCampaignName(trial())}</A>
              <span class="muted">
                {trial().optimizerId}, f{trial().functionId ?? noValue}, dimension{' '}
                {trial().dimension ?? noValue}, instance {trial().instanceId ?? noValue}
              </span>
            </Fact>
          )}
        </Show>
        <Show when={props.run.resumedFrom}>
          {(path) => <Fact term="Resumed from">{path()}</Fact>}
        </Show>
      </div>
      <RunMessage run={props.run} isWhole />
      <StopProgress subject={stopSubject()} />
      <RunDetails run={props.run} />
    </PageFacts>
  );
}

/** The reasons why a run failed or stopped, each in one line, or as a whole. */
function RunMessage(props: { run: RunDetail; isWhole?: boolean }): JSX.Element {
  return (
    <For each={getRunMessages(props.run)}>
      {(message) => (
        <p
          class={`run-message run-message-${message.kind}`}
          classList={{ 'run-message-brief': props.isWhole !== true }}
          title={props.isWhole === true ? undefined : message.text}
        >
          <strong>{message.title}</strong>
          <span>{message.text}</span>
        </p>
      )}
    </For>
  );
}
