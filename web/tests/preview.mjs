/**
 * The preview in a real browser: the picture is not blank, follows a parameter while it is dragged and is written once at the
 * release.
 */
import assert from 'node:assert/strict';
import { until } from './steps.mjs';

/** In the page: the number of different colours of the picture, and a sum that tells pictures apart. */
function fingerprint() {
  const source = document.querySelector('[data-testid=solid]');
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [source.width, source.height];
  const context = copy.getContext('2d');
  context.drawImage(source, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  const colours = new Set();
  let sum = 0;
  for (let index = 0; index < data.length; index += 4) {
    colours.add((data[index] << 16) | (data[index + 1] << 8) | data[index + 2]);
    sum = (sum * 31 + data[index] + data[index + 1] + data[index + 2]) % 1000000007;
  }
  return { colours: colours.size, sum };
}

export async function preview({ page, server }) {
  const request = async (method, route, body) => {
    const answer = await server.rest(method, `/api/projects/demo${route}`, body);
    assert.ok(answer.status < 300, `${method} ${route}: ${answer.message}`);
    return answer;
  };
  const create = async (name, expression) => (await request('POST', '/functions', { name, expression })).function_id;
  await server.rest('POST', '/api/projects', { project: 'demo' });
  const part = await create('Ring', 'let outer = 10; let bore = 4; max(max(length(vec3(pos.x, pos.y, 0)) - outer, bore - length(vec3(pos.x, pos.y, 0))), abs(pos.z) - 3)');
  await page.goto(`${server.url}/#/demo/${part}`);
  const isRested = () => Number(document.querySelector('[data-testid=solid]')?.dataset.level ?? 0) >= 2;
  await page.waitForFunction(isRested);
  const first = await page.evaluate(fingerprint);
  assert.ok(first.colours > 60, `the picture has ${first.colours} colours`);

  const before = (await request('GET', `/overview`)).revision;
  const slider = await page.getByRole('slider', { name: 'bore' }).boundingBox();
  const y = slider.y + slider.height / 2;
  await page.mouse.move(slider.x + slider.width / 2, y);
  await page.mouse.down();
  for (let step = 1; step <= 6; step++) await page.mouse.move(slider.x + slider.width * (0.5 + step * 0.04), y);
  await until(async () => (await page.evaluate(isRested)) && (await page.evaluate(fingerprint)).sum !== first.sum, 'the picture follows the slider');
  assert.equal((await request('GET', `/overview`)).revision, before, 'nothing is written while the slider is dragged');
  await page.mouse.up();
  await page.waitForTimeout(2000);
  assert.equal((await request('GET', `/overview`)).revision, before + 1, 'the release is one write');

  // Without a graphics processor the page stood still for more than a minute when each minimum was a branch of the shader.
  const ball = (index) => `length(pos - vec3(${index % 7}, ${Math.floor(index / 7)}, ${index % 3})) - 0.6`;
  const union = (first, last) => (last - first === 1 ? ball(first) : `min(${union(first, (first + last) >> 1)}, ${union((first + last) >> 1, last)})`);
  const balls = await create('Balls', union(0, 40));
  await page.goto(`${server.url}/#/demo/${balls}`);
  await page.reload();
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=solid]')?.dataset.drawn ?? 0) >= 1);
}
