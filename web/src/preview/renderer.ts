/**
 * Draws a function in WebGL 2. A picture is drawn in tiles, a few per frame of the page, coarsely while it changes and
 * finely when it rests, so that the page stays responsive without a fast graphics processor. The page never waits for it: fences say
 * what is done. The first picture of another function is a draft, drawn by a program that drivers compile sooner.
 */
import { diagonal, grown, roundLength, size as sizeOf, sub, dot, centre, type Box, type Frame, type Vec3 } from './camera';
import { draft, geometry, SAMPLES_SIDE, SCALING, SHADING, VERTEX } from './shaders';
import { steepest } from './source';

export interface Blocks {
  [name: string]: Float32Array;
}

export interface FieldProgram {
  source: string;
  name: string;
  blocks: Blocks;
}

export interface Scene {
  frame: Frame;
  bounds: Box;
  /** True if material may lie beyond the bounds, so that they cut it. */
  cuts: boolean;
  /** Everything with dot(p, normal) > at is removed. */
  section: { normal: Vec3; at: number } | null;
  /** Colour of the ground, as linear light. */
  back: Vec3;
  lineShade: number;
}

type Uniforms = Map<string, WebGLUniformLocation>;
interface Linked {
  program: WebGLProgram;
  uniforms: Uniforms;
}

const TILE = 128;
/** Depths that the shader writes where nothing is are larger. */
const NO_DEPTH = 1e29;
/** Duration of the drawing of a frame of the page that leaves time for everything else. */
const FRAME_MS = 24;
/** Pixels of the picture for each of the screen: the first one is for pictures that change, the others follow while it rests. */
const LEVELS = [0.25, 0.5, 1, 2] as const;
const MOST_MS = 4000;
const REST_MS = 120;
/** Time between two looks at a fence. */
const POLL_MS = 2;

export class Renderer {
  private readonly gl: WebGL2RenderingContext;
  /** Programs of all functions, compiled beside the first one. */
  private readonly common: [shading: WebGLProgram, scaling: WebGLProgram];
  private passes: { shading: Linked; scaling: Linked } | null = null;
  private readonly buffers = new Map<string, WebGLBuffer>();
  /** `whole` is the text of the program that replaces a draft; null once it has. */
  private field: { linked: Linked; compares: boolean; whole: string | null } | null = null;
  private blocks: Blocks = {};
  private source = '';
  /** Numbers of the last function that is wanted, and of the last program that is compiled. */
  private asked = 0;
  private compiling = 0;
  /** Text of the whole program that is compiled while the draft is shown. */
  private completing: string | null = null;
  private scene: Scene | null = null;
  private hits: { texture: WebGLTexture; colours: WebGLTexture; frame: WebGLFramebuffer; picture: WebGLFramebuffer; width: number; height: number } | null = null;
  private samples: WebGLFramebuffer | null = null;
  private readonly read: WebGLBuffer;
  /** Slope of the field, and whether it is estimated for the present numbers and bounds. */
  private slope = 1;
  private hasSlope = false;
  private level = 0;
  private perPixel = 0;
  /** Tiles that are drawn in a frame of the page. */
  private batch = 1;
  /** Number of the picture that is being drawn, and whether one is. */
  private turn = 0;
  private isDrawing = false;
  private isStale = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Called when a picture begins. */
  onBegun: () => void = () => {};
  /** Called when a picture is complete. */
  onDrawn: (level: number) => void = () => {};
  /** Called if the driver cannot compile what it was given after a draft. */
  onFailed: (reason: string) => void = () => {};

  constructor(private readonly canvas: HTMLCanvasElement) {
    const gl = canvas.getContext('webgl2', { antialias: false, alpha: false, depth: false, preserveDrawingBuffer: true, powerPreference: 'high-performance' });
    if (!gl) throw new Error('this browser has no WebGL 2');
    this.gl = gl;
    gl.bindVertexArray(gl.createVertexArray());
    this.read = gl.createBuffer();
    this.common = [this.begin(SHADING), this.begin(SCALING)];
  }

  get isLost(): boolean {
    return this.gl.isContextLost();
  }

  /** Takes a function; the last picture stays until the function is compiled. Returns false if another one came in between. */
  async setField(now: FieldProgram, before: FieldProgram | null): Promise<boolean> {
    const whole = geometry(now.source, now.name, before);
    const turn = ++this.asked;
    if (whole !== this.source) {
      const linked = await this.linked(draft(now.source, now.name, before));
      if (!linked) return false;
      const isOvertaken = () => turn !== this.asked;
      if (!this.passes) {
        const [shading, scaling] = this.common;
        for (const common of this.common) await this.compiled(common);
        if (isOvertaken()) return this.dropped(linked);
        this.passes = { shading: this.finish(shading, 'shading'), scaling: this.finish(scaling, 'scaling') };
      }
      if (isOvertaken()) return this.dropped(linked);
      this.replace({ linked, compares: before !== null, whole });
      this.source = whole;
    }
    this.blocks = { ...now.blocks, ...before?.blocks };
    this.setBlocks();
    this.hasSlope = false;
    this.redraw();
    return true;
  }

  /** Gives up a program; the whole of the present function, which it may have overtaken, is compiled again. */
  private dropped({ program }: Linked): false {
    this.gl.deleteProgram(program);
    if (this.field) this.redraw();
    return false;
  }

  /** A compiled program of a function; null if another one is wanted meanwhile. */
  private async linked(text: string): Promise<Linked | null> {
    const turn = ++this.compiling;
    const program = this.begin(text);
    await this.compiled(program);
    if (turn === this.compiling) return this.finish(program, 'function');
    this.gl.deleteProgram(program);
    return null;
  }

  private replace(field: NonNullable<typeof this.field>): void {
    if (this.field) this.gl.deleteProgram(this.field.linked.program);
    this.field = field;
    this.perPixel = 0;
    // Samples come first: the time of a picture does not include what drivers do at the first use of a program.
    this.hasSlope = false;
    // No picture is of two programs.
    this.turn++;
    this.isDrawing = false;
    for (const buffer of this.buffers.values()) this.gl.deleteBuffer(buffer);
    this.buffers.clear();
  }

  /** Replaces the draft, whose picture is shown, by the whole program. */
  private async complete(whole: string): Promise<void> {
    this.completing = whole;
    try {
      const linked = await this.linked(whole);
      if (!linked || !this.field) return;
      this.replace({ ...this.field, linked, whole: null });
      this.setBlocks();
      this.start(1);
    } catch (error) {
      this.onFailed(error instanceof Error ? error.message : String(error));
    } finally {
      if (this.completing === whole) this.completing = null;
    }
  }

  /** Sets the numbers of the function, without compiling. */
  private setBlocks(): void {
    const { gl, field } = this;
    if (!field) return;
    for (const [name, values] of Object.entries(this.blocks)) {
      const index = gl.getUniformBlockIndex(field.linked.program, name);
      // Blocks that the driver does not need are gone.
      if (index === gl.INVALID_INDEX) continue;
      let buffer = this.buffers.get(name);
      if (!buffer) {
        buffer = gl.createBuffer();
        this.buffers.set(name, buffer);
      }
      gl.bindBuffer(gl.UNIFORM_BUFFER, buffer);
      gl.bufferData(gl.UNIFORM_BUFFER, values, gl.DYNAMIC_DRAW);
      const binding = [...this.buffers.keys()].indexOf(name);
      gl.uniformBlockBinding(field.linked.program, index, binding);
      gl.bindBufferBase(gl.UNIFORM_BUFFER, binding, buffer);
    }
  }

  setScene(scene: Scene): void {
    if (this.scene?.bounds !== scene.bounds) this.hasSlope = false;
    this.scene = scene;
    this.redraw();
  }

  resize(width: number, height: number): void {
    if (this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.redraw();
  }

  /** Depth of the last picture at a place, given as shares from the upper left corner; Infinity where nothing is. */
  depthAt(x: number, y: number): number {
    const { gl, hits } = this;
    if (!hits || gl.isContextLost() || x < 0 || y < 0 || x >= 1 || y >= 1) return Infinity;
    const found = new Uint32Array(4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, hits.frame);
    gl.readPixels(Math.floor(x * hits.width), Math.floor((1 - y) * hits.height), 1, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, found);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const depth = new Float32Array(found.buffer)[1] ?? Infinity;
    return depth < NO_DEPTH ? depth : Infinity;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.turn++;
    this.compiling++;
    if (this.field) this.gl.deleteProgram(this.field.linked.program);
    for (const program of this.common) this.gl.deleteProgram(program);
    this.passes = null;
    this.field = null;
    this.scene = null;
  }

  private redraw(): void {
    clearTimeout(this.timer);
    // On a fast processor a picture that changes is as fine as one that rests.
    const pixels = this.canvas.width * this.canvas.height;
    const affordable = LEVELS.findLastIndex((level) => level <= 1 && this.perPixel > 0 && this.perPixel * pixels * level * level < FRAME_MS);
    const level = Math.max(affordable, 0);
    // A picture that is being drawn is completed first, so that something is seen during long changes.
    if (this.isDrawing && this.level <= level) this.isStale = true;
    else this.start(level);
  }

  private start(level: number): void {
    const turn = ++this.turn;
    this.isStale = false;
    this.level = level;
    this.isDrawing = true;
    this.onBegun();
    void this.draw(turn).then((isComplete) => {
      if (turn !== this.turn) return;
      this.isDrawing = false;
      if (isComplete) this.drawn();
    });
  }

  /** After a picture: the next one, with what has changed meanwhile, or finer. */
  private drawn(): void {
    this.onDrawn(this.level);
    const { field, canvas } = this;
    if (this.isStale) return this.redraw();
    const finer = this.level + 1;
    const wanted = LEVELS[finer];
    const whole = field?.whole ?? null;
    clearTimeout(this.timer);
    if (whole !== null) {
      if (this.completing !== whole) this.timer = setTimeout(() => void this.complete(whole), REST_MS);
    } else if (wanted !== undefined && this.perPixel * canvas.width * canvas.height * wanted * wanted <= MOST_MS) {
      this.timer = setTimeout(() => this.start(finer), REST_MS);
    }
  }

  /** Waits for the processor without blocking the page; false if the picture is not wanted any more. */
  private async settled(turn: number): Promise<boolean> {
    const { gl } = this;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (!fence) return false;
    do await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    while (turn === this.turn && !gl.isContextLost() && gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED);
    gl.deleteSync(fence);
    return turn === this.turn && !gl.isContextLost();
  }

  /** Draws a picture; false if there is nothing to draw, or another picture is wanted meanwhile. */
  private async draw(turn: number): Promise<boolean> {
    // What changes at once is one picture.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const { gl, canvas } = this;
    const isWanted = () => turn === this.turn && !gl.isContextLost();
    if (!isWanted() || !this.field || !this.scene || !this.passes || canvas.width < 2 || canvas.height < 2) return false;
    if (!this.hasSlope) {
      const { bounds } = this.scene;
      this.hasSlope = true;
      const values = await this.sample(turn, this.field.linked, bounds);
      if (!values) {
        this.hasSlope = false;
        return false;
      }
      this.slope = steepest(values, sizeOf(grown(bounds, 0.02)));
    }
    const share = LEVELS[this.level] ?? 1;
    const [width, height] = [Math.max(1, Math.round(canvas.width * share)), Math.max(1, Math.round(canvas.height * share))];
    const hits = this.target(width, height);
    const across = Math.ceil(width / TILE);
    const count = across * Math.ceil(height / TILE);
    let spent = 0;
    for (let tile = 0; tile < count; ) {
      const { field, scene, passes } = this;
      if (!field || !scene || !passes) return false;
      const began = performance.now();
      gl.bindFramebuffer(gl.FRAMEBUFFER, hits.frame);
      gl.viewport(0, 0, width, height);
      gl.useProgram(field.linked.program);
      this.setView(field.linked.uniforms, scene, width, height, share);
      gl.enable(gl.SCISSOR_TEST);
      const first = tile;
      for (; tile < Math.min(count, first + this.batch); tile++) {
        gl.scissor((tile % across) * TILE, Math.floor(tile / across) * TILE, TILE, TILE);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
      }
      gl.disable(gl.SCISSOR_TEST);
      if (tile >= count) this.shade(scene, hits, share, passes, field.whole !== null);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      if (!(await this.settled(turn))) return false;
      const took = performance.now() - began;
      spent += took;
      this.batch = Math.max(1, Math.min(this.batch * 4, Math.floor(((tile - first) * FRAME_MS) / took)));
    }
    this.perPixel = spent / (width * height);
    return true;
  }

  /** Values of the field on a grid, x fastest; null if they are not wanted any more. */
  private async sample(turn: number, { program, uniforms }: Linked, bounds: Box): Promise<Float32Array | null> {
    const { gl } = this;
    if (!this.samples) {
      const texture = this.texture(gl.RGBA32UI, SAMPLES_SIDE, SAMPLES_SIDE);
      this.samples = this.framebuffer(texture);
    }
    const found = new Uint32Array(SAMPLES_SIDE * SAMPLES_SIDE * 4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.samples);
    gl.viewport(0, 0, SAMPLES_SIDE, SAMPLES_SIDE);
    gl.useProgram(program);
    const [low, high] = grown(bounds, 0.02);
    gl.uniform3fv(uniforms.get('low') ?? null, low);
    gl.uniform3fv(uniforms.get('high') ?? null, high);
    gl.uniform1i(uniforms.get('samples') ?? null, 1);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.read);
    gl.bufferData(gl.PIXEL_PACK_BUFFER, found.byteLength, gl.STREAM_READ);
    gl.readPixels(0, 0, SAMPLES_SIDE, SAMPLES_SIDE, gl.RGBA_INTEGER, gl.UNSIGNED_INT, 0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    if (!(await this.settled(turn))) return null;
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.read);
    gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, found);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    const values = new Float32Array(found.buffer);
    return values.filter((_, index) => index % 4 === 0);
  }

  private shade(scene: Scene, hits: NonNullable<typeof this.hits>, share: number, { shading, scaling }: NonNullable<typeof this.passes>, isDraft: boolean): void {
    const { gl, canvas } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, hits.picture);
    gl.useProgram(shading.program);
    const at = (name: string) => shading.uniforms.get(name) ?? null;
    this.setView(shading.uniforms, scene, hits.width, hits.height, share);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, hits.texture);
    gl.uniform1i(at('hits'), 0);
    gl.uniform1f(at('density'), share * Math.max(1, window.devicePixelRatio));
    const { frame, bounds } = scene;
    const middle = dot(sub(centre(bounds), frame.eye), frame.forward);
    const half = diagonal(bounds) / 2;
    gl.uniform2f(at('depths'), middle - half, middle + half);
    gl.uniform3fv(at('back'), scene.back);
    gl.uniform1f(at('lineShade'), scene.lineShade);
    gl.uniform1f(at('spacing'), roundLength(Math.max(...sizeOf(bounds)) / 4));
    gl.uniform1i(at('compares'), this.field?.compares ? 1 : 0);
    gl.uniform1i(at('isDraft'), isDraft ? 1 : 0);
    const axis = gridAxis(frame.forward);
    const normal: Vec3 = [0, 0, 0];
    if (axis !== null) normal[axis] = 1;
    gl.uniform3fv(at('gridAxis'), normal);
    gl.uniform1f(at('gridHeight'), axis === null ? 0 : bounds[frame.forward[axis] < 0 ? 0 : 1][axis]);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.useProgram(scaling.program);
    gl.bindTexture(gl.TEXTURE_2D, hits.colours);
    gl.uniform1i(scaling.uniforms.get('picture') ?? null, 0);
    gl.uniform2f(scaling.uniforms.get('size') ?? null, canvas.width, canvas.height);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  private setView(uniforms: Uniforms, scene: Scene, width: number, height: number, share: number): void {
    const { gl } = this;
    const at = (name: string) => uniforms.get(name) ?? null;
    const { frame, bounds, section } = scene;
    for (const name of ['eye', 'right', 'up', 'forward'] as const) gl.uniform3fv(at(name), frame[name]);
    const box = scene.cuts ? bounds : grown(bounds, 0.12);
    gl.uniform2f(at('size'), width, height);
    gl.uniform1f(at('pixel'), frame.pixel / share / Math.max(1, window.devicePixelRatio));
    gl.uniform3fv(at('low'), box[0]);
    gl.uniform3fv(at('high'), box[1]);
    const plane = section ? [...section.normal, section.at] : [0, 0, 0, 0];
    gl.uniform4fv(at('plane'), plane);
    gl.uniform1f(at('slope'), this.slope);
    gl.uniform1i(at('samples'), 0);
    gl.uniform1f(at('ground'), bounds[0][2]);
    gl.uniform1i(at('hasGround'), gridAxis(frame.forward) === 2 && Math.abs(frame.forward[2]) < 0.999 ? 1 : 0);
    gl.uniform1f(at('reach'), diagonal(bounds));
  }

  private target(width: number, height: number): NonNullable<typeof this.hits> {
    const { gl } = this;
    if (this.hits?.width === width && this.hits.height === height) return this.hits;
    if (this.hits) {
      gl.deleteTexture(this.hits.texture);
      gl.deleteTexture(this.hits.colours);
      gl.deleteFramebuffer(this.hits.frame);
      gl.deleteFramebuffer(this.hits.picture);
    }
    const texture = this.texture(gl.RGBA32UI, width, height);
    const colours = this.texture(gl.RGBA8, width, height, gl.LINEAR);
    this.hits = { texture, colours, frame: this.framebuffer(texture), picture: this.framebuffer(colours), width, height };
    return this.hits;
  }

  private texture(format: number, width: number, height: number, filter: number = this.gl.NEAREST): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    return texture;
  }

  private framebuffer(texture: WebGLTexture): WebGLFramebuffer {
    const { gl } = this;
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    return frame;
  }

  private begin(fragment: string): WebGLProgram {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [
      [gl.VERTEX_SHADER, VERTEX],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(kind);
      if (!shader) throw new Error('WebGL made no shader');
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      gl.deleteShader(shader);
    }
    gl.linkProgram(program);
    return program;
  }

  /** Waits without blocking the page, where the browser can tell. */
  private async compiled(program: WebGLProgram): Promise<void> {
    const { gl } = this;
    const parallel = gl.getExtension('KHR_parallel_shader_compile');
    if (!parallel) return;
    while (!gl.isContextLost() && !gl.getProgramParameter(program, parallel.COMPLETION_STATUS_KHR)) {
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
  }

  private finish(program: WebGLProgram, what: string): Linked {
    const { gl } = this;
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      const logs = gl.getAttachedShaders(program)?.map((shader) => gl.getShaderInfoLog(shader)) ?? [];
      throw new Error(`the graphics driver did not compile the ${what}: ${[gl.getProgramInfoLog(program), ...logs].filter(Boolean).join(' ')}`);
    }
    const uniforms: Uniforms = new Map();
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) as number;
    for (let index = 0; index < count; index++) {
      const info = gl.getActiveUniform(program, index);
      const place = info && gl.getUniformLocation(program, info.name);
      if (info && place) uniforms.set(info.name, place);
    }
    return { program, uniforms };
  }
}

/** Axis of the grid: the ground from above, or the plane behind along an axis. */
function gridAxis(forward: Vec3): 0 | 1 | 2 | null {
  for (const axis of [0, 1, 2] as const) if (Math.abs(forward[axis]) > 0.9999) return axis;
  return forward[2] < -0.15 ? 2 : null;
}
