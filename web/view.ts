/** The page of views inside of hosts, as the file view.html: one file that needs nothing from the network. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build, transformWithEsbuild, type Plugin } from 'vite';

export function view(root: string): Plugin {
  const folder = path.join(root, 'src/view');
  return {
    name: 'view',
    async generateBundle() {
      const built = await build({
        configFile: false,
        root,
        logLevel: 'warn',
        build: { write: false, target: 'es2022', minify: 'esbuild', modulePreload: false, rollupOptions: { input: path.join(folder, 'main.ts'), output: { format: 'iife' } } },
      });
      const [{ output }] = [built].flat() as [{ output: { code?: string }[] }];
      const script = output.flatMap(({ code }) => code ?? []).join('');
      const style = await transformWithEsbuild(readFileSync(path.join(folder, 'view.css'), 'utf8'), 'view.css', { minify: true });
      const source = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="tools" content=""><title>Fibula</title><style>${style.code.trim()}</style></head><body><script>${script.trim()}</script></body></html>\n`;
      this.emitFile({ type: 'asset', fileName: 'view.html', source });
    },
  };
}
