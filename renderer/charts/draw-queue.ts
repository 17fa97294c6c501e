const waiting = new Map<Element, () => void>();

/**
 * Draws soon, one picture per task, so that the page responds in between: those in the window first, the others in their
 * order. A later call for the same place replaces the earlier one.
 */
export function drawSoon(place: Element, draw: () => void): void {
  if (waiting.size === 0) setTimeout(drawNext);
  waiting.set(place, draw);
}

/** Takes back what is to be drawn at a place that goes away. */
export function cancelDrawing(place: Element): void {
  waiting.delete(place);
}

function drawNext(): void {
  const all = [...waiting];
  const next = all.find(([place]) => isInWindow(place)) ?? all[0];
  if (!next) return;
  const [place, draw] = next;
  waiting.delete(place);
  if (waiting.size > 0) setTimeout(drawNext);
  draw();
}

function isInWindow(place: Element): boolean {
  const { top, bottom } = place.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
