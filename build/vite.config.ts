import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import solid from 'vite-plugin-solid';
import { collectPageNotices } from './bundle/notices.ts';
import { limitEntry, preloadPages, unwrapPlotly } from './bundle/page-plugins.ts';

const root = fileURLToPath(new URL('../renderer', import.meta.url));

/** Address of the service to which Vite's development server forwards API requests. */
const serviceAddress = process.env['EVOSCOPE_SERVICE'] ?? 'http://127.0.0.1:7070';

export default defineConfig({
  root,
  plugins: [solid(), unwrapPlotly(), limitEntry(100), preloadPages(), collectPageNotices()],
  // `unwrapPlotly` converts Plotly to a module, in development too.
  optimizeDeps: { exclude: ['plotly.js-dist-min'] },
  build: {
    outDir: fileURLToPath(new URL('../dist/renderer', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy of the pages forbids data URLs for fonts, scripts and styles.
    assetsInlineLimit: 0,
    // Plotly is 4.8 MB, in a separate chunk that only pages with charts load.
    chunkSizeWarningLimit: 5000,
    // Every file delays a page. So there is one file for all styles, one for the code of the frame, one for the code
    // that lists share, and one for other shared code, such as code of charts.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'frame', tags: ['$initial'] },
            { name: 'lists', test: /renderer.(ui|features.(?!analysis))/, minShareCount: 2 },
            { name: 'charts', minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    // Modules of the folder renderer/api have the same prefix, but Vite serves them itself.
    proxy: { '^/api/(?!.*\\.ts($|\\?))': { target: serviceAddress, changeOrigin: true } },
  },
});
