/**
 * The preview in a real browser: the picture is not blank, follows a parameter while it is dragged and is written once at the
 * release; and GLSL agrees with the evaluator.
 */
import assert from 'node:assert/strict';

/** Of the field's largest magnitude: drivers compute a sine with an absolute error, so values near 0 have no relative one. */
const LARGEST_ERROR = 1e-3;
const COUNT = 9;
const BOX = { from: [-13.1, -12.3, -11.7], to: [12.9, 13.7, 12.1] };

/** In the page: values of a shader on a grid, x fastest, from a float texture. */
function evaluateShader({ shader, box, count }) {
  const gl = document.createElement('canvas').getContext('webgl2');
  gl.getExtension('EXT_color_buffer_float');
  const compile = (kind, text) => {
    const part = gl.createShader(kind);
    gl.shaderSource(part, text);
    gl.compileShader(part);
    if (!gl.getShaderParameter(part, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(part));
    return part;
  };
  const program = gl.createProgram();
  gl.attachShader(program, compile(gl.VERTEX_SHADER, '#version 300 es\nvoid main() { gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0); }'));
  const main = `uniform vec3 low, high; out vec4 value;
void main() {
    int row = int(gl_FragCoord.y);
    vec3 cell = vec3(int(gl_FragCoord.x), row % ${count}, row / ${count}) / float(${count - 1});
    value = vec4(${shader.name}(mix(low, high, cell)));
}`;
  gl.attachShader(program, compile(gl.FRAGMENT_SHADER, `#version 300 es\n${shader.source}\n${main}`));
  gl.linkProgram(program);
  gl.useProgram(program);
  const numbers = new Float32Array(Math.max(4, shader.parameter_scalars));
  for (const { offset, value } of shader.parameters) numbers.set([value].flat(3), offset);
  const blocks = { ...shader.constants, ...(shader.parameter_block ? { [shader.parameter_block]: numbers } : {}) };
  Object.entries(blocks).forEach(([name, values], binding) => {
    gl.bindBuffer(gl.UNIFORM_BUFFER, gl.createBuffer());
    gl.bufferData(gl.UNIFORM_BUFFER, Float32Array.from(values, Number), gl.STATIC_DRAW);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, binding, gl.getParameter(gl.UNIFORM_BUFFER_BINDING));
    const index = gl.getUniformBlockIndex(program, name);
    if (index !== gl.INVALID_INDEX) gl.uniformBlockBinding(program, index, binding);
  });
  gl.uniform3fv(gl.getUniformLocation(program, 'low'), box.from);
  gl.uniform3fv(gl.getUniformLocation(program, 'high'), box.to);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, count, count * count);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, gl.getParameter(gl.TEXTURE_BINDING_2D), 0);
  gl.viewport(0, 0, count, count * count);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  const pixels = new Float32Array(count ** 3 * 4);
  gl.readPixels(0, 0, count, count * count, gl.RGBA, gl.FLOAT, pixels);
  return [...pixels.filter((_, index) => index % 4 === 0)];
}

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
  await page.waitForFunction(isRested, undefined, { timeout: 60_000 });
  const first = await page.evaluate(fingerprint);
  assert.ok(first.colours > 60, `the picture has ${first.colours} colours`);

  const before = (await request('GET', `/overview`)).revision;
  const slider = await page.getByRole('slider', { name: 'bore' }).boundingBox();
  const y = slider.y + slider.height / 2;
  await page.mouse.move(slider.x + slider.width / 2, y);
  await page.mouse.down();
  for (let step = 1; step <= 6; step++) await page.mouse.move(slider.x + slider.width * (0.5 + step * 0.04), y);
  const deadline = Date.now() + 60_000;
  while (!(await page.evaluate(isRested)) || (await page.evaluate(fingerprint)).sum === first.sum) {
    assert.ok(Date.now() < deadline, 'the picture does not follow the slider');
    await page.waitForTimeout(200);
  }
  assert.equal((await request('GET', `/overview`)).revision, before, 'nothing is written while the slider is dragged');
  await page.mouse.up();
  await page.waitForTimeout(2000);
  assert.equal((await request('GET', `/overview`)).revision, before + 1, 'the release is one write');

  const field = [
    ['sphere', 'sphere(pos, 9)'],
    ['box', 'box(pos, vec3(12, 9, 7))'],
    ['torus', 'torus(pos, 9, 3)'],
    ['gyroid', 'gyroid(pos, 10, 1)'],
    ['waves', 'sin(pos.x) * cos(pos.y) + exp(pos.z * 0.1) - sqrt(abs(pos.x * pos.y))'],
    ['angles', 'atan2(pos.y, pos.x) + pow(abs(pos.z), 1.5) - mod(pos.x, 3)'],
  ];
  for (const [name, expression] of field) {
    const id = await create(`Field ${name}`, expression);
    const shader = await request('GET', `/functions/${id}/shader`);
    const found = await page.evaluate(evaluateShader, { shader, box: BOX, count: COUNT });
    const answer = await request('POST', `/functions/${id}/evaluate`, { region: { ...BOX, counts: [COUNT, COUNT, COUNT] } });
    const wanted = Object.values(answer.values)[0];
    assert.equal(wanted.length, COUNT ** 3, `${name}: all values are listed`);
    const scale = Math.max(...wanted.map(Math.abs));
    const worst = Math.max(...wanted.map((value, index) => Math.abs(value - found[index]) / scale));
    assert.ok(worst <= LARGEST_ERROR, `${name}: GLSL differs by ${worst}`);
  }
}
