import { defineConfig } from 'vite';

/** The benchmark's page, built as the product is. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  worker: { format: 'es' },
  build: {
    outDir: '../../test-results/bench',
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 4000,
  },
});
