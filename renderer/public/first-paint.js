// Runs before the first paint and the application's modules, so the system's theme never flashes before the chosen one.
(function setThemeBeforeFirstPaint() {
  let theme = null;
  try {
    theme = localStorage.getItem('evoscope.theme');
  } catch {
    // Without storage the system's theme applies.
  }
  const isDark =
    theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();

// Loads the code of the opened page together with the application, and the code of other pages later.
(function preloadCode() {
  const links = [...document.querySelectorAll('link[data-paths]')];
  // No page imports code without paths before it needs it.
  const isForThisPage = ({ dataset: { paths } }) =>
    paths !== '' && new RegExp(`^(?:${paths})/?$`).test(location.pathname);
  const ownLinks = links.filter(isForThisPage);
  for (const link of ownLinks) link.rel = 'modulepreload';
  const preloadOthers = () => {
    for (const link of links) if (!ownLinks.includes(link)) link.rel = 'prefetch';
  };
  // The data of the page have priority.
  addEventListener('load', () => setTimeout(preloadOthers, 2000));
})();
