import type { JSX } from 'solid-js';
import { InsideTab, type InsideProps } from './InsideTab.tsx';
import { telemetryEntries } from './telemetry-entries.ts';
import { diversitySpecs, driftSpecs } from './telemetry-specs.ts';

/** How different the individuals of a run are, of the population and of its elite. */
export function DiversityTab(props: InsideProps): JSX.Element {
  return (
    <InsideTab
      {...props}
      what="diversity"
      entries={(insights) =>
        telemetryEntries(insights, props.diagnoses, diversitySpecs[insights.family])
      }
    />
  );
}

/** How far the model of a run moves from one generation to the next. */
export function DriftTab(props: InsideProps): JSX.Element {
  return (
    <InsideTab
      {...props}
      what="drift of the model"
      entries={(insights) =>
        telemetryEntries(insights, props.diagnoses, driftSpecs[insights.family])
      }
    />
  );
}
