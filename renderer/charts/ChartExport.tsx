import { createSignal, type JSX } from 'solid-js';
import { downloadBlob, downloadText } from '#renderer/ui/clipboard.ts';
import { asProblemError, isScriptMissing } from '#renderer/state/problem-error.ts';
import { getCsv } from '#renderer/ui/table/csv.ts';
import { Icon } from '#renderer/ui/Icon.tsx';
import { Menu, MenuChoices, MenuItem } from '#renderer/ui/Menu.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { Scene } from './scene.ts';
import { getTable } from './table.ts';
import type { PictureWidth } from './tex.ts';
import { getLightTheme } from './theme.ts';

interface ChartExportProps {
  scene: Scene;
  title: string;
  /** Describes the chart and its limitations. */
  caption: string;
  fileName: string;
  /** Returns the size of the picture on the screen, in pixels. */
  size: () => { width: number; height: number };
}

const widths: Readonly<Record<PictureWidth, string>> = {
  screen: 'As on the screen',
  '85 mm': '85 mm',
  '178 mm': '178 mm',
};

/** A menu that saves the chart as PNG, SVG or LaTeX source in a chosen width, or its numbers as CSV. */
export function ChartExport(props: ChartExportProps): JSX.Element {
  const [width, setWidth] = createSignal<PictureWidth>('screen');
  const savePicture = async (format: 'png' | 'svg'): Promise<void> => {
    const { scene, title, caption, fileName } = props;
    try {
      const { getPng, makeSvgFile } = await import('./exports.ts');
      const svg = await makeSvgFile(scene, width(), props.size(), { title, caption });
      const picture =
        format === 'png' ? await getPng(svg) : new Blob([svg], { type: 'image/svg+xml' });
      downloadBlob(`${fileName}.${format}`, picture);
    } catch (error) {
      showToast(
        isScriptMissing(error)
          ? asProblemError(error).detail
          : 'The chart could not be exported as an image. Export its numbers as CSV instead.',
        'failure',
      );
    }
  };
  const saveSource = async (): Promise<void> => {
    const { scene, title, caption, fileName } = props;
    try {
      const { noHeatMap, makeTexFile } = await import('./tex.ts');
      const source = makeTexFile(scene, getLightTheme(), width(), { title, caption });
      if (source === null) showToast(noHeatMap, 'failure');
      else downloadText(`${fileName}.tex`, source, 'text/x-tex;charset=utf-8');
    } catch (error) {
      showToast(asProblemError(error).detail, 'failure');
    }
  };
  const saveNumbers = (): void => {
    const { columns, rows } = getTable(props.scene);
    downloadText(`${props.fileName}.csv`, getCsv(columns, rows), 'text/csv;charset=utf-8');
  };
  return (
    <Menu
      label={`Export ${props.title}`}
      of="Export"
      class="button button-plain button-small"
      button={
        <>
          Export
          <Icon name="down" size={12} />
        </>
      }
    >
      <MenuItem onSelect={() => void savePicture('png')}>PNG</MenuItem>
      <MenuItem onSelect={() => void savePicture('svg')}>SVG</MenuItem>
      <MenuItem onSelect={() => void saveSource()}>LaTeX (pgfplots) with its data</MenuItem>
      <MenuItem onSelect={saveNumbers}>CSV, all numbers</MenuItem>
      <MenuChoices
        title="Width of the exported chart"
        labels={widths}
        value={width()}
        onChoose={setWidth}
      />
    </Menu>
  );
}
