/**
 * The preview in a real browser: the picture is not blank, follows a parameter while it is dragged and is written once at the
 * release.
 */
import assert from 'node:assert/strict';
import { card, until } from './steps.mjs';

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
  const request = (method, route, body) => server.rest(method, `/api/projects/demo${route}`, body);
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
  // Measures and values are those of what is dragged, with an outer radius of 10 and a height of 6.
  const bore = Number(await page.getByRole('slider', { name: 'bore' }).inputValue());
  assert.ok(bore > 5.5 && bore < 6.5, `the bore is ${bore}`);
  const measures = page.getByRole('region', { name: 'Measures' });
  const expected = (100 - bore ** 2) * Math.PI * 6;
  const volume = async () => Number((await measures.locator('.figure .value').first().innerText()).replace(/\s/g, ''));
  await until(async () => Math.abs((await volume()) - expected) < 1, `the volume follows the slider to ${expected}`);
  await until(async () => (await card(page, 'End').locator('output').innerText()) === String(bore), 'the value of the output follows');
  assert.equal((await request('GET', `/overview`)).revision, before, 'nothing is written while the slider is dragged');
  await page.mouse.up();
  await page.waitForTimeout(2000);
  assert.equal((await request('GET', `/overview`)).revision, before + 1, 'the release is one write');

  await rulerAndSlice(page);
  await request('POST', '/edits', { edits: [{ set_parameter_value: { function_id: part, parameter_name: 'bore', value: 8 } }] });
  await compareRevisions(page, before, (bore ** 2 - 16) * Math.PI * 6);

  // Inputs with defaults are parameters, with their unit and range.
  const inputs = [
    { name: 'pos', type: 'float3' },
    { name: 'radius', type: 'float', default: 6, unit: 'mm', min: 1, max: 20 },
  ];
  const { function_id: sized } = await request('POST', '/functions', { name: 'Sized', expression: 'length(pos) - radius', arguments: inputs });
  await page.goto(`${server.url}/#/demo/${sized}`);
  await page.waitForFunction(isRested);
  const radius = page.getByRole('slider', { name: 'radius' });
  assert.equal(await radius.getAttribute('max'), '20');
  await page.getByText('radius mm').waitFor();
  await radius.press('ArrowRight');
  await until(async () => (await request('GET', `/parameters?function_id=${sized}`)).parameters[0].value > 6, 'the key changes the default');
  await radius.press('End');
  await until(async () => (await request('GET', `/parameters?function_id=${sized}`)).parameters[0].value === 20, 'so does the last key');

  // A port that was shown leaves the preview to what is open.
  const port = card(page, 'Length').locator('.react-flow__handle-right');
  const heading = (name) => page.getByRole('region', { name: 'Preview' }).getByRole('heading', { name }).waitFor();
  await port.click();
  await heading(/result$/);
  await port.click();
  await heading('Sized');
  await page.getByRole('navigation', { name: 'Outline' }).getByText('Ring').click();
  await heading('Ring');

  // Without a graphics processor the page stood still for more than a minute when each minimum was a branch of the shader.
  const ball = (index) => `length(pos - vec3(${index % 7}, ${Math.floor(index / 7)}, ${index % 3})) - 0.6`;
  const union = (first, last) => (last - first === 1 ? ball(first) : `min(${union(first, (first + last) >> 1)}, ${union((first + last) >> 1, last)})`);
  const balls = await create('Balls', union(0, 40));
  await page.goto(`${server.url}/#/demo/${balls}`);
  await page.reload();
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=solid]')?.dataset.drawn ?? 0) >= 1);
}

/** A distance between two clicks, and the field of a slice. */
async function rulerAndSlice(page) {
  const stage = await page.locator('.stage').boundingBox();
  const click = (x, y) => page.mouse.click(stage.x + stage.width * x, stage.y + stage.height * y);
  await page.getByRole('button', { name: 'Slice' }).click();
  await page.locator('.slice .outline').waitFor();
  await page.getByRole('img', { name: /^The bar is/ }).waitFor();
  await page.getByRole('button', { name: 'Field' }).click();
  await page.getByTestId('field').waitFor();
  await page.getByRole('button', { name: 'Slice' }).click();
  await page.getByRole('button', { name: 'Measure a distance' }).click();
  await page.getByText('Click the first point').waitFor();
  await click(0.3, 0.5);
  await page.getByText('Click the other point').waitFor();
  await click(0.7, 0.5);
  const length = await page.locator('.ruler-length').innerText();
  const [whole, x, y, z] = length.replaceAll('−', '-').match(/-?[\d.]+/g).map(Number);
  assert.ok(whole > 5 && whole < 22 && Math.abs(Math.hypot(x, y, z) - whole) < 0.05, length);
  await page.keyboard.press('Escape');
  await page.locator('.ruler').waitFor({ state: 'detached' });
}

/** Two states of the part, neither of them the present one. */
async function compareRevisions(page, revision, expected) {
  await page.getByRole('button', { name: 'What changed' }).click();
  await page.getByLabel('Before').selectOption(String(revision));
  await page.getByLabel('After').selectOption(String(revision + 1));
  const removed = page.locator('.compare .removed b');
  await until(async () => Math.abs(Number((await removed.allInnerTexts()).join('').replace(/\s/g, '')) - expected) < 3, `removed ${expected}`);
  await page.getByRole('button', { name: 'What changed' }).click();
}
