import type { AcrossQuery } from '#shared/schemas/analysis-across.ts';
import type { AnalysisNote } from '#shared/schemas/analysis-note.ts';
import type { Place } from './across-places.ts';
import { isShared, type InstanceResults } from './across-cells.ts';
import { note, noteIf } from './notes.ts';

/** What the notes of a table across instances are about. */
export interface AcrossFacts {
  /** All that were chosen. */
  places: readonly Place[];
  /** Those that have the target that the measure needs. */
  targeted: readonly Place[];
  /** Those that can be compared. */
  results: readonly (InstanceResults & { place: Place; pooled: ReadonlySet<string> })[];
  groups: readonly string[];
  /** Label of each group. */
  names: ReadonlyMap<string, string>;
  missing: AcrossQuery['missing'];
}

/** Everything that a careful reader of the table must know. */
export function acrossNotes(facts: AcrossFacts): AnalysisNote[] {
  const { places, targeted, results, missing } = facts;
  const untargeted = places.filter((place) => !targeted.includes(place));
  const compared = new Set(results.map(({ place }) => place));
  const single = targeted.filter((place) => !compared.has(place));
  return [
    ...noteIf(untargeted.length > 0, 'INSTANCES_WITHOUT_TARGET', untargeted.map(labelOf)),
    ...noteIf(single.length > 0, 'INSTANCES_NOT_COMPARED', single.map(labelOf)),
    ...lackNotes(facts),
    ...noteIf(missing === 'shared' && results.filter(isShared).length < 2, 'FEW_SHARED_INSTANCES'),
    ...pooledNotes(facts),
  ];
}

function labelOf({ label }: Place): string {
  return label;
}

function lackNotes({ results, groups, names, missing }: AcrossFacts): AnalysisNote[] {
  return groups.flatMap((group, index) => {
    const lacking = results.filter((one) => one.results[index]?.value === null);
    if (lacking.length === 0) return [];
    const labels = lacking.map(({ place }) => place.label);
    const name = names.get(group) ?? group;
    return [note('GROUP_LACKS_INSTANCES', name, labels, results.length, missing)];
  });
}

function pooledNotes({ results, groups, names }: AcrossFacts): AnalysisNote[] {
  return groups.flatMap((group) => {
    const pooled = results.filter((one) => one.pooled.has(group));
    return noteIf(
      pooled.length > 0,
      'POOLED_ON_INSTANCES',
      names.get(group) ?? group,
      pooled.length,
    );
  });
}
