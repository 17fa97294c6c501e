import { A } from '@solidjs/router';
import { createMemo, For, Show, type JSX } from 'solid-js';
import { formatCount, formatDuration, formatFitness, noValue } from '#shared/number-format.ts';
import type { IterationRow, RunDetail } from '#shared/schemas/run.ts';
import { CopyableId } from '#renderer/components/CopyableId.tsx';
import { Fact, Stat, TimeFact } from '#renderer/components/Facts.tsx';
import { StatusBadge } from '#renderer/components/StatusBadge.tsx';
import { StopProgress } from '#renderer/components/stop/StopProgress.tsx';
import { campaignName } from '#renderer/components/names.ts';
import { campaignPath, experimentPath } from '#renderer/paths.ts';
import { DiagnosisChips } from './DiagnosisChips.tsx';
import type { Diagnoses } from './inside/diagnoses.ts';
import { sortedObjectives } from './objectives.ts';
import { RunDetails } from './RunDetails.tsx';
import { runMessages } from './run-message.ts';
import { runProgress } from './run-progress.ts';
import { SilentLine } from './SilentLine.tsx';

interface RunHeadProps {
  run: RunDetail;
  iterations: readonly IterationRow[];
  diagnoses: Diagnoses;
  /** The last activity of a silent run, as stored; null for every other. */
  silentSince: string | null;
}

/** Most objectives beside the other facts; all are in the details. */
const maximumObjectives = 3;

/** How a run stands: its results, or its progress while there are none. */
export function RunHead(props: RunHeadProps): JSX.Element {
  // Of the 19 digits that a seed may have the strip would need a second line.
  const isSeedLong = (): boolean => String(props.run.seed ?? '').length > 10;
  const progress = createMemo(() => runProgress(props.run, props.iterations));
  return (
    <div class="run-head">
      <dl class="stat-strip">
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
        <Stat term="Iterations" value={formatCount(progress().iterations)}>
          <Show when={props.run.maxIterations !== null}>
            <small>
              of at most <span class="unbroken">{formatCount(props.run.maxIterations)}</span>
            </small>
          </Show>
        </Stat>
        <Stat term="Evaluations" value={formatCount(progress().evaluations)} />
        <Stat
          term="Runtime"
          value={formatDuration(progress().runtimeMillis)}
          note={progress().isFromIterations && 'to the newest iteration'}
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
      </dl>
      <DiagnosisChips diagnoses={props.diagnoses} />
      <SilentLine runId={props.run.runId} since={props.silentSince} />
      <RunMessage run={props.run} />
      <StopProgress
        subject={{
          kind: 'run',
          id: props.run.runId,
          status: props.run.status,
          request: props.run.stopRequest,
        }}
      />
      <div class="facts">
        <Show when={props.run.runName}>
          <Fact term="Name">{props.run.runName}</Fact>
        </Show>
        <Show when={isSeedLong()}>
          <Fact term="Seed">{props.run.seed}</Fact>
        </Show>
        <TimeFact term="Started" time={props.run.startTime} />
        <TimeFact term="Ended" time={props.run.endTime} />
        <Fact term="Run">
          <CopyableId id={props.run.runId} of="run" />
        </Fact>
        <Fact term="Experiment">
          <CopyableId id={props.run.experimentId} of="experiment" />
          <A href={experimentPath(props.run.experimentId)}>all its runs</A>
        </Fact>
        <Show when={props.run.trial}>
          {(trial) => (
            <Fact term="Trial of campaign">
              <A href={campaignPath(trial().campaignId)}>{campaignName(trial())}</A>
              <span class="muted">
                {trial().optimizerId}, f{trial().functionId ?? noValue}, dimension{' '}
                {trial().dimension ?? noValue}, instance {trial().instanceId ?? noValue}
              </span>
            </Fact>
          )}
        </Show>
        <Show when={props.run.objectives.length > 1}>
          <Fact term="Objectives">{objectivesText(props.run.objectives)}</Fact>
        </Show>
        <Show when={props.run.resumedFrom}>
          {(path) => <Fact term="Resumed from">{path()}</Fact>}
        </Show>
      </div>
      <RunDetails run={props.run} />
    </div>
  );
}

function objectivesText(objectives: RunDetail['objectives']): string {
  const shown = sortedObjectives(objectives).slice(0, maximumObjectives);
  const values = shown.map(({ value }) => formatFitness(value)).join(', ');
  return objectives.length > maximumObjectives ? `${values} of ${objectives.length}` : values;
}

/** Why a run failed or stopped, in full. */
function RunMessage(props: { run: RunDetail }): JSX.Element {
  return (
    <For each={runMessages(props.run)}>
      {(message) => (
        <p class={`run-message run-message-${message.kind}`}>
          <strong>{message.title}</strong>
          <span>{message.text}</span>
        </p>
      )}
    </For>
  );
}
