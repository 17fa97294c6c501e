/** The content of the start page, which the window shows until there is a page of the service. */
export interface StartState {
  /** The current step, in a few words. */
  readonly step: string;
  /** Reason why there is no service; undefined during the start. */
  readonly failure?: string | undefined;
}

/** Content Security Policy: the page runs no script and loads nothing, because there is no service yet. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";

const style = `
:root { color-scheme: light dark; --paper: #f7f9fa; --ink: #1b2429; --muted: #55636b; --line: #d5dde1; --accent: #0b6e99; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0d1216; --ink: #e4eaed; --muted: #9aa8b0; --line: #2a353c; --accent: #58b4dc; }
}
body { display: grid; place-content: center; gap: 14px; width: 34rem; max-width: 90vw; min-height: 100vh; margin: 0 auto;
  background: var(--paper); color: var(--ink); font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
svg { width: 48px; fill: none; stroke: var(--accent); stroke-width: 1.8; stroke-linecap: round; }
h1 { margin: 0; font-size: 20px; font-weight: 600; }
p { margin: 0; color: var(--muted); }
.bar { overflow: hidden; width: 20rem; height: 3px; border-radius: 2px; background: var(--line); }
.bar::after { display: block; width: 30%; height: 100%; background: var(--accent); content: ''; animation: run 1.4s infinite; }
@keyframes run { from { transform: translateX(-100%); } to { transform: translateX(340%); } }
@media (prefers-reduced-motion: reduce) { .bar::after { width: 100%; opacity: 0.5; animation: none; } }
`;

/** Returns the page as a `data:` URL: the current step with a progress bar, or the failure. */
export function makeStartPage({ step, failure }: StartState): string {
  const state =
    failure === undefined
      ? `<p role="status">${escapeHtml(step)}…</p><div class="bar"></div>`
      : `<p role="alert">${escapeHtml(failure)}</p>`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Evoscope</title><style>${style}</style></head><body>
<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2.5 20c4 0 4.5-15 7.5-15s3.5 9 6 12c1.5 1.8 3 3 5.5 3"/><circle cx="10" cy="5" r="1.8"/></svg>
<h1>Evoscope</h1>${state}</body></html>`;
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
