import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asModule } from '#build/plotly-module.ts';

const bundle = `(function(root, factory) { root.x = factory(); }(self, () => {
"use strict";var Plotly=(()=>{var a=()=>({version:"4"});return a();})();
window.Plotly = Plotly;
return Plotly;
}));`;

test('what the bundle returns is what the module exports', async () => {
  const url = `data:text/javascript,${encodeURIComponent(asModule(bundle))}`;
  expect(((await import(url)) as { default: unknown }).default).toEqual({ version: '4' });
});

test('a bundle of another form is refused', () => {
  expect(() => asModule('export const version = 5;')).toThrow(/mend build\/plotly-module.ts/);
});

test('the library of the pages has this form', () => {
  const text = asModule(readFileSync(new URL(import.meta.resolve('plotly.js-dist-min')), 'utf8'));
  expect(text).toMatch(/^var \w+=Object\.create;/);
  expect(text).toMatch(/;export default \w+\(\);?$/);
});
