/**
 * Measures the page against its goals: `npm run goals`, or `npm run goals -- pan knowledge` for some rows. FIBULA_BIN names the
 * program; the default is the release build, since that of the tests is not optimised. Times per frame are processor time of the
 * page's main thread, which a busy machine changes little; all others are by the clock, and need a quiet one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from './mcp.mjs';
import { openBrowser, programOf, Server } from './server.mjs';

const FRAMES = 90;
const median = (values) => quantile(values, 0.5);
const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A function of about so many nodes: the union of balls, six nodes each. */
async function balls(server, project, nodes) {
  await server.rest('POST', '/api/projects', { project });
  const place = (index) => [Math.cos(index * 2.4) * Math.sqrt(index) * 3, Math.sin(index * 2.4) * Math.sqrt(index) * 3, (index % 5) - 2].map((one) => one.toFixed(2));
  const ball = (_, index) => `length(pos - vec3(${place(index).join(', ')})) - ${(2 + index / 1000).toFixed(3)}`;
  const all = Array.from({ length: Math.max(2, Math.round(nodes / 6)) }, ball);
  const union = (parts) => (parts.length === 1 ? parts[0] : `min(${union(parts.slice(0, parts.length >> 1))}, ${union(parts.slice(parts.length >> 1))})`);
  const made = await server.rest('POST', `/api/projects/${project}/functions`, { name: 'Balls', expression: union(all) });
  return { id: made.function_id, nodes: made.node_count };
}

async function opened(browser) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  return { context, page };
}

/** In the page, before its scripts: notes when a picture by a newly linked program is drawn. */
function watchPictures() {
  let links = 0;
  let used = 0;
  const order = new WeakMap();
  const { linkProgram, useProgram } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.linkProgram = function (program) {
    order.set(program, ++links);
    return linkProgram.call(this, program);
  };
  WebGL2RenderingContext.prototype.useProgram = function (program) {
    used = Math.max(used, order.get(program) ?? 0);
    return useProgram.call(this, program);
  };
  window.pictures = { links: () => links, newest: () => used };
}

/** In the page: processor time, frames and time between frames while `move` is called once a frame. */
async function frames(page, client, move) {
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => Object.fromEntries((await client.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  await move(0);
  await sleep(500);
  const before = await read();
  await page.evaluate(() => {
    window.times = [];
    const note = (time) => {
      window.times.push(time);
      window.noting = requestAnimationFrame(note);
    };
    window.noting = requestAnimationFrame(note);
  });
  for (let frame = 1; frame <= FRAMES; frame++) await move(frame);
  const times = await page.evaluate(() => {
    cancelAnimationFrame(window.noting);
    return window.times;
  });
  const after = await read();
  const spent = (name) => ((after[name] - before[name]) * 1000) / times.length;
  return { cpu: spent('TaskDuration'), script: spent('ScriptDuration'), style: spent('RecalcStyleDuration'), layout: spent('LayoutDuration'), fps: ((times.length - 1) * 1000) / (times.at(-1) - times[0]) };
}

/** Moves the pointer back and forth with the button held, one step a call. */
async function panning(page, selector) {
  const box = await page.locator(selector).first().boundingBox();
  const [x, y] = [box.x + box.width * 0.6, box.y + box.height - 60];
  await page.mouse.move(x, y);
  await page.mouse.down();
  return (frame) => page.mouse.move(x + 120 * Math.sin(frame / 9), y - 60 + 60 * Math.cos(frame / 7));
}

/** The time from sending an edit that changes the shader to the picture of it. */
async function topology({ browser, server }, wanted, target) {
  const { id, nodes } = await balls(server, `topology${wanted}`, wanted);
  const { context, page } = await opened(browser);
  await page.addInitScript(watchPictures);
  await page.goto(`${server.url}/#/topology${wanted}/${id}`);
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=solid]')?.dataset.drawn ?? 0) >= 1);
  const times = [];
  for (let run = 0; run < 5; run++) {
    await sleep(1500);
    const graph = await server.rest('GET', `/api/projects/topology${wanted}/functions/${id}/graph`);
    const { source } = graph.nodes.find((node) => node.node_id === 0).parameters.shape;
    const to = (target_node_id, target_parameter_name, source_node_id, source_port_name) => ({ create_link: { function_id: id, source_node_id, source_port_name, target_node_id, target_parameter_name, replace: true } });
    const edits = [
      { create_node: { function_id: id, node_type: 'Addition', alias: '$n' } },
      { set_parameter_value: { function_id: id, node_id: '$n', parameter_name: 'B', value: 0.1 } },
      to('$n', 'A', source.node_id, source.port),
      to(0, 'shape', '$n', 'result'),
    ];
    const time = await page.evaluate(
      async ([route, body]) => {
        const before = window.pictures.links();
        const began = performance.now();
        await fetch(route, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        const solid = document.querySelector('[data-testid=solid]');
        return new Promise((resolve) => {
          new MutationObserver((_, observer) => {
            if (window.pictures.newest() <= before) return;
            observer.disconnect();
            resolve(performance.now() - began);
          }).observe(solid, { attributeFilter: ['data-drawn'] });
        });
      },
      [`/api/projects/topology${wanted}/edits`, JSON.stringify({ edits })],
    );
    times.push(time);
  }
  await context.close();
  return [[`topology edit -> picture, ${nodes} nodes`, `<= ${target} ms`, median(times), target, 'ms']];
}

const rows = {
  async paint({ browser, server }) {
    await balls(server, 'paint', 60);
    const found = [];
    for (let run = 0; run < 7; run++) {
      const { context, page } = await opened(browser);
      await page.goto(`${server.url}/#/paint/1`);
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
      found.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
      await context.close();
    }
    return [['first paint', '<= 300 ms', median(found), 300, 'ms']];
  },

  async interactive({ browser, server }) {
    const { id, nodes } = await balls(server, 'hundred', 100);
    const found = [];
    for (let run = 0; run < 5; run++) {
      const { context, page } = await opened(browser);
      await page.goto(`${server.url}/#/hundred/${id}`);
      // All cards are there, and a task that is queued then runs: the page answers.
      const time = await page.evaluate(
        (count) =>
          new Promise((resolve) => {
            const look = () => (document.querySelectorAll('.react-flow__node').length >= count ? setTimeout(() => resolve(performance.now())) : requestAnimationFrame(look));
            look();
          }),
        nodes,
      );
      found.push(time);
      await context.close();
    }
    return [[`function of ${nodes} nodes interactive`, '<= 1000 ms', median(found), 1000, 'ms']];
  },

  async pan({ browser, server }) {
    await server.rest('POST', '/api/projects', { project: 'pan' });
    const edits = [{ set_function: { function_id: '$f', name: 'Chain', inputs: [{ name: 'x', type: 'float' }], outputs: [{ name: 'shape', type: 'float' }], nodes: [] } }];
    for (let index = 0; index < 300; index++) {
      edits.push({ create_node: { node_type: 'Addition', alias: `$n${index}`, position: [(index % 15) * 230, Math.floor(index / 15) * 110] } });
      edits.push({ set_parameter_value: { node_id: `$n${index}`, parameter_name: 'B', value: index } });
      if (index > 0) edits.push({ create_link: { source_node_id: `$n${index - 1}`, source_port_name: 'result', target_node_id: `$n${index}`, target_parameter_name: 'A' } });
    }
    edits.push({ create_link: { source_node_id: '$n299', source_port_name: 'result', target_node_id: 0, target_parameter_name: 'shape' } });
    await server.rest('POST', '/api/projects/pan/edits', { edits });
    const { context, page } = await opened(browser);
    await page.goto(`${server.url}/#/pan/1`);
    await page.locator('.react-flow__node').first().waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await sleep(1500);
    const inView = await page.evaluate(() => {
      const frame = document.querySelector('.react-flow').getBoundingClientRect();
      const isSeen = (box) => box.right > frame.left && box.left < frame.right && box.bottom > frame.top && box.top < frame.bottom;
      return [...document.querySelectorAll('.react-flow__node')].filter((node) => isSeen(node.getBoundingClientRect())).length;
    });
    const client = await context.newCDPSession(page);
    const { cpu, script, style, layout, fps } = await frames(page, client, await panning(page, '.react-flow__pane'));
    await context.close();
    return [
      [`pan, ${inView} visible nodes: processor time a frame`, '<= 18.2 ms (55 fps)', cpu, 18.2, `ms (script ${script.toFixed(1)}, style ${style.toFixed(1)}, layout ${layout.toFixed(1)})`],
      [`pan, ${inView} visible nodes: frames, drawn without a graphics processor`, '', fps, 0, 'fps'],
    ];
  },

  topology50: (running) => topology(running, 50, 200),
  topology200: (running) => topology(running, 200, 500),
  topology1000: (running) => topology(running, 1000, 2500),

  async agent({ browser, server }) {
    // Without an input for a point there is no picture, which software would draw for longer than the edit takes.
    await server.rest('POST', '/api/projects', { project: 'agent' });
    const terms = Array.from({ length: 25 }, (_, index) => `sin(a * ${index + 1})`).join(' + ');
    const { function_id: id } = await server.rest('POST', '/api/projects/agent/functions', { name: 'Sum', expression: terms });
    const agent = await new Agent(server.url).connect();
    const { context, page } = await opened(browser);
    await page.goto(`${server.url}/#/agent/${id}`);
    await page.locator('.react-flow__node').nth(80).waitFor();
    await sleep(3000);
    const values = [];
    const constant = (await server.rest('GET', `/api/projects/agent/functions/${id}/graph`)).nodes.find((node) => node.node_type === 'ConstantScalar');
    for (let run = 0; run < 40; run++) {
      const number = 2 + run / 4;
      // The time when it is in the document and a frame with it begins.
      const seen = page.evaluate(
        ([node, wanted]) =>
          new Promise((resolve) => {
            const has = () => document.querySelector(`.react-flow__node[data-id="${node}"] input`)?.value === wanted;
            const look = () => (has() ? resolve(performance.timeOrigin + performance.now()) : requestAnimationFrame(look));
            look();
          }),
        [constant.node_id, String(number)],
      );
      await sleep(150);
      const began = performance.timeOrigin + performance.now();
      await agent.must('set_parameter_value', { project: 'agent', function_id: id, node_id: constant.node_id, parameter_name: 'value', value: number });
      values.push((await seen) - began);
    }
    await context.close();
    return [
      ["an agent's number visible, p95", '<= 50 ms', quantile(values, 0.95), 50, `ms (median ${median(values).toFixed(0)})`],
    ];
  },

  async knowledge({ browser, server }) {
    const count = 10_000;
    await fillKnowledge(server, 'large', count);
    const found = [];
    for (let run = 0; run < 3; run++) {
      const { context, page } = await opened(browser);
      await page.goto(`${server.url}/#/large/knowledge`);
      await page.waitForFunction(() => document.querySelector('.kg-canvas')?.dataset.held === 'false');
      found.push(await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now())))));
      await context.close();
    }
    const { context, page } = await opened(browser);
    await page.goto(`${server.url}/#/large/knowledge`);
    await page.waitForFunction(() => document.querySelector('.kg-canvas')?.dataset.held === 'false');
    await sleep(2000);
    const client = await context.newCDPSession(page);
    const box = await page.locator('.kg-canvas canvas').last().boundingBox();
    // Beside the legend, where no node is: dragging moves the picture.
    await page.mouse.move(box.x + box.width - 8, box.y + 8);
    await page.mouse.down();
    const { cpu, script, fps } = await frames(page, client, (frame) => page.mouse.move(box.x + box.width - 100 - 90 * Math.sin(frame / 9), box.y + 100 + 90 * Math.cos(frame / 7)));
    await context.close();
    return [
      [`knowledge of ${count} nodes: first picture`, '<= 3000 ms', median(found), 3000, 'ms'],
      [`knowledge of ${count} nodes: processor time a frame`, '<= 5 ms', cpu, 5, `ms (script ${script.toFixed(1)})`],
      [`knowledge of ${count} nodes: frames, drawn without a graphics processor`, '', fps, 0, 'fps'],
    ];
  },

  async layout({ server }) {
    const { id, nodes } = await balls(server, 'layered', 1000);
    const times = [];
    for (let run = 0; run < 7; run++) {
      const began = performance.now();
      await server.rest('POST', `/api/projects/layered/functions/${id}/layout`, {});
      times.push(performance.now() - began);
    }
    return [[`layered layout of ${nodes} nodes, with the request`, '<= 100 ms', median(times), 100, 'ms']];
  },
};

/** Nodes of eight types, each linked to one before it, with as many more links as half of them. */
export async function fillKnowledge(server, project, count) {
  await server.rest('POST', '/api/projects', { project });
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const types = ['part', 'requirement', 'material', 'supplier', 'test', 'note', 'process', 'risk'];
  const relations = ['uses', 'affects', 'about', 'tests'];
  const any = (list) => list[Math.floor(random() * list.length)];
  const nodes = Array.from({ length: count }, (_, index) => {
    const type = any(types);
    return { id: `n${index}`, label: `${type} ${index}`, types: [type] };
  });
  const edges = Array.from({ length: count - 1 }, (_, index) => ({ source: `n${index + 1}`, target: `n${Math.floor((index + 1) * random() ** 1.3)}`, type: any(relations) }));
  for (let index = 0; index < count / 2; index++) edges.push({ source: `n${Math.floor(random() * count)}`, target: `n${Math.floor(random() * count)}`, type: 'uses' });
  for (let at = 0; at < count; at += 2000) await server.rest('POST', `/api/graph/${project}/add`, { nodes: nodes.slice(at, at + 2000) });
  for (let at = 0; at < edges.length; at += 2000) await server.rest('POST', `/api/graph/${project}/add`, { nodes: [], edges: edges.slice(at, at + 2000) });
}

async function main(wanted) {
  const folder = mkdtempSync(path.join(tmpdir(), 'fibula-goals-'));
  const server = new Server(programOf('release'), folder);
  await server.start();
  const browser = await openBrowser();
  let missed = 0;
  try {
    for (const [name, measure] of Object.entries(rows)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      for (const [what, target, value, limit, unit] of await measure({ browser, server })) {
        const verdict = limit === 0 ? '' : value <= limit ? 'ok' : 'MISSED';
        if (verdict === 'MISSED') missed++;
        console.log(`${what.padEnd(78)}${target.padEnd(22)}${value.toFixed(1).padStart(8)} ${unit.padEnd(18)}${verdict}`);
      }
    }
  } finally {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  if (missed > 0) process.exitCode = 1;
}

if (process.argv[1]?.endsWith('goals.mjs')) await main(process.argv.slice(2));
