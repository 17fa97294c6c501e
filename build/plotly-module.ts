import type { Plugin } from 'vite';

const [head, tail] = ['var Plotly=(()=>{', 'window.Plotly = Plotly;'];

/**
 * The bundle of Plotly as an ES module: the same code without the three functions around it. A browser reads what
 * stands inside a function once to skip it and once to run it, the second time while the page waits; what stands at
 * the top of a module it reads once, beside the page. Throws on a bundle of another form.
 */
export function asModule(bundle: string): string {
  const start = bundle.indexOf(head);
  const end = bundle.lastIndexOf('})();', bundle.indexOf(tail));
  const result = bundle.lastIndexOf('return ', end);
  if (start < 0 || end < 0 || result < start) {
    throw new Error('The bundle of Plotly has another form now: mend build/plotly-module.ts.');
  }
  const body = bundle.slice(start + head.length, result);
  return `${body}export default ${bundle.slice(result + 'return '.length, end)}`;
}

/** Loads Plotly as {@link asModule} makes it. */
export function unwrapPlotly(): Plugin {
  return {
    name: 'evoscope-unwrap-plotly',
    enforce: 'pre',
    transform: {
      filter: { id: /\/plotly\.js-dist-min\/plotly\.min\.js$/ },
      handler: (bundle) => ({ code: asModule(bundle), map: null }),
    },
  };
}
