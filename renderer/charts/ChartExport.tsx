import { DropdownMenu } from '@kobalte/core/dropdown-menu';
import type { JSX } from 'solid-js';
import { downloadBlob, downloadText } from '#renderer/components/clipboard.ts';
import { csvOf } from '#renderer/components/table/csv.ts';
import { Icon } from '#renderer/components/Icon.tsx';
import { Menu } from '#renderer/components/Menu.tsx';
import { showToast } from '#renderer/components/toaster.ts';
import type { DrawOptions } from './drawing.ts';
import { figureTable } from './figure-table.ts';
import type { Figure } from './figure.ts';
import { renderPicture, type PictureFormat } from './PlotlyChart.tsx';
import { createChartTheme } from './theme.ts';

interface ChartExportProps {
  figure: Figure;
  options: DrawOptions;
  title: string;
  fileName: string;
  size: () => { width: number; height: number };
}

/** A menu that saves the picture as PNG or SVG, as it is seen, or all of its numbers as CSV. */
export function ChartExport(props: ChartExportProps): JSX.Element {
  const theme = createChartTheme();
  const savePicture = async (format: PictureFormat): Promise<void> => {
    const { figure, options, title, fileName } = props;
    const { width, height } = props.size();
    const picture = { title, format, width: Math.max(width, 480), height: height + 60 };
    try {
      downloadBlob(`${fileName}.${format}`, await renderPicture(figure, theme(), options, picture));
    } catch {
      showToast('The picture could not be drawn. The numbers are still there as CSV.', 'failure');
    }
  };
  const saveNumbers = (): void => {
    const { columns, rows } = figureTable(props.figure);
    downloadText(`${props.fileName}.csv`, csvOf(columns, rows), 'text/csv;charset=utf-8');
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
      <DropdownMenu.Item class="menu-item" onSelect={() => void savePicture('png')}>
        PNG, as seen
      </DropdownMenu.Item>
      <DropdownMenu.Item class="menu-item" onSelect={() => void savePicture('svg')}>
        SVG, as seen
      </DropdownMenu.Item>
      <DropdownMenu.Item class="menu-item" onSelect={saveNumbers}>
        CSV, all numbers
      </DropdownMenu.Item>
    </Menu>
  );
}
