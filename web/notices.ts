/** Licences of the packages in the bundle, as the file third-party.txt beside it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

interface Package {
  name: string;
  version: string;
  license: string;
  text: string;
}

/** The package of a module, and its folder; null for modules of the page itself. */
function folderOf(id: string): string | null {
  const parts = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replace(/^\0/, '').split('?')[0] ?? '');
  return parts?.[1] ?? null;
}

function read(folder: string, locked: Record<string, { version?: string }>): Package {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Omit<Package, 'text'>;
  const place = folder.slice(folder.indexOf('node_modules/'));
  if (locked[place]?.version !== version) throw new Error(`${place} is at ${version}, and at ${locked[place]?.version ?? 'nothing'} in package-lock.json: run npm ci`);
  const file = readdirSync(folder).find((one) => /^licen[cs]e(\.\w+)?$/i.test(one));
  if (!file) throw new Error(`${name} is bundled and has no file of its licence`);
  return { name, version, license, text: readFileSync(path.join(folder, file), 'utf8').replace(/\r\n/g, '\n').trim() };
}

export function notices(root: string): Plugin {
  return {
    name: 'notices',
    enforce: 'post',
    generateBundle(_, bundle) {
      const lock = path.join(root, 'package-lock.json');
      if (!existsSync(lock)) throw new Error(`there is no ${lock}`);
      const { packages: locked } = JSON.parse(readFileSync(lock, 'utf8')) as { packages: Record<string, { version?: string }> };
      const ids = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
      const folders = [...new Set(ids.map(folderOf).filter((folder) => folder !== null))];
      const packages = folders.map((folder) => read(folder, locked)).sort((a, b) => (a.name < b.name ? -1 : 1));
      // A text that several packages have is there once.
      const texts = [...new Set(packages.map(({ text }) => text))];
      const titles = (text: string) => packages.filter((one) => one.text === text).map(({ name, version, license }) => `${name} ${version} (${license})`);
      const parts = texts.map((text) => `${'-'.repeat(80)}\n${titles(text).join('\n')}\n\n${text}\n`);
      const head = 'The page of Fibula contains parts of the packages below, under their licences.\n';
      this.emitFile({ type: 'asset', fileName: 'third-party.txt', source: [head, ...parts].join('\n') });
    },
  };
}
