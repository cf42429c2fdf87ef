import { minify } from '@swc/core';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import react from '@vitejs/plugin-react';
import { notices } from './notices';
import { view } from './view';

/**
 * Minifies the bundle after Rollup has put it together, by SWC: 17 KB less than by esbuild, which Vite would use. Its files are
 * generated, marked so in .gitattributes, and made anew by `npm run build`, so nobody reads their differences; whole lines of
 * app.js cost 70 KB of the 750 KB that the page may have.
 */
const minifyChunks: Plugin = {
  name: 'minify-chunks',
  enforce: 'post',
  async generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const { code } = await minify(chunk.code, { module: true, ecma: 2022, compress: { ecma: 2022, passes: 2 }, mangle: true, format: { comments: false } });
      chunk.code = code;
    }
  },
};

/** Takes comments and indentation out of the shaders, whose texts no other minifier looks into. */
const minifyShaders: Plugin = {
  name: 'minify-shaders',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('/preview/shaders.ts') ? code.replace(/^ +(\/\/.*)?/gm, '').replace(/^\/\/.*\n/gm, '') : null),
};

export default defineConfig({
  base: './',
  plugins: [minifyShaders, react(), minifyChunks, notices(import.meta.dirname), view(import.meta.dirname)],
  server: { proxy: { '/api': process.env.FIBULA_URL ?? 'http://127.0.0.1:7878' } },
  test: { include: ['src/**/*.test.ts'] },
  build: {
    outDir: '../crates/server/page',
    emptyOutDir: true,
    target: 'es2022',
    minify: false,
    cssMinify: 'esbuild',
    cssCodeSplit: false,
    sourcemap: false,
    modulePreload: { polyfill: false },
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
