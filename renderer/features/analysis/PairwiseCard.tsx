import { createMemo, Show, type JSX } from 'solid-js';
import { describeCount } from '#shared/number-format.ts';
import type { Measure, MeasuredPair } from '#shared/schemas/analysis-measures.ts';
import type { ProblemComparison } from '#shared/schemas/analysis.ts';
import { measures } from '#shared/words.ts';
import { Button } from '#renderer/ui/Button.tsx';
import { Select } from '#renderer/ui/Select.tsx';
import { DataCard } from '#renderer/ui/table/DataCard.tsx';
import { asChoice, asFlag, asText } from '#renderer/state/url-kinds.ts';
import { createUrlSignal } from '#renderer/state/url.ts';
import type { GroupLook } from './group-looks.ts';
import { makePairColumns } from './pair-columns.tsx';
import {
  sortClaimedFirst,
  getTestedMeasures,
  measureWords,
  getPairId,
  getShownMeasure,
} from './pair-words.ts';
import { PageTerms } from '#renderer/ui/TermCard.tsx';
import { getTermsOfPairs } from './terms-here.ts';
import { TableLatex } from './TableLatex.tsx';
import { PairMatrix } from './PairMatrix.tsx';

interface PairwiseCardProps {
  response: ProblemComparison;
  look: (algorithm: string) => GroupLook;
  notes: readonly string[];
}

/** Every pair of groups with its test on the chosen measure, as a table or a matrix. */
export function PairwiseCard(props: PairwiseCardProps): JSX.Element {
  const [isMatrix, showMatrix] = createUrlSignal('pairs', asFlag('matrix'));
  const [selectedMeasure, choose] = createUrlSignal('measure', asChoice(measures, undefined));
  const measure = createMemo(() => getShownMeasure(props.response, selectedMeasure()));
  const [group, chooseGroup] = createUrlSignal('pair-group', asText());
  const all = (): readonly MeasuredPair[] => props.response.pairwise[measure()] ?? [];
  /** The group that the pairs are filtered by; undefined for all pairs. */
  const filter = createMemo(() =>
    props.response.algorithms.find(({ algorithm }) => algorithm === group()),
  );
  const pairs = createMemo((): readonly MeasuredPair[] => {
    const name = filter()?.algorithm;
    const visiblePairs = all().filter(({ a, b }) => name === undefined || a === name || b === name);
    const baseline = props.response.algorithms.find(({ isBaseline }) => isBaseline);
    return sortClaimedFirst(visiblePairs, baseline?.algorithm);
  });
  const getName = (algorithm: string): string => props.look(algorithm).name;
  return (
    <PageTerms terms={getTermsOfPairs(pairs(), getName, props.notes)}>
      <DataCard<MeasuredPair>
        name="pairs"
        urlKey="pair-"
        title="Pairwise tests"
        description={describePairs(measure(), props.response.guard, isMatrix())}
        controls={
          <>
            <Select
              label="Measure"
              size="small"
              value={measure()}
              options={getTestedMeasures(props.response)}
              onChange={choose}
            />
            <Show when={props.response.algorithms.length > 2}>
              <Select
                label="Pairs of"
                size="small"
                value={filter()?.algorithm ?? ''}
                options={[
                  { value: '', label: 'all groups' },
                  ...props.response.algorithms.map(({ algorithm, label }) => ({
                    value: algorithm,
                    label,
                  })),
                ]}
                onChange={chooseGroup}
              />
            </Show>
            <Button size="small" pressed={isMatrix()} onClick={() => showMatrix(!isMatrix())}>
              Matrix
            </Button>
            <TableLatex table={`pairs-${measure()}`} title="Pairwise tests" />
          </>
        }
        notes={props.notes}
        columns={makePairColumns(measure(), props.response.guard, getName)}
        rows={pairs()}
        rowId={getPairId}
        maxHeight="32rem"
        empty={
          props.response.algorithms.length > 1
            ? 'Too many groups for pairwise tests.'
            : 'Tests need at least two groups.'
        }
        instead={
          isMatrix() &&
          pairs().length > 0 && (
            <PairMatrix response={props.response} pairs={pairs()} look={props.look} />
          )
        }
      />
    </PageTerms>
  );
}

function describePairs(
  measure: Measure,
  { pairs }: Pick<ProblemComparison['guard'], 'pairs'>,
  isMatrix: boolean,
): string {
  const testedPairs = pairs.filter(({ isTested }) => isTested).length;
  return (
    `${measureWords[measure]}; adjusted over measures (min-p) and ${describeCount(testedPairs, 'pair')} (Holm); ` +
    `A12 > 0.5 favours ${isMatrix ? 'the row' : 'A'}`
  );
}
