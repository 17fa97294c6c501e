// Runs before the first paint, ahead of the application's modules, so that a chosen theme never flashes.
(function setThemeBeforeFirstPaint() {
  let chosen = null;
  try {
    chosen = localStorage.getItem('evoscope.theme');
  } catch {
    // Storage may be denied; the system's theme is right then.
  }
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
