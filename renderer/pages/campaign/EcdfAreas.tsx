import { For, type JSX } from 'solid-js';
import { formatCount, formatRuntime, formatShare } from '#shared/number-format.ts';
import type { CampaignEcdf, EcdfCurve } from '#shared/schemas/coco-analysis.ts';
import { areaUpTo, shareAt } from '#renderer/charts/figures/target-ecdf.ts';
import { paletteColor } from '#renderer/charts/palette.ts';
import { HeadsWithTerms } from '#renderer/components/TermCard.tsx';
import { Card } from '#renderer/components/Card.tsx';

const heads = ['Optimizer', 'Area', 'Solved', 'Trials'];

interface EcdfAreasProps {
  answer: CampaignEcdf;
  /** Evaluations / dimension at which the curves are cut; undefined without trials. */
  cut: number | undefined;
  paletteOf: (optimizer: string) => number;
}

/** What each optimizer reached up to the cut: the area under its curve and the share solved. Follows the cut at once. */
export function EcdfAreas(props: EcdfAreasProps): JSX.Element {
  const cut = (): number => props.cut ?? 1;
  // Where the service has taken the area to this very budget it is exact; else it is that under the drawn steps.
  const area = (curve: EcdfCurve): number =>
    props.answer.budget !== null && Math.abs(props.answer.budget / cut() - 1) < 1e-3
      ? curve.area
      : areaUpTo(curve.points, cut());
  return (
    <Card
      title={`Up to ${formatRuntime(props.cut)} evaluations / dimension`}
      description="Drag the line, or move it with the arrow keys. Area: share solved, averaged over the logarithm of the budget from 1 to the cut"
      flush
    >
      <div class="table-scroll">
        <table class="table ecdf-areas">
          <thead>
            <tr>
              <HeadsWithTerms texts={heads} />
            </tr>
          </thead>
          <tbody>
            <For each={props.answer.curves}>
              {(curve) => (
                <tr>
                  <td>
                    <span class="group-name">
                      <span
                        class="swatch"
                        style={{ background: paletteColor(props.paletteOf(curve.optimizer)) }}
                      />
                      <span class="clip" title={curve.optimizer}>
                        {curve.optimizer}
                      </span>
                    </span>
                  </td>
                  <td>{area(curve).toFixed(3)}</td>
                  <td>{formatShare(shareAt(curve.points, cut()))}</td>
                  <td>{formatCount(curve.trials)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
    </Card>
  );
}
