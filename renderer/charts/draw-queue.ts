const pendingDrawings = new Map<Element, () => void>();

/**
 * Draws soon, one picture per task, so that the page responds in between: those in the window first, the others in
 * their order. A later call for the same place replaces the earlier one.
 */
export function drawSoon(place: Element, draw: () => void): void {
  if (pendingDrawings.size === 0) setTimeout(drawNext);
  pendingDrawings.set(place, draw);
}

/** Cancels the pending drawing at a place, if there is one. */
export function cancelDrawing(place: Element): void {
  pendingDrawings.delete(place);
}

function drawNext(): void {
  const all = [...pendingDrawings];
  const next = all.find(([place]) => isInWindow(place)) ?? all[0];
  if (!next) return;
  const [place, draw] = next;
  pendingDrawings.delete(place);
  if (pendingDrawings.size > 0) setTimeout(drawNext);
  draw();
}

function isInWindow(place: Element): boolean {
  const { top, bottom } = place.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
