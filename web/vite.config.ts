import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {defineConfig} from 'vite';

// The compiled module lies in public/module (./dev web puts it there) and is copied as it is.
if (!existsSync(resolve(__dirname, 'public/module/saltus.wasm.xz'))) console.warn('public/module is empty: build the module first (./dev web)');

export default defineConfig({
  base: './',
  worker: {format: 'es'},
  build: {
    target: 'es2022',
    outDir: process.env.SALTUS_SITE ?? 'dist',
    emptyOutDir: true,
    chunkSizeWarningLimit: 5000,
    modulePreload: {polyfill: false},
    rollupOptions: {input: {main: resolve(__dirname, 'index.html'), gallery: resolve(__dirname, 'gallery.html')}},
  },
  server: {host: '127.0.0.1', fs: {allow: ['..']}},
  preview: {host: '127.0.0.1'},
});
