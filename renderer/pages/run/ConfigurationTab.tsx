import type { JSX } from 'solid-js';
import type { RunDetail } from '#shared/schemas/run.ts';
import { useRunParams } from '#renderer/api/queries.ts';
import { Configuration } from '#renderer/components/configuration/Configuration.tsx';

/** The configuration of a run as it was written, and flattened into parameters. */
export function ConfigurationTab(props: { run: RunDetail }): JSX.Element {
  const params = useRunParams(() => props.run.runId);
  return <Configuration source={{ ...props.run, fileName: props.run.runId }} params={params} />;
}
