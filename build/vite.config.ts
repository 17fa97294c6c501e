import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import solid from 'vite-plugin-solid';
import { limitEntry } from './entry-size.ts';

const root = fileURLToPath(new URL('../renderer', import.meta.url));

/** Where a running service answers while the pages come from Vite's development server. */
const service = process.env['EVOSCOPE_SERVICE'] ?? 'http://127.0.0.1:7070';

export default defineConfig({
  root,
  plugins: [solid(), limitEntry(100)],
  build: {
    outDir: fileURLToPath(new URL('../dist/renderer', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the pages allows fonts, scripts and styles from files only, never from data URLs.
    assetsInlineLimit: 0,
    // Plotly is 4.8 MB and has a chunk of its own that only pages with charts load.
    chunkSizeWarningLimit: 5000,
  },
  server: {
    host: '127.0.0.1',
    // The folder renderer/api has modules under the same prefix: they are Vite's own.
    proxy: { '^/api/(?!.*\\.ts($|\\?))': { target: service, changeOrigin: true } },
  },
});
