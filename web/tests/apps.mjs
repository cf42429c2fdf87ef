// A host of MCP Apps as a page in the browser.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = path.dirname(fileURLToPath(import.meta.url));

/** A page of the server's origin that is a host. */
export async function openHost(page, server, errors) {
  const [{ output }] = [await build({ configFile: false, root: here, logLevel: 'error', build: { write: false, target: 'es2022', rollupOptions: { input: path.join(here, 'host.js'), output: { format: 'iife' } } } })].flat();
  const script = output.map(({ code }) => code ?? '').join('');
  await page.route('**/host.html', (route) => route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>Host</title><body><script>${script.replaceAll('</script', '<\\/script')}</script></body>` }));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|Refused/.test(message.text())) errors.push(message.text());
  });
  await page.goto(`${server.url}/host.html`);
  const tools = await page.evaluate(() => window.start());
  return { tools, frame: page.frameLocator('iframe') };
}
