/**
 * Shaders of the preview. The first one marches a ray for each pixel and writes what it meets; the second one colours it,
 * with the lights and colours of the server's pictures. A draft of the first one writes depths alone: drivers without a graphics
 * processor compile it in less than half of the time.
 *
 * All evaluations of the function (marching, bisection, normals, occlusion, shadow) go through one call in one loop:
 * drivers inline functions, so that several calls multiply the time to compile them.
 */

export const VERTEX = `#version 300 es
void main() {
    gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0);
}
`;

/** Samples of the field along each axis, from which its slope is estimated; the target has as many as a square. */
export const SAMPLES = 16;
export const SAMPLES_SIDE = 64;

/** Faces in the first target. */
const FACES = `
const uint NOTHING = 0u;
const uint SURFACE = 1u;
const uint CUT = 2u;
const uint SECTION = 3u;
const uint ADDED = 4u;
const uint REMOVED = 5u;
`;

/** The field without and with an earlier state to compare with. */
const ALONE = (name: string) => `
vec2 field(vec3 p) {
    float d = ${name}(p);
    return vec2(d, d);
}
`;
const COMPARED = (now: string, before: string) => `
vec2 field(vec3 p) {
    return vec2(${now}(p), ${before}(p));
}
`;

/** What both programs of a function begin with. */
function declared(source: string, name: string, before: { source: string; name: string } | null): string {
  // Both begin with the same precision statements, which may be repeated.
  const functions = before ? source + before.source + COMPARED(name, before.name) : source + ALONE(name);
  return `#version 300 es
${functions}
${FACES}
uniform vec3 eye, right, up, forward;
uniform vec2 size;
uniform float pixel;
uniform vec3 low, high;
// Everything with dot(p, plane.xyz) > plane.w is removed; no plane is 0.
uniform vec4 plane;
// Slope of the field, estimated from samples.
uniform float slope;
uniform float ground;
uniform bool hasGround;
uniform float reach;
// True for samples of the field, on a grid between low and high with SAMPLES on each side.
uniform bool samples;
layout(location = 0) out uvec4 result;
const int SAMPLES = ${SAMPLES};
`;
}

/** The ray of a pixel, within the bounds and behind the section. */
const RAY = `
    vec2 at = (gl_FragCoord.xy - 0.5 * size) * pixel;
    vec3 from = eye + right * at.x + up * at.y;
    vec3 along = forward;
    vec3 inverse = 1.0 / (along + vec3(equal(along, vec3(0.0))) * 1e-20);
    vec3 a = (low - from) * inverse, b = (high - from) * inverse;
    vec3 first = min(a, b), last = max(a, b);
    float enter = max(max(first.x, first.y), max(first.z, 0.0));
    float leave = min(min(last.x, last.y), last.z);
    vec3 side = -sign(along) * vec3(greaterThanEqual(first, vec3(enter)));
    bool bySection = false;
    float slant = dot(along, plane.xyz), above = dot(from, plane.xyz) - plane.w;
    if (plane.xyz != vec3(0.0)) {
        if (abs(slant) < 1e-7) {
            if (above > 0.0) leave = -1.0;
        } else {
            float cross = -above / slant;
            if (slant < 0.0) {
                if (cross > enter) { enter = cross; bySection = true; }
            } else leave = min(leave, cross);
        }
    }
`;

/** The place of a sample of the field. */
const CELL = `
        int number = int(gl_FragCoord.x) + int(gl_FragCoord.y) * ${SAMPLES_SIDE};
        vec3 cell = vec3(number % SAMPLES, (number / SAMPLES) % SAMPLES, number / (SAMPLES * SAMPLES));
`;

/** Depths and faces alone, with few instructions. */
export function draft(source: string, name: string, before: { source: string; name: string } | null): string {
  return `${declared(source, name, before)}
void main() {${RAY}
    float t = enter, outside = enter, inside = 1e30;
    if (samples) {${CELL}
        from = mix(low, high, cell / float(SAMPLES - 1));
        t = 0.0;
    }
    vec2 both = vec2(0.0), within = vec2(0.0);
    float small = max(pixel * 0.4, (leave - enter) / 600.0);
    for (int index = 0; index < 260; index++) {
        both = field(from + along * t);
        if (samples || t > leave) break;
        float d = min(both.x, both.y);
        // What is not a number is outside.
        d = d < 1e30 ? d : 1e30;
        bool isIn = d < 0.0;
        within = isIn ? both : within;
        inside = isIn ? t : inside;
        outside = isIn ? outside : t;
        bool isFound = inside < 1e29;
        if (isFound ? inside - outside < pixel * 0.02 : t == leave) break;
        t = isFound ? 0.5 * (inside + outside) : min(t + clamp(0.9 * d / slope, small, reach * 0.08), leave);
    }
    uint face = inside > 1e29 ? NOTHING : inside > enter ? SURFACE : bySection ? SECTION : CUT;
    if (face == SURFACE && max(within.x, within.y) >= 0.0) face = within.x < 0.0 ? ADDED : REMOVED;
    // Not occluded, and in no shadow.
    result = samples ? uvec4(floatBitsToUint(both), 0u, 0u) : uvec4(0u, floatBitsToUint(inside), packHalf2x16(vec2(1.0)), face);
}
`;
}

export function geometry(source: string, name: string, before: { source: string; name: string } | null): string {
  return `${declared(source, name, before)}
bool isNan(float a) {
    return (floatBitsToUint(a) & 0x7fffffffu) > 0x7f800000u;
}

vec2 octahedral(vec3 n) {
    n /= abs(n.x) + abs(n.y) + abs(n.z);
    vec2 folded = (1.0 - abs(n.yx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
    return n.z < 0.0 ? folded : n.xy;
}

const int MARCH = 0, BISECT = 1, NORMAL = 2, CHANGE = 3, OCCLUDE = 4, SHADE = 5, DONE = 6, SAMPLE = 7;

void main() {${RAY}
    uint face = NOTHING;
    float open = 1.0, shadow = 1.0;
    vec3 normal = -along;
    float t = enter, before = enter, outside = 0.0, inside = 0.0, least = 1e30;
    float steepest = slope, gradient = slope;
    float small = max(pixel * 0.4, (leave - enter) / 600.0);
    float start = 0.0;
    int phase = MARCH, count = 0;
    vec3 p = from + along * t, q = vec3(0.0), towards = vec3(0.0), sum = vec3(0.0);
    if (enter >= leave) phase = DONE;
    bool isGround = false;
    if (samples) {${CELL}
        p = mix(low, high, cell / float(SAMPLES - 1));
        phase = SAMPLE;
    }

    for (int index = 0; index < 320; index++) {
        if (phase == DONE) {
            // What is not met lies before the ground.
            if (isGround || face != NOTHING || !hasGround || forward.z > -0.15) break;
            isGround = true;
            float down = (ground - from.z) / along.z;
            q = from + along * down;
            towards = normalize(vec3(0.16, 0.10, 1.0));
            vec3 over = 1.0 / towards;
            vec3 c = (low - q) * over, d = (high - q) * over;
            vec3 near = min(c, d), far = max(c, d);
            start = max(max(near.x, near.y), max(near.z, reach * 0.004));
            leave = min(min(far.x, far.y), far.z);
            if (start >= leave) break;
            phase = SHADE;
            t = start;
            count = 0;
        }
        if (phase == MARCH || phase == BISECT) p = from + along * t;
        else if (phase == SHADE) p = q + towards * t;
        vec2 both = field(p);
        // What a section has removed throws no shadow.
        if (phase > CHANGE && phase < DONE && dot(p, plane.xyz) > plane.w) both = vec2(1e30);
        float d = min(isNan(both.x) ? 1e30 : both.x, isNan(both.y) ? 1e30 : both.y);

        if (phase == SAMPLE) {
            result = uvec4(floatBitsToUint(both), 0u, 0u);
            return;
        }
        if (phase == MARCH) {
            if (d < 0.0) {
                if (t <= enter) {
                    face = bySection ? SECTION : CUT;
                    normal = bySection ? plane.xyz : normalize(side + vec3(1e-9));
                    phase = CHANGE;
                    p = from + along * (t + small);
                    continue;
                }
                outside = before;
                inside = t;
                phase = BISECT;
                count = 0;
                t = 0.5 * (outside + inside);
                continue;
            }
            if (t >= leave) {
                phase = DONE;
                continue;
            }
            if (t > before && least < 1e29) steepest = max(max(slope, steepest * 0.85), min(abs(least - d) / (t - before), slope * 40.0));
            least = d;
            before = t;
            t = min(t + clamp(0.9 * d / steepest, small, reach * 0.08), leave);
        } else if (phase == BISECT) {
            if (d < 0.0) inside = t;
            else outside = t;
            t = 0.5 * (outside + inside);
            count++;
            if (count > 5 && (inside - outside < pixel * 0.02 || count > 18)) {
                face = SURFACE;
                phase = NORMAL;
                q = from + along * inside;
                t = inside;
                count = 0;
                p = q + vec3(1.0, -1.0, -1.0) * pixel * 0.6;
            }
        } else if (phase == NORMAL) {
            vec3 corner = count == 0 ? vec3(1.0, -1.0, -1.0) : count == 1 ? vec3(-1.0, -1.0, 1.0) : count == 2 ? vec3(-1.0, 1.0, -1.0) : vec3(1.0);
            if (abs(d) < 1e29) sum += corner * d;
            count++;
            corner = count == 1 ? vec3(-1.0, -1.0, 1.0) : count == 2 ? vec3(-1.0, 1.0, -1.0) : vec3(1.0);
            p = q + corner * pixel * 0.6;
            if (count == 4) {
                float size = length(sum);
                normal = size > 0.0 ? sum / size : -along;
                gradient = max(size / (2.4 * pixel), slope * 0.05);
                phase = CHANGE;
                p = q - normal * pixel;
            }
        } else if (phase == CHANGE) {
            if (face != CUT && both.x != both.y) {
                if (!(both.y < 0.0) && both.x < 0.0) face = ADDED;
                else if (!(both.x < 0.0) && both.y < 0.0) face = REMOVED;
            }
            q = from + along * t;
            sum = vec3(0.0);
            count = 1;
            phase = face == SECTION || face == CUT ? DONE : OCCLUDE;
            p = q + normal * reach * 0.006;
        } else if (phase == OCCLUDE) {
            float away = reach * 0.006 * float(count * count);
            float free = clamp(d / (gradient * away), 0.0, 1.0);
            sum.x += (1.0 - free) / float(count);
            count++;
            away = reach * 0.006 * float(count * count);
            p = q + normal * away;
            if (count > 4) {
                open = clamp(1.0 - 0.62 * sum.x, 0.12, 1.0);
                phase = DONE;
            }
        } else if (phase == SHADE) {
            shadow = min(shadow, 1.6 * d / (slope * max(t - start * 0.5, reach * 0.02)));
            t += clamp(d / slope, reach * 0.018, reach * 0.08);
            count++;
            if (shadow <= 0.0 || t >= leave || count > 40) {
                shadow = clamp(shadow, 0.0, 1.0);
                break;
            }
        }
    }
    result = uvec4(packSnorm2x16(octahedral(normal)), floatBitsToUint(face == NOTHING ? 1e30 : t), packHalf2x16(vec2(open, shadow)), face);
}
`;
}

export const SHADING = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
${FACES}
uniform usampler2D hits;
uniform vec3 eye, right, up, forward;
uniform vec2 size;
uniform float pixel;
// Pixels of the target for each of the screen.
uniform float density;
uniform vec3 low, high;
uniform vec2 depths;
uniform vec3 back;
uniform float lineShade;
uniform float spacing;
// Plane of the grid: its normal is an axis, all 0 if there is none.
uniform vec3 gridAxis;
uniform float gridHeight;
uniform bool compares;
// True for hits without normals, which then follow from the depths.
uniform bool isDraft;
layout(location = 0) out vec4 shown;

vec3 unfolded(vec2 e) {
    vec3 n = vec3(e, 1.0 - abs(e.x) - abs(e.y));
    float t = max(-n.z, 0.0);
    n.xy += vec2(n.x < 0.0 ? t : -t, n.y < 0.0 ? t : -t);
    return normalize(n);
}

float depthAt(ivec2 at) {
    ivec2 inside = clamp(at, ivec2(0), ivec2(size) - 1);
    return uintBitsToFloat(texelFetch(hits, inside, 0).y);
}

// Change of the depth to a neighbour: on the side where it is smaller, which an edge is not.
float slope(ivec2 at, ivec2 by, float depth) {
    float after = depthAt(at + by) - depth, before = depth - depthAt(at - by);
    return abs(after) < abs(before) ? after : before;
}

vec3 encoded(vec3 light) {
    vec3 c = clamp(light, 0.0, 1.0);
    return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, vec3(lessThan(c, vec3(0.0031308))));
}

// Darkness of the grid at a pixel, and what the ground's shadow leaves.
float grid(vec3 from, out float within) {
    within = 0.0;
    if (gridAxis == vec3(0.0)) return 0.0;
    float t = (gridHeight - dot(from, gridAxis)) / dot(forward, gridAxis);
    vec3 p = from + forward * t;
    vec3 across = 1.0 - gridAxis;
    vec3 beyond = max(max(low - p, p - high), 0.0) * across;
    bool isFlat = abs(dot(forward, gridAxis)) > 0.9999;
    float fades = isFlat ? 1e30 : length(high - low) * 0.45;
    float left = max(1.0 - length(beyond) / fades, 0.0);
    within = left;
    vec3 lines = abs(p - round(p / spacing) * spacing);
    // Change of each coordinate by a pixel to the right and up, within the plane.
    vec3 dx = (right - forward * dot(right, gridAxis) / dot(forward, gridAxis)) * pixel;
    vec3 dy = (up - forward * dot(up, gridAxis) / dot(forward, gridAxis)) * pixel;
    vec3 width = sqrt(dx * dx + dy * dy) * density;
    vec3 cover = max(1.0 - lines / max(width, 1e-20), 0.0) * across;
    vec3 isMiddle = vec3(lessThan(abs(p), vec3(spacing * 0.5)));
    vec3 dark = cover * mix(vec3(0.115), vec3(0.26), isMiddle);
    return max(dark.x, max(dark.y, dark.z)) * left * left;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    uvec4 hit = texelFetch(hits, at, 0);
    vec2 open = unpackHalf2x16(hit.z);
    vec2 uv = (gl_FragCoord.xy - 0.5 * size) * pixel;
    vec3 from = eye + right * uv.x + up * uv.y;
    if (hit.w == NOTHING) {
        float within;
        float dark = grid(from, within);
        float shade = (1.0 - open.y) * 0.24 * within;
        vec3 light = mix(back, vec3(lineShade), dark);
        shown = vec4(encoded(light * (1.0 - shade)), 1.0);
        return;
    }
    float depth = uintBitsToFloat(hit.y);
    vec3 world = unfolded(unpackSnorm2x16(hit.x));
    vec3 n = vec3(dot(world, right), dot(world, up), dot(world, forward));
    if (isDraft) {
        n = normalize(vec3(slope(at, ivec2(1, 0), depth), slope(at, ivec2(0, 1), depth), -pixel));
        world = right * n.x + up * n.y + forward * n.z;
    }
    float key = max(dot(n, vec3(-0.44, 0.62, -0.65)), 0.0);
    float fill = max(dot(n, vec3(0.80, 0.10, -0.59)), 0.0);
    float sky = 0.5 + 0.5 * world.z;
    float sum = open.x * (0.20 + 0.22 * sky) + key * 0.74 * (0.45 + 0.55 * open.x) + fill * 0.16 * open.x;
    float gleam = pow(max(dot(n, vec3(-0.242, 0.341, -0.908)), 0.0), 24.0) * 0.07 * open.x;
    vec3 own = compares ? vec3(0.46, 0.48, 0.51) : vec3(0.335, 0.475, 0.640);
    if (hit.w == CUT) own = vec3(0.760, 0.560, 0.330);
    if (hit.w == SECTION) own = compares ? vec3(0.62, 0.58, 0.54) : vec3(0.800, 0.400, 0.230);
    if (hit.w == ADDED) own = vec3(0.10, 0.52, 0.28);
    if (hit.w == REMOVED) own = vec3(0.80, 0.16, 0.12);
    if (hit.w == SECTION || hit.w == CUT) {
        // Hatching at 45 degrees of the screen.
        float stripe = abs(fract((gl_FragCoord.x + gl_FragCoord.y) / (density * 9.0)) - 0.5) * 9.0;
        own *= 1.0 - 0.26 * clamp(1.35 - stripe, 0.0, 1.0);
    }
    float rim = 1.0;
    float steep = 1.0 / max(abs(n.z), 0.12);
    float far = depth + pixel * (5.0 + 3.0 * steep);
    if (depthAt(at + ivec2(1, 0)) > far || depthAt(at - ivec2(1, 0)) > far || depthAt(at + ivec2(0, 1)) > far || depthAt(at - ivec2(0, 1)) > far) rim = 0.45;
    float pale = 0.16 * clamp((depth - depths.x) / (depths.y - depths.x), 0.0, 1.0);
    vec3 light = (own * sum * 1.12 + gleam) * rim;
    shown = vec4(encoded(mix(light, vec3(0.88), pale)), 1.0);
}
`;

/** The picture at the size of the canvas: linear interpolation is the mean of four pixels where there are twice as many. */
export const SCALING = `#version 300 es
precision highp float;
uniform sampler2D picture;
uniform vec2 size;
out vec4 shown;
void main() {
    shown = texture(picture, gl_FragCoord.xy / size);
}
`;
