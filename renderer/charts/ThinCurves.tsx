import { createEffect, createMemo, Index, onCleanup, type JSX } from 'solid-js';
import { cancelDrawing, drawSoon } from './draw-queue.ts';
import { coverPixels, getThinMarks, maximumTracePoints } from './drawable.ts';
import type { Picture } from './layout.ts';
import { restIndex } from './palette.ts';
import type { RunsMark, View } from './scene.ts';
import { looks, getSeriesLook } from './theme.ts';

interface ThinCurvesProps {
  picture: Picture;
  /** The part that is visible during a drag; an absent axis is that of the picture. */
  visibleView: View;
}

/**
 * The thin curves of single runs and of series that are not emphasised, behind a picture. One canvas per colour draws a
 * thousand of them in milliseconds.
 */
export function ThinCurves(props: ThinCurvesProps): JSX.Element {
  const marks = createMemo(() =>
    getThinMarks(props.picture.scene, {
      points: maximumTracePoints,
      width: props.picture.area.width,
    }),
  );
  return (
    <Index each={marks()}>
      {(mark) => {
        let canvas!: HTMLCanvasElement;
        createEffect(() => {
          const [runs, picture, visibleView] = [mark(), props.picture, props.visibleView];
          drawSoon(canvas, () => paint(canvas, runs, picture, visibleView));
        });
        onCleanup(() => cancelDrawing(canvas));
        return (
          <canvas
            ref={(node) => (canvas = node)}
            class="chart-runs"
            aria-hidden="true"
            style={{ opacity: mark().paletteIndex === restIndex ? 1 : looks.runOpacity }}
          />
        );
      }}
    </Index>
  );
}

function paint(
  canvas: HTMLCanvasElement,
  mark: RunsMark,
  { area, scene, theme }: Picture,
  { x, y }: View,
): void {
  const ratio = window.devicePixelRatio;
  const { axes } = scene;
  const visibleAxes = {
    x: x ? { ...axes.x, scale: axes.x.scale.over(x) } : axes.x,
    y: y ? { ...axes.y, scale: axes.y.scale.over(y) } : axes.y,
  };
  const { width, height, covered } = coverPixels(mark, visibleAxes, {
    width: Math.round(area.width * ratio),
    height: Math.round(area.height * ratio),
    thickness: Math.max(1, Math.round(ratio)),
  });
  [canvas.width, canvas.height] = [width, height];
  for (const side of ['left', 'top', 'width', 'height'] as const) {
    canvas.style[side] = `${area[side]}px`;
  }
  const context = canvas.getContext('2d');
  if (!context) return;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let index = 0; index < covered.length; index += 1) {
    if (covered[index] === 1) pixels[index] = 0xffffffff;
  }
  context.putImageData(image, 0, 0);
  // The colour, in any notation, replaces the white of the curves.
  context.globalCompositeOperation = 'source-in';
  context.fillStyle = getSeriesLook(theme, mark.paletteIndex).color;
  context.fillRect(0, 0, width, height);
}
