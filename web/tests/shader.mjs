/**
 * In the page: values of many shaders, each on a grid, x fastest. As many as there are uniform blocks for share a program and a draw,
 * since each of these takes longer than the functions in it. What JSON cannot hold comes as text.
 */
export function evaluateShaders(jobs) {
  const gl = document.createElement('canvas').getContext('webgl2');
  gl.getExtension('EXT_color_buffer_float');
  const most = gl.getParameter(gl.MAX_FRAGMENT_UNIFORM_BLOCKS);
  const compile = (kind, text) => {
    const part = gl.createShader(kind);
    gl.shaderSource(part, text);
    gl.compileShader(part);
    return part;
  };
  const blocksOf = (shader) => {
    const numbers = new Float32Array(Math.max(4, shader.parameter_scalars));
    for (const { offset, value } of shader.parameters) numbers.set([value].flat(3).map(Number), offset);
    return Object.entries({ ...shader.constants, ...(shader.parameter_block ? { [shader.parameter_block]: numbers } : {}) });
  };
  const named = (text, part) => text.replace(/\bfibula_/g, `f${part}_`);
  const source = (group, count) => `#version 300 es
${group.map(({ shader }, part) => named(shader.source, part)).join('\n')}
uniform vec3 low, high;
out vec4 value;
void main() {
    int row = int(gl_FragCoord.y) % ${count * count};
    vec3 pos = mix(low, high, vec3(int(gl_FragCoord.x), row % ${count}, row / ${count}) / float(${count - 1}));
    switch (int(gl_FragCoord.y) / ${count * count}) {
${group.map(({ shader }, part) => `        case ${part}: value = vec4(${named(shader.name, part)}(pos)); break;`).join('\n')}
    }
}`;
  const groups = [];
  let blocks = 0;
  for (const job of jobs) {
    const last = groups.at(-1);
    const more = blocksOf(job.shader).length;
    if (last && blocks + more <= most && last.length < 16 && JSON.stringify(last[0].grid) === JSON.stringify(job.grid)) {
      last.push(job);
      blocks += more;
    } else {
      groups.push([job]);
      blocks = more;
    }
  }
  const vertex = compile(gl.VERTEX_SHADER, '#version 300 es\nvoid main() { gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0); }');
  // All are compiled before the first is waited for: drivers compile side by side.
  const programs = groups.map((group) => {
    const program = gl.createProgram();
    const fragment = compile(gl.FRAGMENT_SHADER, source(group, group[0].grid.count));
    gl.attachShader(program, vertex);
    gl.attachShader(program, fragment);
    gl.linkProgram(program);
    return { program, fragment };
  });
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  return groups.flatMap((group, index) => {
    const { program, fragment } = programs[index];
    const { from, to, count } = group[0].grid;
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`${gl.getShaderInfoLog(fragment)} ${gl.getProgramInfoLog(program)}`);
    gl.useProgram(program);
    let binding = 0;
    group.forEach(({ shader }, part) => {
      for (const [name, values] of blocksOf(shader)) {
        const block = gl.getUniformBlockIndex(program, named(name, part));
        if (block === gl.INVALID_INDEX) continue;
        const buffer = gl.createBuffer();
        gl.bindBuffer(gl.UNIFORM_BUFFER, buffer);
        gl.bufferData(gl.UNIFORM_BUFFER, Float32Array.from(values, Number), gl.STATIC_DRAW);
        gl.bindBufferBase(gl.UNIFORM_BUFFER, binding, buffer);
        gl.uniformBlockBinding(program, block, binding++);
      }
    });
    gl.uniform3fv(gl.getUniformLocation(program, 'low'), from);
    gl.uniform3fv(gl.getUniformLocation(program, 'high'), to);
    const height = count * count * group.length;
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.R32F, count, height);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, gl.getParameter(gl.TEXTURE_BINDING_2D), 0);
    gl.viewport(0, 0, count, height);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    const pixels = new Float32Array(count * height * 4);
    gl.readPixels(0, 0, count, height, gl.RGBA, gl.FLOAT, pixels);
    const values = Array.from({ length: count * height }, (_, at) => pixels[at * 4]).map((value) => (Number.isFinite(value) ? value : String(value)));
    return group.map((_, part) => values.slice(part * count ** 3, (part + 1) * count ** 3));
  });
}
