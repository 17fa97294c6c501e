import type { JSX } from 'solid-js';
import type { Insights } from '#shared/schemas/insights.ts';
import { InsideTab, type InsideProps } from './InsideTab.tsx';
import { makeTelemetryEntries } from './telemetry-entries.ts';
import type { SpecsByFamily } from '#renderer/features/runs/telemetry-specs.ts';

interface SeriesTabProps extends InsideProps {
  /** Content of the tab, as in "No … for this run". */
  what: string;
  specs: SpecsByFamily;
}

/** Telemetry of a run, as line charts only. */
export function SeriesTab(props: SeriesTabProps): JSX.Element {
  const entries = (insights: Insights) =>
    makeTelemetryEntries(insights, props.diagnoses, props.specs[insights.family]);
  return <InsideTab {...props} entries={entries} />;
}
