import { beforeAll, expect, test, vi } from 'vitest';
import { cancelDrawing, drawSoon } from '#renderer/charts/draw-queue.ts';

beforeAll(() => void vi.stubGlobal('window', { innerHeight: 800 }));

const placeAt = (top: number): Element =>
  ({ getBoundingClientRect: () => ({ top, bottom: top + 300 }) }) as Element;

/** Resolves in a separate task, after the pending tasks. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

test('pictures are drawn one a task, those in the window first, the others in their order', async () => {
  const drawn: string[] = [];
  const places = {
    above: placeAt(-400),
    below: placeAt(900),
    seen: placeAt(100),
    alsoSeen: placeAt(700),
  };
  for (const [name, place] of Object.entries(places)) drawSoon(place, () => drawn.push(name));
  expect(drawn).toEqual([]);
  await nextTask();
  expect(drawn).toEqual(['seen']);
  await vi.waitFor(() => expect(drawn).toEqual(['seen', 'alsoSeen', 'above', 'below']));
});

test('a place is drawn once as it is last, and not at all when it goes away', async () => {
  const drawn: string[] = [];
  const [kept, gone] = [placeAt(0), placeAt(0)];
  drawSoon(kept, () => drawn.push('former'));
  drawSoon(gone, () => drawn.push('gone'));
  drawSoon(kept, () => drawn.push('latter'));
  cancelDrawing(gone);
  await nextTask();
  await nextTask();
  expect(drawn).toEqual(['latter']);
});
