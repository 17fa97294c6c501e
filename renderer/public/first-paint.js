// Runs before the first paint and the application's modules, so that a chosen theme does not flash.
(function setThemeBeforeFirstPaint() {
  let chosen = null;
  try {
    chosen = localStorage.getItem('evoscope.theme');
  } catch {
    // Without storage the system's theme applies.
  }
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
