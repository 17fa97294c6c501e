import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import solid from 'vite-plugin-solid';
import { limitEntry } from './entry-size.ts';
import { pageNotices } from './notices.ts';
import { unwrapPlotly } from './plotly-module.ts';
import { preloadPages } from './preload.ts';

const root = fileURLToPath(new URL('../renderer', import.meta.url));

/** Where a running service answers while the pages come from Vite's development server. */
const service = process.env['EVOSCOPE_SERVICE'] ?? 'http://127.0.0.1:7070';

export default defineConfig({
  root,
  plugins: [solid(), unwrapPlotly(), limitEntry(100), preloadPages(), pageNotices()],
  // Made a module by the plugin, in development too.
  optimizeDeps: { exclude: ['plotly.js-dist-min'] },
  build: {
    outDir: fileURLToPath(new URL('../dist/renderer', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the pages allows fonts, scripts and styles from files only, never from data URLs.
    assetsInlineLimit: 0,
    // Plotly is 4.8 MB and has a chunk of its own that only pages with charts load.
    chunkSizeWarningLimit: 5000,
    // Each file costs a page its time: styles are one, and what the lists and the charts share is one each.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'frame', tags: ['$initial'] },
            { name: 'lists', test: /renderer.components/, minShareCount: 2 },
            { name: 'charts', minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    // The folder renderer/api has modules under the same prefix: they are Vite's own.
    proxy: { '^/api/(?!.*\\.ts($|\\?))': { target: service, changeOrigin: true } },
  },
});
