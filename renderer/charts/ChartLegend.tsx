import { createMemo, For, Show, type JSX } from 'solid-js';
import { Check } from '#renderer/ui/Check.tsx';
import { Icon } from '#renderer/ui/Icon.tsx';
import { Popover } from '#renderer/ui/Popover.tsx';
import { SearchableList } from '#renderer/ui/SearchableList.tsx';
import type { ChartState } from './chart-state.ts';
import { toggleName } from './emphasis.ts';
import { getPaletteLook, getPaletteColor, paletteSize, restIndex } from './palette.ts';
import { hasRest, getLegendMarks, type Scene } from './scene.ts';

type LegendMark = ReturnType<typeof getLegendMarks>[number];

interface ChartLegendProps {
  scene: Scene;
  state: ChartState;
  /** Receives the series under the pointer or with the focus; undefined for none. */
  onPoint: (series: string | undefined) => void;
}

/**
 * Legend above a chart. A click hides or shows a curve on all charts of the page; a double click shows it alone. With
 * more curves than colours, it has the emphasised curves, which a click makes grey, and a list of all curves.
 */
export function ChartLegend(props: ChartLegendProps): JSX.Element {
  const curves = createMemo(() => getLegendMarks(props.scene));
  return (
    <Show when={curves().length > 0}>
      <Show
        when={hasRest(props.scene)}
        fallback={<AllSeries curves={curves()} scene={props.scene} state={props.state} />}
      >
        <EmphasisedSeries curves={curves()} state={props.state} onPoint={props.onPoint} />
      </Show>
    </Show>
  );
}

function AllSeries(props: {
  curves: readonly LegendMark[];
  scene: Scene;
  state: ChartState;
}): JSX.Element {
  const names = (): string[] => props.curves.map(({ series }) => series);
  const isHidden = (name: string): boolean => props.scene.hidden.has(name);
  return (
    <ul class="chart-legend" aria-label="Series">
      <For each={names()}>
        {(name, index) => (
          <li>
            <button
              type="button"
              class="chart-legend-entry"
              aria-pressed={!isHidden(name)}
              title={`${isHidden(name) ? 'Show' : 'Hide'} ${name}; double click for it alone`}
              onClick={(event) => {
                if (event.detail < 2) props.state.toggleSeries(name);
              }}
              onDblClick={() => props.state.isolateSeries(name, names())}
            >
              <LegendSample curve={props.curves[index()]} />
              {name}
              <Show when={props.curves[index()]?.note}>{(note) => <small>{note()}</small>}</Show>
            </button>
          </li>
        )}
      </For>
    </ul>
  );
}

function EmphasisedSeries(props: {
  curves: readonly LegendMark[];
  state: ChartState;
  onPoint: (series: string | undefined) => void;
}): JSX.Element {
  const all = (): string[] => props.curves.map(({ series }) => series);
  const getCurve = (name: string) => props.curves.find(({ series }) => series === name);
  const emphasis = createMemo(() =>
    props.curves
      .filter(({ paletteIndex }) => paletteIndex !== restIndex)
      .map(({ series }) => series),
  );
  const toggle = (name: string): void => props.state.emphasise(toggleName(emphasis(), name));
  const point = (name: string | undefined) => () => props.onPoint(name);
  return (
    <ul class="chart-legend" aria-label="Emphasised series">
      <For each={emphasis()}>
        {(name) => (
          <li>
            <button
              type="button"
              class="chart-legend-entry"
              aria-pressed="true"
              title={`Draw ${name} in grey`}
              onClick={() => toggle(name)}
              onPointerEnter={point(name)}
              onPointerLeave={point(undefined)}
            >
              <LegendSample curve={getCurve(name)} />
              {name}
              <Show when={getCurve(name)?.note}>{(note) => <small>{note()}</small>}</Show>
            </button>
          </li>
        )}
      </For>
      <li>
        <Popover
          label="Emphasised series"
          placement="bottom-start"
          buttonClass="chart-legend-entry"
          button={
            <>
              <LineSample paletteIndex={restIndex} />
              {`${all().length - emphasis().length} more`}
              <Icon name="down" size={12} />
            </>
          }
          onOpenChange={() => props.onPoint(undefined)}
        >
          <div class="popover-form">
            <SearchableList of="series" items={all()}>
              {(name) => (
                <div
                  onPointerEnter={point(name)}
                  onPointerLeave={point(undefined)}
                  onFocusIn={point(name)}
                >
                  <Check checked={emphasis().includes(name)} onChange={() => toggle(name)}>
                    <span class="choice-value clip" title={name}>
                      {name}
                    </span>
                  </Check>
                </div>
              )}
            </SearchableList>
            <p class="muted">At most {paletteSize} series have a colour.</p>
          </div>
        </Popover>
      </li>
    </ul>
  );
}

/** Sample of the line at a place of the palette. */
export function LineSample(props: { paletteIndex: number }): JSX.Element {
  return (
    <svg class="line-sample" viewBox="0 0 24 12" aria-hidden="true">
      <path
        d="M0 6H24"
        stroke-width="2"
        stroke={getPaletteColor(props.paletteIndex)}
        stroke-dasharray={getPaletteLook(props.paletteIndex).stroke}
      />
    </svg>
  );
}

function LegendSample(props: { curve: LegendMark | undefined }): JSX.Element {
  const paletteIndex = (): number => props.curve?.paletteIndex ?? 0;
  return (
    <Show
      when={props.curve?.mode === 'markers'}
      fallback={<LineSample paletteIndex={paletteIndex()} />}
    >
      <svg class="mark-sample" viewBox="0 0 12 12" aria-hidden="true">
        <path d={getPaletteLook(paletteIndex()).mark} fill={getPaletteColor(paletteIndex())} />
      </svg>
    </Show>
  );
}
