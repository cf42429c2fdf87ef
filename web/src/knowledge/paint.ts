/** Draws a scene with WebGL2: all edges in one call, all nodes in another. */
import type { Rgb, Theme } from './colours';
import { colourOf, sizeFactor, type Camera, type Emphasis, type Scene, type SceneEdge } from './scene';

const NODES = `#version 300 es
layout(location=0) in vec2 corner;
layout(location=1) in vec2 place;
layout(location=2) in float radius;
layout(location=3) in vec4 fill;
layout(location=4) in vec4 ring;
layout(location=5) in float square;
uniform vec3 camera; uniform vec2 size; uniform float factor;
out vec2 at; out float r; out vec4 inside; out vec4 around; out float isSquare;
void main() {
  r = max(radius * factor, 1.6);
  at = corner * (r + 6.0);
  inside = fill; around = ring; isSquare = square;
  vec2 pixel = (place - camera.xy) * camera.z + at;
  gl_Position = vec4(pixel / size * vec2(2.0, -2.0), 0.0, 1.0);
}`;
const NODE_PIXELS = `#version 300 es
precision highp float;
in vec2 at; in float r; in vec4 inside; in vec4 around; in float isSquare;
uniform vec3 ground; uniform float pixel;
out vec4 colour;
void main() {
  vec2 corner = abs(at) - vec2(r * 0.86 - 2.0);
  float d = isSquare > 0.5 ? length(max(corner, 0.0)) + min(max(corner.x, corner.y), 0.0) - 2.0 : length(at) - r;
  float body = 1.0 - smoothstep(-pixel, pixel, d);
  float gap = 1.0 - smoothstep(-pixel, pixel, d - min(1.5, r * 0.3));
  float ring = around.a * (1.0 - smoothstep(-pixel, pixel, abs(d - 3.0) - 1.0));
  float glow = around.a * 0.35 * (1.0 - smoothstep(0.0, 6.0, d));
  // Each node has a hairline of the ground around it, so that crowded ones stay apart.
  vec3 own = mix(ground, inside.rgb, body);
  float cover = max(body, gap) * inside.a;
  float light = max(ring, glow) * (1.0 - body);
  colour = vec4(mix(own, around.rgb, light), 1.0) * max(cover, light);
}`;
const EDGES = `#version 300 es
layout(location=0) in vec2 corner;
layout(location=1) in vec4 ends;
layout(location=2) in vec2 radii;
layout(location=3) in vec4 fill;
layout(location=4) in float width;
uniform vec3 camera; uniform vec2 size; uniform float factor; uniform float arrows;
out vec4 inside; out vec2 at; out vec4 shape;
void main() {
  vec2 a = (ends.xy - camera.xy) * camera.z;
  vec2 b = (ends.zw - camera.xy) * camera.z;
  vec2 along = b - a;
  float whole = max(length(along), 0.001);
  along /= whole;
  float from = max(radii.x * factor, 1.6), to = whole - max(radii.y * factor, 1.6) - 1.5;
  vec2 across = vec2(-along.y, along.x);
  float head = arrows * (3.0 + width);
  float half_ = max(width * 0.5, head) + 1.0;
  float s = mix(from, max(to, from), corner.x * 0.5 + 0.5);
  at = vec2(s, corner.y * half_);
  shape = vec4(max(to, from), head, width * 0.5, 0.0);
  inside = fill;
  gl_Position = vec4((a + along * s + across * at.y) / size * vec2(2.0, -2.0), 0.0, 1.0);
}`;
const EDGE_PIXELS = `#version 300 es
precision highp float;
in vec4 inside; in vec2 at; in vec4 shape;
uniform float pixel;
out vec4 colour;
void main() {
  float left = shape.x - at.x;
  float reach = shape.y * 2.0;
  float half_ = left < reach ? max(left * 0.5, shape.z * step(reach * 0.7, left)) : shape.z;
  float cover = 1.0 - smoothstep(-pixel, pixel, abs(at.y) - half_);
  colour = vec4(inside.rgb, 1.0) * inside.a * cover;
}`;

const NODE_FLOATS = 6;
const EDGE_FLOATS = 8;
/** Above this many edges on the screen arrowheads are noise. */
const MOST_ARROWS = 4000;

function program(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.createShader(kind);
    if (!shader) throw new Error('WebGL has no room for a shader');
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) ?? 'the shader does not link');
  return made;
}

/** What is in front is drawn last. */
function frontLast<T>(all: T[], isFront: (one: T) => boolean): T[] {
  const front = all.filter(isFront);
  return front.length === 0 ? all : [...all.filter((one) => !isFront(one)), ...front];
}

/** The locations of uniforms: asking WebGL for them each frame would wait for it. */
function locations(gl: WebGL2RenderingContext, made: WebGLProgram) {
  const names = ['camera', 'size', 'factor', 'pixel', 'arrows', 'ground'] as const;
  return Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(made, name)])) as Record<(typeof names)[number], WebGLUniformLocation | null>;
}

function pack([red, green, blue]: Rgb, alpha: number): number {
  return ((Math.round(alpha * 255) << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export interface Painter {
  /** Writes the scene's arrays anew: after a change of the scene or of the emphasis. */
  load(scene: Scene, emphasis: Emphasis, theme: Theme, glows: Map<number, number>): void;
  draw(scene: Scene, camera: Camera, theme: Theme, width: number, height: number, ratio: number): void;
}

/** Returns null if the browser has no WebGL2. */
export function painter(canvas: HTMLCanvasElement): Painter | null {
  const gl = canvas.getContext('webgl2', { antialias: false, alpha: false, preserveDrawingBuffer: false });
  if (!gl) return null;
  const nodeProgram = program(gl, NODES, NODE_PIXELS);
  const edgeProgram = program(gl, EDGES, EDGE_PIXELS);
  const nodeUniforms = locations(gl, nodeProgram);
  const edgeUniforms = locations(gl, edgeProgram);
  const corners = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, corners);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);

  const attribute = (location: number, size: number, type: number, stride: number, offset: number) => {
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, type === gl.UNSIGNED_BYTE, stride, offset);
    gl.vertexAttribDivisor(location, 1);
  };
  const layout = (buffer: WebGLBuffer, rest: () => void) => {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, corners);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    rest();
    gl.bindVertexArray(null);
    return array;
  };
  const nodeBuffer = gl.createBuffer();
  const edgeBuffer = gl.createBuffer();
  const nodeArray = layout(nodeBuffer, () => {
    attribute(1, 2, gl.FLOAT, NODE_FLOATS * 4, 0);
    attribute(2, 1, gl.FLOAT, NODE_FLOATS * 4, 8);
    attribute(3, 4, gl.UNSIGNED_BYTE, NODE_FLOATS * 4, 12);
    attribute(4, 4, gl.UNSIGNED_BYTE, NODE_FLOATS * 4, 16);
    attribute(5, 1, gl.FLOAT, NODE_FLOATS * 4, 20);
  });
  const edgeArray = layout(edgeBuffer, () => {
    attribute(1, 4, gl.FLOAT, EDGE_FLOATS * 4, 0);
    attribute(2, 2, gl.FLOAT, EDGE_FLOATS * 4, 16);
    attribute(3, 4, gl.UNSIGNED_BYTE, EDGE_FLOATS * 4, 24);
    attribute(4, 1, gl.FLOAT, EDGE_FLOATS * 4, 28);
  });

  function load(scene: Scene, emphasis: Emphasis, theme: Theme, glows: Map<number, number>): void {
    const nodes = new Float32Array(scene.ids.length * NODE_FLOATS);
    const nodeColours = new Uint32Array(nodes.buffer);
    const isFront = (at: number) => !emphasis.nodes || emphasis.nodes.has(at);
    const order = frontLast([...scene.ids.keys()], (at) => emphasis.nodes !== null && isFront(at));
    order.forEach((at, row) => {
      const base = row * NODE_FLOATS;
      nodes[base] = scene.places[at * 2] ?? 0;
      nodes[base + 1] = scene.places[at * 2 + 1] ?? 0;
      nodes[base + 2] = scene.radii[at] ?? 5;
      nodeColours[base + 3] = pack(colourOf(scene, at, theme), isFront(at) ? 1 : 0.16);
      const glow = glows.get(at) ?? 0;
      const isMarked = at === emphasis.selected || at === emphasis.start || emphasis.path.has(at);
      nodeColours[base + 4] = isMarked ? pack(theme.accent, 1) : at === emphasis.hovered ? pack(theme.text, 0.7) : pack(theme.agent, glow);
      nodes[base + 5] = scene.isFunction[at] ?? 0;
    });
    gl?.bindBuffer(gl.ARRAY_BUFFER, nodeBuffer);
    gl?.bufferData(gl.ARRAY_BUFFER, nodes, gl.DYNAMIC_DRAW);

    const edges = new Float32Array(scene.edges.length * EDGE_FLOATS);
    const edgeColours = new Uint32Array(edges.buffer);
    const { selected, hovered } = emphasis;
    const isNear = ({ source, target }: SceneEdge) => (selected !== null && (source === selected || target === selected)) || (hovered !== null && (source === hovered || target === hovered));
    const isMarkedEdge = ({ id }: SceneEdge) => emphasis.pathEdges.has(id) || emphasis.selectedEdge === id;
    const ordered = frontLast(scene.edges, (edge) => isNear(edge) || isMarkedEdge(edge));
    const alpha = scene.edges.length > 6000 ? 0.3 : scene.edges.length > 1000 ? 0.6 : 0.9;
    ordered.forEach((edge, row) => {
      const base = row * EDGE_FLOATS;
      const isMarked = isMarkedEdge(edge);
      const near = isNear(edge);
      edges[base] = scene.places[edge.source * 2] ?? 0;
      edges[base + 1] = scene.places[edge.source * 2 + 1] ?? 0;
      edges[base + 2] = scene.places[edge.target * 2] ?? 0;
      edges[base + 3] = scene.places[edge.target * 2 + 1] ?? 0;
      edges[base + 4] = scene.radii[edge.source] ?? 5;
      edges[base + 5] = scene.radii[edge.target] ?? 5;
      edgeColours[base + 6] = isMarked ? pack(theme.accent, 1) : near ? pack(theme.quiet, 0.9) : pack(theme.edge, emphasis.nodes ? alpha * 0.35 : alpha);
      edges[base + 7] = isMarked ? 2.5 : 1.2;
    });
    gl?.bindBuffer(gl.ARRAY_BUFFER, edgeBuffer);
    gl?.bufferData(gl.ARRAY_BUFFER, edges, gl.DYNAMIC_DRAW);
  }

  function draw(scene: Scene, camera: Camera, theme: Theme, width: number, height: number, ratio: number): void {
    if (!gl || gl.isContextLost()) return;
    gl.viewport(0, 0, Math.round(width * ratio), Math.round(height * ratio));
    const [red, green, blue] = theme.ground.map((part) => part / 255) as Rgb;
    gl.clearColor(red, green, blue, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const factor = sizeFactor(scene, camera);
    const use = (made: WebGLProgram, uniforms: typeof nodeUniforms) => {
      gl.useProgram(made);
      gl.uniform3f(uniforms.camera, camera.x, camera.y, camera.zoom);
      gl.uniform2f(uniforms.size, width, height);
      gl.uniform1f(uniforms.factor, factor);
      gl.uniform1f(uniforms.pixel, 0.7 / ratio);
    };
    use(edgeProgram, edgeUniforms);
    gl.uniform1f(edgeUniforms.arrows, scene.edges.length <= MOST_ARROWS || factor > 0.8 ? Math.min(factor, 1) : 0);
    gl.bindVertexArray(edgeArray);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, scene.edges.length);
    use(nodeProgram, nodeUniforms);
    gl.uniform3f(nodeUniforms.ground, red, green, blue);
    gl.bindVertexArray(nodeArray);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, scene.ids.length);
    gl.bindVertexArray(null);
  }
  return { load, draw };
}
