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

// The code of the opened page loads next to the application's; that of other pages once there is nothing else to do.
(function preloadCode() {
  const links = [...document.querySelectorAll('link[data-paths]')];
  // No page imports code without paths before it needs it.
  const isOfPage = ({ dataset: { paths } }) =>
    paths !== '' && new RegExp(`^(?:${paths})/?$`).test(location.pathname);
  const own = links.filter(isOfPage);
  for (const link of own) link.rel = 'modulepreload';
  const preloadOthers = () => {
    for (const link of links) if (!own.includes(link)) link.rel = 'prefetch';
  };
  // The data of the page come first.
  addEventListener('load', () => setTimeout(preloadOthers, 2000));
})();
