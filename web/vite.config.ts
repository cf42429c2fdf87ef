import { transformWithEsbuild, type Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import react from '@vitejs/plugin-react';

/** Minifies vendor.js only: app.js stays readable, so that a change of the page is a readable change of the bundle. */
const minifyVendor: Plugin = {
  name: 'minify-vendor',
  enforce: 'post',
  async generateBundle(_, bundle) {
    const chunk = bundle['vendor.js'];
    if (chunk?.type !== 'chunk') return;
    const { code } = await transformWithEsbuild(chunk.code, 'vendor.js', { minify: true, legalComments: 'none', target: 'es2022', sourcemap: false });
    chunk.code = code;
  },
};

export default defineConfig({
  base: './',
  plugins: [react(), minifyVendor],
  server: { proxy: { '/api': process.env.FIBULA_URL ?? 'http://127.0.0.1:7878' } },
  test: { include: ['src/**/*.test.ts'] },
  build: {
    outDir: 'dist',
    target: 'es2022',
    minify: false,
    cssMinify: false,
    cssCodeSplit: false,
    sourcemap: false,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: 'app.js',
        chunkFileNames: '[name].js',
        assetFileNames: 'app[extname]',
        manualChunks: (id) => (id.includes('node_modules') || id.startsWith('\0') ? 'vendor' : undefined),
      },
    },
  },
});
