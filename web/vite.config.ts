import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The names of the built files carry no hash: the files are committed and embedded in the program, and building the same
// source twice gives the same bytes. The server answers with an ETag of the contents.
export default defineConfig({
  plugins: [svelte()],
  base: './',
  build: {
    outDir: '../crates/web/assets',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      output: {
        entryFileNames: 'page.js',
        inlineDynamicImports: true,
        assetFileNames: (asset) => (asset.names.some((name) => name.endsWith('.css')) ? 'page.css' : '[name][extname]'),
      },
    },
  },
});
