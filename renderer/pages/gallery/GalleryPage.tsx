import { createMemo, createSignal, onCleanup, type JSX } from 'solid-js';
import { ChartGrid } from '#renderer/charts/ChartGrid.tsx';
import { PageHeader } from '#renderer/features/frame/PageHeader.tsx';
import { useUrl } from '#renderer/state/url.ts';
import { makeGalleryEntries } from './gallery-entries.ts';

const growMillis = 500;

/** Every kind of chart with generated data; `?chart=<id>` shows a single chart, and may be repeated. */
export function GalleryPage(): JSX.Element {
  const url = useUrl();
  const [count, setCount] = createSignal(10);
  const timer = setInterval(() => setCount((length) => (length % 200) + 1), growMillis);
  onCleanup(() => clearInterval(timer));
  const entries = createMemo(() => makeGalleryEntries(count));
  const chartIds = (): readonly string[] => url.texts('chart');
  return (
    <>
      <PageHeader title="Chart gallery" />
      <ChartGrid
        subject="gallery"
        entries={entries().filter(({ id }) => chartIds().length === 0 || chartIds().includes(id))}
      />
    </>
  );
}
