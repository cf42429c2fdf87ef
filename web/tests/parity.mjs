/**
 * GLSL agrees with the evaluator in a browser: for every example of every node kind and of the library, and for the functions of the
 * sample parts that take a point only. A difference is measured against the range of the field over its box (the largest magnitude
 * where it is constant), since drivers compute a sine with an absolute error; what is not finite must be the same. No point is left
 * out: the points of the grids are off the jumps of kinds that have some, where a rounding decides, but for those of the examples.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { resources } from './package.mjs';
import { evaluateShaders } from './shader.mjs';

const LARGEST_ERROR = 1e-3;
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const SAMPLES = process.env.FIBULA_SAMPLES ?? path.join(root, '../shared/samples/3mf');

/** Odd, so that the middle is a point: there the fields of kinds have the numbers of the example. */
const KIND_GRID = { from: [-1.31, -1.23, -1.17], to: [1.31, 1.23, 1.17], count: 5 };
const LIBRARY_GRID = { from: [-13.1, -12.3, -11.7], to: [12.9, 13.7, 12.1], count: 9 };

/** Kinds that query a resource, which GLSL cannot. The shader of a function with such a node is refused, and the page shows the picture of the server. */
const REFUSED = ['ImageSampler', 'SignedDistanceToBeamLattice', 'SignedDistanceToMesh', 'UnsignedDistanceToMesh'];
/** Kinds that stand in every function, or hold an id and no number. */
const STRUCTURAL = { Begin: 'a = x; b = y', End: 'a = x; b = 2.5', Resource: 'a = ball(vec3(x, y, z), 2)' };

/** A number that is the example's in the middle of the grid, and near it elsewhere. Slopes differ, and avoid jumps. */
function near(number, index) {
  if (number === 'NaN') return '(0 / 0)';
  if (number === 'Infinity' || number === '-Infinity') return `(${number.startsWith('-') ? '-1' : '1'} / 0)`;
  // Digits of a product with an irrational number: no two rows of a matrix depend on each other.
  const slope = (step) => (((Math.sin(index * 3 + step + 1) * 43758.5453) % 1) * 0.9).toFixed(4);
  return `(${number} + ${slope(0)} * x + ${slope(1)} * y + ${slope(2)} * z)`;
}

function argument(value, type, next) {
  if (type === 'float') return near(value, next());
  if (type === 'float3') return `vec3(${value.map((one) => near(one, next())).join(', ')})`;
  if (type === 'matrix4x4') return `mat4(${value.map((one) => near(one, next())).join(', ')})`;
  throw new Error(`no argument of the type ${type}`);
}

const width = { float: 1, float3: 3, matrix4x4: 16 };

/** The example with each number spread over the components of a wider type. */
function widened(example, from, to) {
  return example.inputs.map((value, index) => (from[index] === to[index] ? value : Array(width[to[index]]).fill(value)));
}

/** The ports of a call as outputs, component by component. */
function outputs(call, ports, types, more = '') {
  const isOnly = ports.length === 1;
  const parts = ports.flatMap((port, index) => {
    const value = isOnly ? 'value' : `value${index}`;
    if (types[index] === 'float3') return ['x', 'y', 'z'].map((part) => `${value}.${part}`);
    if (types[index] !== 'matrix4x4') return [value];
    return [...Array(16).keys()].map((part) => `DecomposeMatrix(${value}).m${Math.floor(part / 4)}${part % 4}`);
  });
  const lets = ports.map((port, index) => (isOnly ? `let value = ${call}` : `let value${index} = ${call}.${port}`));
  return [...lets, ...parts.map((part, index) => `o${index} = ${part}${more}`)].join('; ');
}

const isTypes = (example, types) =>
  types.every((type, index) => {
    const value = example.inputs[index];
    return (Array.isArray(value) ? value.length : 1) === width[type];
  });

/** Expressions for a kind: its examples, and its other types with the numbers of the first one. */
function expressions(kind) {
  const { name, examples, overloads, ports, parameters = [] } = kind;
  if (STRUCTURAL[name]) return [STRUCTURAL[name]];
  if (name === 'FunctionCall') return ['a = ball(vec3(3 + x, 4 + y, z), 2 + 0.3 * x)'];
  if (name === 'FunctionGradient' || name === 'NormalizeDistanceField') {
    const types = name === 'FunctionGradient' ? ['float3', 'float3', 'float'] : ['float'];
    return [outputs(`${name}(ball, vec3(x, 2 + y, z), 1 + 0.3 * x)`, ports, types)];
  }
  const isLiteral = kind.family === 'constant';
  return overloads.flatMap(({ inputs, outputs: types }) => {
    const own = examples.filter((example) => isTypes(example, inputs));
    const first = overloads[0].inputs;
    const cases = own.length > 0 ? own : [{ inputs: widened(examples[0], first, inputs) }];
    return cases.map((example) => {
      let index = 0;
      const next = () => index++;
      const given = isLiteral ? example.inputs : parameters.map((_, at) => argument(example.inputs[at], inputs[at], next));
      // A constant alone would not depend on the point.
      return outputs(`${name}(${given.join(', ')})`, ports, types, isLiteral ? ' + x' : '');
    });
  });
}

/** Numbers that JSON lacks are texts. */
const number = (value) => Number(value);

/** The largest difference by the range of the field, and where it is. */
function difference(wanted, found) {
  const finite = wanted.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const scale = high - low > 1e-6 * largest ? high - low : largest || 1;
  let worst = { error: 0, index: -1 };
  wanted.forEach((value, index) => {
    const got = found[index];
    const error = Object.is(value, got) || (Number.isNaN(value) && Number.isNaN(got)) ? 0 : Math.abs(value - got) / scale;
    if (!(error <= worst.error)) worst = { error, index, value, got };
  });
  return worst;
}

/** Collects fields of a project and their values by the evaluator; `run` compares them with what the browser computes. */
class Comparison {
  constructor(page, server, project) {
    Object.assign(this, { page, server, project, fields: [] });
  }
  request(method, route, body) {
    return this.server.rest(method, `/api/projects/${this.project}${route}`, body);
  }
  /** Adds all float outputs of a function on a grid. */
  async add(name, id, outputs, grid) {
    const { from, to, count } = grid;
    const { values } = await this.request('POST', `/functions/${id}/evaluate`, { region: { from, to, counts: [count, count, count] }, outputs });
    for (const output of outputs) {
      const shader = await this.request('GET', `/functions/${id}/shader?output=${encodeURIComponent(output)}`);
      this.fields.push({ name: `${name}.${output}`, shader, grid, wanted: values[output].map(number) });
    }
  }
  async run() {
    const jobs = this.fields.map(({ shader, grid, name }) => ({ shader, grid, name }));
    const found = await this.page.evaluate(evaluateShaders, jobs);
    const failures = [];
    let worst = { error: 0, name: '' };
    this.fields.forEach(({ name, wanted }, index) => {
      const values = found[index].map(number);
      assert.equal(values.length, wanted.length, `${name}: all values are listed`);
      const { error, index: point, value, got } = difference(wanted, values);
      if (!(error <= LARGEST_ERROR)) failures.push(`${name}: ${value} became ${got} at point ${point} (${error} of the range)`);
      if (error > worst.error) worst = { error, name };
    });
    assert.deepEqual(failures, [], 'GLSL and the evaluator differ');
    const count = this.fields.length;
    this.fields = [];
    return { count, worst };
  }
}

async function kinds(comparison) {
  const listed = [];
  for (let cursor = ''; cursor !== null; ) {
    const page = await comparison.server.rest('GET', `/api/node-types?detail=full${cursor && `&cursor=${cursor}`}`);
    listed.push(...page.node_types);
    cursor = page.next_cursor ?? null;
  }
  await comparison.request('POST', '/functions', { name: 'ball', expression: 'length(pos) - radius' });
  for (const kind of listed) {
    if (REFUSED.includes(kind.name)) continue;
    for (const [index, expression] of expressions(kind).entries()) {
      const made = await comparison.request('POST', '/functions', { name: `${kind.name} ${index}`, expression });
      const { nodes } = await comparison.request('GET', `/functions/${made.function_id}/graph`);
      const types = nodes.map((node) => node.node_type);
      assert.ok(types.includes(kind.name) || kind.name === 'Resource', `${expression} has no ${kind.name}, only ${types}`);
      await comparison.add(`${kind.name} ${index}`, made.function_id, made.outputs.map((output) => output.name), KIND_GRID);
    }
  }
  return listed.length;
}

async function library(comparison) {
  const text = readFileSync(path.join(root, 'docs/library.md'), 'utf8');
  const examples = [...text.matchAll(/^### (\w+)$[^]*?Example: `([^`]+)`/gm)].map(([, name, example]) => ({ name, example }));
  assert.ok(examples.length > 40, `${examples.length} functions of the library`);
  for (const { name, example } of examples) {
    const made = await comparison.request('POST', '/functions', { name: `Example of ${name}`, expression: example });
    const floats = made.outputs.filter((output) => output.type === 'float').map((output) => output.name);
    await comparison.add(name, made.function_id, floats, LIBRARY_GRID);
  }
  return examples.length;
}

/** The box of the level set of a function, or of its shape, or a moderate one. */
async function boxOf(comparison, id, structure) {
  const level = structure.resources.find((item) => item.field?.function_id === id);
  const mesh = structure.resources.find((item) => item.resource_id === level?.mesh_id);
  if (mesh?.bounds) return mesh.bounds;
  const { bounds } = await comparison.request('GET', `/functions/${id}/shader?bounds=true`);
  return bounds ?? [LIBRARY_GRID.from, LIBRARY_GRID.to];
}

/** The functions of a package that take a point only and return a number; those that query a mesh, beams or an image are refused. */
async function sample(comparison, file) {
  const project = path.basename(file, '.3mf').toLowerCase().replace(/\W/g, '-');
  comparison.project = project;
  const response = await fetch(`${comparison.server.url}/api/projects/${project}/import`, { method: 'POST', headers: { 'content-type': 'model/3mf' }, body: readFileSync(path.join(SAMPLES, file)) });
  assert.ok(response.ok, await response.clone().text());
  const { functions } = await comparison.request('GET', '/functions?limit=200');
  const structure = await comparison.request('GET', '/structure?limit=200');
  const found = { compared: [], refused: [] };
  for (const { function_id: id, name, inputs, outputs, image } of functions) {
    const floats = outputs.filter((output) => output.type === 'float').map((output) => output.name);
    if (image !== undefined || inputs.length !== 1 || inputs[0].type !== 'float3' || floats.length === 0) continue;
    const { isRefused, answer } = await comparison.server.send('GET', `/api/projects/${project}/functions/${id}/shader`);
    if (isRefused) {
      assert.equal(answer.code, 'no_formula', `${file}, ${name}: ${answer.message}`);
      found.refused.push(name);
      continue;
    }
    const [low, high] = await boxOf(comparison, id, structure);
    // Off the planes of symmetry, where parts have edges.
    const inner = (share) => low.map((from, axis) => from + (high[axis] - from) * (share + axis * 0.003));
    await comparison.add(`${file} ${name}`, id, floats, { from: inner(0.017), to: inner(0.973), count: 9 });
    found.compared.push(name);
  }
  return found;
}

/** What GLSL cannot compute is refused with the reason, and the page shows the picture of the server. */
async function refusals(page, server) {
  const response = await fetch(`${server.url}/api/projects/resources/import`, { method: 'POST', headers: { 'content-type': 'model/3mf' }, body: resources() });
  assert.ok(response.ok, await response.clone().text());
  const cases = {
    SignedDistanceToMesh: ['SignedDistanceToMesh(1, pos)', /samples mesh 1/],
    UnsignedDistanceToMesh: ['UnsignedDistanceToMesh(1, pos) - 1', /samples mesh 1/],
    SignedDistanceToBeamLattice: ['SignedDistanceToBeamLattice(2, pos)', /samples beam lattice 2/],
    ImageSampler: ['max(length(pos) - 5, ImageSampler(pos / 10, 3).alpha - 2)', /samples image 3/],
  };
  assert.deepEqual(Object.keys(cases).sort(), REFUSED);
  for (const [name, [expression, reason]] of Object.entries(cases)) {
    const made = await server.rest('POST', '/api/projects/resources/functions', { name, expression });
    const { isRefused, answer } = await server.send('GET', `/api/projects/resources/functions/${made.function_id}/shader`);
    assert.ok(isRefused);
    assert.equal(answer.code, 'no_formula');
    assert.match(answer.message, reason);
    await page.goto(`${server.url}/#/resources/${made.function_id}`);
    await page.getByText(/drawn by the server/).waitFor();
    const isDrawn = () => (document.querySelector('[data-testid=picture]')?.naturalWidth ?? 0) > 100;
    // A program without optimisation takes long for a picture.
    await page.waitForFunction(isDrawn);
    assert.equal(await page.locator('[data-testid=solid]').count(), 0, 'nothing is drawn live');
  }
}

export async function parity({ page, server }) {
  const begun = Date.now();
  await refusals(page, server);
  await page.goto('about:blank');
  await server.rest('POST', '/api/projects', { project: 'kinds' });
  const comparison = new Comparison(page, server, 'kinds');
  const report = async (what) => {
    const { count, worst } = await comparison.run();
    const error = count === 0 ? '' : `; largest difference ${worst.error.toExponential(1)} of the range (${worst.name})`;
    console.log(`        ${what} in ${count} fields${error}, ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  };
  await report(`${(await kinds(comparison)) - REFUSED.length} kinds`);
  await report(`${await library(comparison)} functions of the library`);
  if (!existsSync(SAMPLES)) return console.log(`SKIPPED: GLSL of the sample parts, since there is no ${SAMPLES}`);
  for (const file of readdirSync(SAMPLES).filter((name) => name.endsWith('.3mf'))) {
    const { compared, refused } = await sample(comparison, file);
    await report(`${file}: ${compared.length} functions${refused.length > 0 ? ` (not ${refused.join(', ')}, which query a mesh or an image)` : ''}`);
  }
}
