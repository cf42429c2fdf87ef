import { c as He, j as i, r as g, a as _o, H as Nn, P as kn, g as Mo, B as Eo, R as $o, u as Co, i as Ao, b as To, d as Do, M as Ro, e as Oo } from "./vendor.js";
const E = He()(() => ({
  link: "connecting",
  projects: null,
  project: null,
  revision: 0,
  functions: [],
  overview: null,
  history: [],
  kinds: /* @__PURE__ */ new Map(),
  view: "graph",
  trail: [],
  graph: null,
  places: /* @__PURE__ */ new Map(),
  problems: [],
  selection: [],
  glows: /* @__PURE__ */ new Map(),
  subject: { kind: "build" },
  probe: {},
  values: /* @__PURE__ */ new Map(),
  bottom: null,
  notices: []
})), D = E.getState, R = E.setState;
let Lo = 1;
function q(e) {
  const t = Lo++, n = D().notices.filter((s) => s.text !== e.text);
  return R({ notices: [...n, { ...e, id: t }].slice(-3) }), e.tone === "info" && !e.action && setTimeout(() => ft(t), 4e3), t;
}
function ft(e) {
  R({ notices: D().notices.filter((t) => t.id !== e) });
}
function Ge(e, t) {
  q({ tone: "error", text: e.message, hint: e.hint ?? void 0, action: t });
}
const Fo = {
  undo: "M6 3 3 6l3 3M3 6h6a4 4 0 0 1 0 8H6",
  redo: "m10 3 3 3-3 3M13 6H7a4 4 0 0 0 0 8h3",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14",
  plus: "M8 3v10M3 8h10",
  close: "m4 4 8 8m0-8-8 8",
  layout: "M2.5 3h4v3h-4zM2.5 10h4v3h-4zM10 6.5h3.5v3H10zM6.5 4.5h1.7c1 0 .3 3.5 1.8 3.5M6.5 11.5h1.7c1 0 .3-3.5 1.8-3.5",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6Zm0-4v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5 6 6 0 1 0 13.5 9.5Z",
  left: "M2.5 3h11v10h-11zM6 3v10",
  right: "M2.5 3h11v10h-11zM10 3v10",
  bottom: "M2.5 3h11v10h-11zM2.5 9.5h11",
  export: "M8 10V2m0 0L5 5m3-3 3 3M3 9v4h10V9",
  import: "M8 2v8m0 0 3-3m-3 3L5 7M3 9v4h10V9",
  copy: "M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3",
  chevron: "m6 4 4 4-4 4",
  down: "m4 6 4 4 4-4",
  back: "M13 8H3m0 0 4-4M3 8l4 4",
  probe: "M8 1.5v4M8 10.5v4M1.5 8h4M10.5 8h4",
  keyboard: "M1.5 4h13v8h-13zM4 6.5h.5M7 6.5h.5M10 6.5h.5M12 6.5h.2M4.5 9.5h7",
  function: "M11 3c-3-1-3 1-3.5 5S6.500 14 4 13M5 7h5",
  solid: "m8 1.500 5.500 3v7L8 14.500l-5.500-3v-7zM2.500 4.500 8 7.500l5.500-3M8 7.500v7",
  graph: "M4 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM12 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM5 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6 4.500l4.200 1.800M6.600 11l3.800-2.800M4.200 6l.6 4",
  trash: "M3 4.500h10M6.500 4V2.500h3V4M4.500 4.500l.5 9h6l.5-9"
};
function X({ name: e, size: t = 16 }) {
  return /* @__PURE__ */ i.jsx("svg", { width: t, height: t, viewBox: "0 0 16 16", fill: "none", stroke: "currentColor", strokeWidth: "1.3", strokeLinecap: "round", strokeLinejoin: "round", "aria-hidden": "true", children: /* @__PURE__ */ i.jsx("path", { d: Fo[e] }) });
}
function ke({ type: e }) {
  return /* @__PURE__ */ i.jsx("svg", { className: "port-shape", width: "10", height: "10", viewBox: "0 0 10 10", style: { color: `var(--type-${e}, var(--text-3))` }, "aria-hidden": "true", children: Po(e) });
}
function Po(e) {
  switch (e) {
    case "float":
      return /* @__PURE__ */ i.jsx("circle", { cx: "5", cy: "5", r: "3.6", fill: "currentColor" });
    case "float3":
      return /* @__PURE__ */ i.jsx("path", { d: "M5 .6 9.400 5 5 9.400 .6 5Z", fill: "currentColor" });
    case "matrix4x4":
      return /* @__PURE__ */ i.jsx("rect", { x: "1.300", y: "1.300", width: "7.400", height: "7.400", rx: "0.800", fill: "currentColor" });
    case "resource_id":
      return /* @__PURE__ */ i.jsx("path", { d: "M1.300 1 9 5 1.300 9Z", fill: "currentColor" });
    case "integer":
      return /* @__PURE__ */ i.jsx("circle", { cx: "5", cy: "5", r: "3", fill: "none", stroke: "currentColor", strokeWidth: "2" });
    default:
      return /* @__PURE__ */ i.jsx("rect", { x: "2", y: "2", width: "6", height: "6", fill: "none", stroke: "currentColor", strokeWidth: "2" });
  }
}
class Z extends Error {
  constructor(t, n) {
    super(n.message), this.status = t, this.refusal = n;
  }
  status;
  refusal;
  get code() {
    return this.refusal.code;
  }
  get isConflict() {
    return this.code === "revision_conflict";
  }
}
const Sn = "fibula-token";
function Io() {
  return sessionStorage.getItem(Sn);
}
function zo(e) {
  sessionStorage.setItem(Sn, e);
}
function pt(e = {}) {
  const t = new Headers({ "X-Fibula-Client": "page", Accept: "application/json", ...e }), n = Io();
  return n && t.set("Authorization", `Bearer ${n}`), t;
}
function Q(e, t = {}, n = {}) {
  const s = t, o = e.replace(/\{(\w+)\}/g, (a, l) => encodeURIComponent(String(s[l]))), r = new URLSearchParams();
  for (const [a, l] of Object.entries(n))
    l != null && r.set(a, String(l));
  const c = r.toString();
  return c ? `${o}?${c}` : o;
}
function Bo() {
  const e = "the server does not answer", t = "the page keeps what you see and continues as soon as the server is back";
  return new Z(0, { success: !1, code: "unreachable", message: e, hint: t, details: null });
}
async function Uo(e) {
  try {
    return new Z(e.status, await e.json());
  } catch {
    const t = `the server answered with status ${e.status}`;
    return new Z(e.status, { success: !1, code: "bad_answer", message: t, hint: null, details: null });
  }
}
async function _n(e, t, n) {
  let s;
  try {
    s = await fetch(t, { ...n, method: e, cache: "no-store" });
  } catch (o) {
    throw n.signal?.aborted ? o : Bo();
  }
  if (!s.ok) throw await Uo(s);
  return s;
}
function se(e, t, n, s) {
  const o = n === void 0 ? {} : { body: JSON.stringify(n) };
  return _n(e, t, { headers: pt({ ...n === void 0 ? {} : { "Content-Type": "application/json" }, Accept: "*/*" }), signal: s ?? null, ...o });
}
async function Ho(e, t, n) {
  return await (await _n("POST", e, { headers: pt({ "Content-Type": n }), body: t })).json();
}
async function De(e, t, n) {
  const s = Q(t, n.path ?? {}, n.query ?? {});
  return await (await se(e.toUpperCase(), s, n.body, n.signal)).json();
}
const P = {
  get: (e, t = {}) => De("get", e, t),
  post: (e, t = {}) => De("post", e, t),
  put: (e, t = {}) => De("put", e, t),
  patch: (e, t = {}) => De("patch", e, t),
  delete: (e, t = {}) => De("delete", e, t)
};
function Go(e) {
  const t = e.replace(/\r\n?/g, `
`).split(`

`), n = t.pop() ?? "", s = [];
  for (const o of t) {
    const r = { event: "message", id: null, data: "" };
    let c = !1;
    for (const a of o.split(`
`)) {
      const l = a.indexOf(":");
      if (l === 0) continue;
      const u = l < 0 ? a : a.slice(0, l), h = l < 0 ? "" : a.slice(l + 1).replace(/^ /, "");
      u === "event" && (r.event = h), u === "id" && (r.id = h), u === "data" && (r.data += (c ? `
` : "") + h, c = !0);
    }
    (c || r.event !== "message") && s.push(r);
  }
  return { messages: s, rest: n };
}
const Wo = 4e3, Vo = 4e4;
function Ko(e) {
  let t = null, n = null, s = !1;
  async function o(a) {
    const l = { Accept: "text/event-stream" };
    t !== null && (l["Last-Event-ID"] = t);
    const u = await fetch("/api/events", { headers: pt(l), signal: a.signal, cache: "no-store" });
    if (u.status === 401) {
      e.state("unauthorized");
      return;
    }
    if (!u.ok || !u.body) throw new Error(`status ${u.status}`);
    e.state("live"), t === null && e.resync();
    const h = u.body.pipeThrough(new TextDecoderStream()).getReader();
    let f = "";
    for (; ; ) {
      const d = setTimeout(() => a.abort(), Vo), { value: p, done: x } = await h.read().finally(() => clearTimeout(d));
      if (x) return;
      const m = Go(f + p);
      f = m.rest;
      for (const v of m.messages)
        v.id !== null && (t = v.id), v.event === "resync" ? e.resync() : v.event === "change" && e.change(JSON.parse(v.data));
    }
  }
  async function r() {
    const a = new AbortController();
    n = a;
    let l = 150;
    for (; !s && n === a; ) {
      try {
        await o(a), l = 150;
      } catch {
        if (n !== a) return;
      }
      if (s || n !== a) return;
      if (a.signal.aborted) return void r();
      e.state("offline"), await new Promise((u) => setTimeout(u, l)), l = Math.min(l * 2, Wo);
    }
  }
  function c() {
    if (document.hidden) {
      const a = n;
      n = null, a?.abort();
    } else n === null && r();
  }
  return document.addEventListener("visibilitychange", c), document.hidden || r(), () => {
    s = !0, document.removeEventListener("visibilitychange", c), n?.abort();
  };
}
const Mn = 0;
function J(e) {
  return e !== void 0 && "source" in e;
}
function qo(e) {
  const t = (e.nodes ?? []).map((a) => ({ ...a }));
  t.some((a) => a.node_id === Mn) || t.push({ node_id: Mn, node_type: "End" });
  const { function_id: n, name: s, inputs: o, outputs: r, revision: c } = e;
  return { function_id: n, name: s, inputs: o, outputs: r, nodes: t, revision: c };
}
function ce(e) {
  return e.display_name ?? e.node_type;
}
const Xo = [48, 20];
async function Yo(e, t, n) {
  const s = [...n].map(([a, l]) => ({
    node_id: a,
    size: [l.width, l.height],
    inputs: l.inputs,
    outputs: l.outputs
  })), o = Q("/api/projects/{project}/functions/{function_id}/layout", { project: e, function_id: t.function_id }), r = await se("POST", o, { sizes: s, spacing: Xo }), { positions: c } = await r.json();
  return new Map(Object.entries(c).map(([a, [l, u]]) => [Number(a), { x: l, y: u }]));
}
const Zo = [240, 120];
function Jo(e) {
  const t = ({ position: n }) => n?.every((s, o) => s % (Zo[o] ?? 1) === 0) ?? !1;
  return e.nodes.every(t) ? { ...e, nodes: e.nodes.map(({ position: n, ...s }) => s) } : e;
}
function mt(e, t) {
  const n = e.nodes.filter((r) => r.position !== void 0);
  let s = 0, o = 0;
  for (const r of n) {
    const c = t.get(r.node_id);
    !c || !r.position || (s += (r.position[0] - c.x) / n.length, o += (r.position[1] - c.y) / n.length);
  }
  return new Map(
    e.nodes.map((r, c) => {
      const a = t.get(r.node_id) ?? { x: c * 40, y: c * 40 }, l = r.position ? { x: r.position[0], y: r.position[1] } : { x: a.x + s, y: a.y + o };
      return [r.node_id, l];
    })
  );
}
const Qo = ["node_id", "target_node_id"];
function ei(e, t) {
  const n = /* @__PURE__ */ new Set();
  return gt(e, t, n), [...n];
}
function gt(e, t, n) {
  if (Array.isArray(e)) {
    for (const o of e) gt(o, t, n);
    return;
  }
  if (typeof e != "object" || e === null) return;
  const s = e;
  if (s.function_id === t)
    for (const o of Qo) {
      const r = s[o];
      typeof r == "number" && n.add(r);
    }
  for (const [o, r] of Object.entries(s))
    o === "parameters" || o === "value" || gt(r, t, n);
}
const ti = 6e3, ni = 60;
function F(e) {
  e instanceof Z ? e.code === "unauthorized" ? R({ link: "unauthorized" }) : e.code !== "unreachable" ? Ge(e.refusal) : R({ link: "offline" }) : q({ tone: "error", text: String(e) });
}
async function We() {
  const e = [];
  let t;
  do {
    const n = await P.get("/api/projects", { query: { limit: 200, ...t ? { cursor: t } : {} } });
    e.push(...n.projects), t = n.next_cursor ?? void 0;
  } while (t);
  R({ projects: e });
}
async function si() {
  const e = /* @__PURE__ */ new Map();
  let t;
  do {
    const n = await P.get("/api/node-types", { query: { detail: "full", limit: 200, ...t ? { cursor: t } : {} } });
    for (const s of n.node_types) e.set(s.name, s);
    t = n.next_cursor ?? void 0;
  } while (t);
  R({ kinds: e });
}
async function oi(e) {
  const t = [];
  let n;
  do {
    const s = { limit: 200, ...n ? { cursor: n } : {} }, o = await P.get("/api/projects/{project}/functions", { path: { project: e }, query: s });
    t.push(...o.functions), n = o.next_cursor ?? void 0;
  } while (n);
  return t;
}
let Re = null, Se = !1;
function ee() {
  return Re ? (Se = !0, Re) : (Re = (async () => {
    try {
      do
        Se = !1, await ii();
      while (Se);
    } catch (e) {
      e instanceof Z && e.code === "unknown_project" && xt(), F(e);
    } finally {
      Re = null;
    }
  })(), Re);
}
async function ii() {
  const { project: e, trail: t } = D();
  if (e === null) return;
  const n = { project: e }, s = t.at(-1), o = s === void 0 ? null : P.get("/api/projects/{project}/functions/{function_id}/graph", { path: { project: e, function_id: s } }).catch(ri), [r, c, a, l] = await Promise.all([
    oi(e),
    P.get("/api/projects/{project}/overview", { path: n }),
    P.get("/api/projects/{project}/history", { path: n, query: { limit: ni, changes: !0 } }),
    o
  ]);
  if (D().project !== e) return;
  const u = new Set(r.map((p) => p.function_id)), h = D().trail.filter((p) => u.has(p)), f = h.length === 0 ? r[0]?.function_id : void 0, d = f === void 0 ? h : [f];
  if (R({ functions: r, overview: c, history: a.entries, revision: a.revision, trail: d }), d.at(-1) !== s) {
    R({ graph: null, selection: [] }), Se = !0;
    return;
  }
  if (l) {
    const p = Jo(qo(l)), x = new Set(p.nodes.map((v) => v.node_id)), m = D().selection.filter((v) => x.has(v));
    R({ graph: p, selection: m.length === D().selection.length ? D().selection : m });
  } else s === void 0 && R({ graph: null });
}
function ri(e) {
  if (e instanceof Z && e.code === "unknown_function") return null;
  throw e;
}
async function Ve(e, t, n = "graph") {
  R({
    project: e,
    revision: 0,
    functions: [],
    overview: null,
    history: [],
    graph: null,
    places: /* @__PURE__ */ new Map(),
    problems: [],
    selection: [],
    glows: /* @__PURE__ */ new Map(),
    values: /* @__PURE__ */ new Map(),
    subject: { kind: "build" },
    trail: t === void 0 ? [] : [t],
    view: n
  }), Se = !0, await ee();
}
function xt() {
  R({ project: null, functions: [], overview: null, graph: null, trail: [], selection: [], history: [] });
}
async function ue(e, t = !1) {
  const { trail: n } = D(), s = n.indexOf(e), o = s >= 0 ? n.slice(0, s + 1) : t ? [...n, e] : [e];
  R({ trail: o, view: "graph", graph: null, places: /* @__PURE__ */ new Map(), selection: [], values: /* @__PURE__ */ new Map(), glows: /* @__PURE__ */ new Map() }), Se = !0, await ee();
}
const bt = /* @__PURE__ */ new Set(), yt = /* @__PURE__ */ new Set();
function ai(e) {
  return bt.add(e), () => bt.delete(e);
}
function ci(e) {
  return yt.add(e), () => yt.delete(e);
}
function li(e) {
  for (const o of bt) o(e);
  const { project: t, trail: n, glows: s } = D();
  if (e.project !== t) {
    We().catch(F);
    return;
  }
  if (e.origin.client !== "page") {
    const o = n.at(-1), r = o === void 0 ? [] : ei(e.edit, o);
    if (r.length > 0) {
      const c = new Map(s), a = { who: e.origin.client, kind: e.origin.kind, at: Date.now() };
      for (const l of r) c.set(l, a);
      R({ glows: c }), setTimeout(() => {
        const l = new Map(D().glows);
        for (const u of r) l.get(u) === a && l.delete(u);
        R({ glows: l });
      }, ti);
    }
  }
  requestAnimationFrame(() => {
    ee();
  });
}
async function ui() {
  for (const e of yt) e();
  try {
    await Promise.all([D().kinds.size === 0 ? si() : null, We(), ee()]);
  } catch (e) {
    F(e);
  }
}
function di() {
  En();
  const e = [
    Ko({ change: li, resync: () => {
      ui();
    }, state: (t) => R({ link: t }) }),
    hi()
  ];
  return () => e.forEach((t) => t());
}
function En() {
  const [e, t] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (!e) return;
  const n = t === void 0 ? NaN : Number(t);
  R({ project: e, trail: Number.isInteger(n) && t !== "" ? [n] : [], view: t === "knowledge" ? "knowledge" : "graph" });
}
function hi() {
  const e = () => {
    const { project: s, trail: o, view: r } = D(), c = r === "knowledge" ? "knowledge" : o.at(-1), a = s === null ? "" : `#/${encodeURIComponent(s)}${c === void 0 ? "" : `/${c}`}`;
    a !== location.hash && history.replaceState(null, "", a || location.pathname);
  }, t = () => {
    const s = D();
    En();
    const o = D();
    o.project !== null && (s.project !== o.project || s.trail.at(-1) !== o.trail.at(-1)) && Ve(o.project, o.trail.at(-1), o.view);
  }, n = E.subscribe(e);
  return window.addEventListener("hashchange", t), () => {
    n(), window.removeEventListener("hashchange", t);
  };
}
const fi = 5;
let $n = Promise.resolve();
function Y(e, t = {}) {
  const n = $n.then(() => pi(e, t));
  return $n = n.catch(() => null), n;
}
async function pi(e, t) {
  const { project: n } = D();
  if (n === null || e.length === 0) return null;
  const s = t.basis ?? gi, o = JSON.stringify(s());
  let r = D().revision;
  for (let c = 0; ; c++)
    try {
      const a = { edits: e, ...t.label ? { label: t.label } : {} }, l = await P.post("/api/projects/{project}/edits", { path: { project: n }, query: { expected_revision: r }, body: a });
      return await ee(), { revision: l.revision, ids: l.ids, results: l.results };
    } catch (a) {
      if (!(a instanceof Z)) throw a;
      if (!a.isConflict)
        return mi(a, t), null;
      await ee();
      const { revision: l } = D();
      if (JSON.stringify(s()) === o && l !== r && c < fi) {
        r = l;
        continue;
      }
      const h = a.refusal.details?.since ?? [];
      return q({
        tone: "error",
        text: `Not written: it was changed in between${h.length > 0 ? `: ${h.at(-1)}` : ""}.`,
        hint: "The page shows the present state.",
        action: { label: "Write mine", run: () => {
          Y(e, t);
        } }
      }), null;
    }
}
function mi(e, t) {
  if (e.code === "unreachable") {
    q({ tone: "error", text: "Not written: the server does not answer.", hint: "Repeat it when the server is back." }), F(e);
    return;
  }
  const n = t.solve?.(e);
  n !== null && Ge(e.refusal, n);
}
function gi() {
  return D().graph?.nodes;
}
async function oe(e = !1, t = !1) {
  const { project: n } = D();
  if (n !== null)
    try {
      const s = await P.post("/api/projects/{project}/undo", { path: { project: n }, body: { redo: e, anyone: t } });
      await ee(), q({ tone: "info", text: Ke(s.label) });
    } catch (s) {
      if (!(s instanceof Z)) throw s;
      const r = !e && !t && s.status === 422 ? { label: "Undo the last change of anyone", run: () => {
        oe(!1, !0);
      } } : void 0;
      s.code === "unreachable" ? F(s) : Ge(s.refusal, r);
    }
}
async function xi(e) {
  const { project: t } = D();
  if (t !== null)
    try {
      const n = await P.post("/api/projects/{project}/undo", { path: { project: t }, body: { revision: e } });
      await ee(), q({ tone: "info", text: Ke(n.label), action: { label: "Undo", run: () => {
        oe();
      } } });
    } catch (n) {
      F(n);
    }
}
function Ke(e) {
  return e.charAt(0).toUpperCase() + e.slice(1);
}
function bi() {
  const e = E((n) => n.history);
  if (e.length === 0) return /* @__PURE__ */ i.jsx("p", { className: "nothing", children: "Nothing has changed yet. What an agent does appears here." });
  const t = new Set(e.flatMap((n) => n.undid ?? []));
  for (const n of e) n.redid && t.delete(e.find((s) => s.revision === n.redid)?.undid ?? -1);
  return /* @__PURE__ */ i.jsx("ol", { className: "activity", children: e.map((n) => /* @__PURE__ */ i.jsx(yi, { item: n, isUndone: t.has(n.revision) }, n.revision)) });
}
function yi({ item: e, isUndone: t }) {
  const n = e.changes ?? [];
  return /* @__PURE__ */ i.jsxs("li", { className: t ? "undone" : "", children: [
    /* @__PURE__ */ i.jsx("span", { className: `client clip ${e.client === "page" ? "me" : ""}`, title: e.client, children: e.client === "page" ? "you" : e.client }),
    /* @__PURE__ */ i.jsx("span", { className: "what clip", title: [e.label, ...n].join(`
`).slice(0, 2e3), children: Ke(e.label) }),
    /* @__PURE__ */ i.jsx("span", { className: "tool mono clip", title: e.tool, children: vi(e.tool) }),
    /* @__PURE__ */ i.jsx("time", { dateTime: e.at, title: e.at, children: Cn(e.at) }),
    /* @__PURE__ */ i.jsxs("span", { className: "mono rev", children: [
      "r",
      e.revision
    ] }),
    t ? /* @__PURE__ */ i.jsx("span", { className: "state", children: "reverted" }) : /* @__PURE__ */ i.jsx("button", { className: "button plain small", onClick: () => {
      xi(e.revision);
    }, "aria-label": `Revert ${e.label.slice(0, 120)}`, children: "Revert" })
  ] });
}
function vi(e) {
  const t = e.split("/").filter((n) => n && !n.startsWith("{"));
  return e.includes("/") ? t.at(-1) ?? e : e;
}
function Cn(e) {
  const t = new Date(e);
  return t.toDateString() === (/* @__PURE__ */ new Date()).toDateString() ? t.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: !1 }) : t.toLocaleDateString();
}
function wi() {
  const e = E((a) => a.revision), t = E((a) => a.project), [n, s] = g.useState([]), [o, r] = g.useState(null);
  g.useEffect(() => {
    let a = !0;
    return An(null).then((l) => a && l && (s(l.entries), r(l.next_cursor ?? null))), () => {
      a = !1;
    };
  }, [e, t]);
  async function c(a) {
    if (t !== null)
      try {
        await P.post("/api/projects/{project}/history/restore", { path: { project: t }, body: { revision: a.revision } }), await ee(), q({ tone: "info", text: `Restored revision ${a.revision}.`, action: { label: "Undo", run: () => {
          oe();
        } } });
      } catch (l) {
        F(l);
      }
  }
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsxs(
      "form",
      {
        className: "checkpoint",
        onSubmit: (a) => {
          a.preventDefault();
          const l = a.currentTarget, u = String(new FormData(l).get("name") ?? "").trim();
          !u || t === null || P.post("/api/projects/{project}/checkpoints", { path: { project: t }, body: { name: u } }).then(() => (l.reset(), ee()), F);
        },
        children: [
          /* @__PURE__ */ i.jsx("input", { className: "field", name: "name", "aria-label": "Name of a checkpoint", placeholder: "Name the present state\u2026", autoComplete: "off" }),
          /* @__PURE__ */ i.jsx("button", { className: "button small", children: "Checkpoint" })
        ]
      }
    ),
    /* @__PURE__ */ i.jsx("ol", { className: "activity history", children: n.map((a) => /* @__PURE__ */ i.jsxs("li", { className: a.checkpoint ? "is-checkpoint" : "", children: [
      /* @__PURE__ */ i.jsxs("span", { className: "mono rev", children: [
        "r",
        a.revision
      ] }),
      /* @__PURE__ */ i.jsx("span", { className: "what clip", title: a.label, children: a.checkpoint ?? Ke(a.label) }),
      /* @__PURE__ */ i.jsx("span", { className: "client clip", children: a.client === "page" ? "you" : a.client }),
      /* @__PURE__ */ i.jsx("time", { dateTime: a.at, children: Cn(a.at) }),
      a.revision === e ? /* @__PURE__ */ i.jsx("span", { className: "state", children: "present" }) : /* @__PURE__ */ i.jsx("button", { className: "button plain small", onClick: () => {
        c(a);
      }, "aria-label": `Restore revision ${a.revision}`, children: "Restore" })
    ] }, a.revision)) }),
    o && /* @__PURE__ */ i.jsx("button", { className: "button plain small more-button", onClick: () => {
      An(o).then((a) => a && (s([...n, ...a.entries]), r(a.next_cursor ?? null)));
    }, children: "Earlier changes" })
  ] });
}
async function An(e) {
  const { project: t } = D();
  if (t === null) return null;
  try {
    return await P.get("/api/projects/{project}/history", { path: { project: t }, query: { limit: 100, ...e ? { cursor: e } : {} } });
  } catch (n) {
    return F(n), null;
  }
}
function qe(e, t) {
  const n = D().trail.at(-1);
  t !== void 0 && t !== n ? ue(t).then(() => setTimeout(() => Tn(e), 120)) : Tn(e);
}
function Tn(e) {
  R({ selection: [e], view: "graph" }), window.dispatchEvent(new CustomEvent("fibula-show", { detail: e }));
}
function ji() {
  const e = E((n) => n.problems), t = E((n) => n.overview?.warnings);
  return e.length === 0 && !t?.length ? /* @__PURE__ */ i.jsx("p", { className: "nothing", children: "No problems." }) : /* @__PURE__ */ i.jsxs("ul", { className: "problems", children: [
    e.map((n, s) => /* @__PURE__ */ i.jsx("li", { className: n.tone, children: n.nodeId === null ? /* @__PURE__ */ i.jsx("span", { children: n.text }) : /* @__PURE__ */ i.jsx("button", { onClick: () => n.nodeId !== null && qe(n.nodeId, n.functionId ?? void 0), children: n.text }) }, s)),
    t?.map((n, s) => /* @__PURE__ */ i.jsx("li", { className: "warning", children: /* @__PURE__ */ i.jsx("span", { children: n }) }, `w${s}`))
  ] });
}
const Oe = {
  Iso: { azimuth: -45, elevation: 35.264389682754654 },
  Front: { azimuth: -90, elevation: 0 },
  Back: { azimuth: 90, elevation: 0 },
  Left: { azimuth: 180, elevation: 0 },
  Right: { azimuth: 0, elevation: 0 },
  Top: { azimuth: -90, elevation: 90 },
  Bottom: { azimuth: -90, elevation: -90 }
}, vt = { ...Oe.Iso, zoom: 1, pan: [0, 0, 0] }, Ni = 0.07, ki = 200, Si = 0.2, ye = (e, t) => [e[0] + t[0], e[1] + t[1], e[2] + t[2]], _e = (e, t) => [e[0] - t[0], e[1] - t[1], e[2] - t[2]], ve = (e, t) => [e[0] * t, e[1] * t, e[2] * t], Le = (e, t) => e[0] * t[0] + e[1] * t[1] + e[2] * t[2], Dn = ([e, t]) => ve(ye(e, t), 0.5), wt = ([e, t]) => _e(t, e), Fe = (e) => Math.hypot(...wt(e));
function jt(e, t) {
  const n = Fe(e) * t;
  return [_e(e[0], [n, n, n]), ye(e[1], [n, n, n])];
}
function _i([e, t]) {
  const n = [];
  for (let s = 0; s < 8; s++)
    n.push([s & 1 ? t[0] : e[0], s & 2 ? t[1] : e[1], s & 4 ? t[2] : e[2]]);
  return n;
}
function Rn(e) {
  const t = e.azimuth * Math.PI / 180, n = e.elevation * Math.PI / 180, [s, o] = [Math.cos(n), Math.sin(n)], [r, c] = [Math.cos(t), Math.sin(t)];
  return {
    forward: [-s * r, -s * c, -o],
    up: [-o * r, -o * c, s],
    right: [-c, r, 0]
  };
}
function Nt(e, t, n, s) {
  const { right: o, up: r, forward: c } = Rn(e), a = Dn(t);
  let [l, u, h] = [0, 0, 0];
  for (const m of _i(t)) {
    const v = _e(m, a);
    l = Math.max(l, Math.abs(Le(v, o))), u = Math.max(u, Math.abs(Le(v, r))), h = Math.max(h, Math.abs(Le(v, c)));
  }
  const f = (m) => Math.max(m, 1) / 2 * (1 - 2 * Ni), d = Math.max(l / f(n), u / f(s), Number.MIN_VALUE) / e.zoom, p = ye(a, _e(e.pan, ve(c, Le(e.pan, c)))), x = h * 1.6 + d;
  return { right: o, up: r, forward: c, eye: _e(p, ve(c, x)), pixel: d, far: 2 * x };
}
function On(e, t, n) {
  const s = ((e.azimuth - t * 0.45 + 180) % 360 + 360) % 360 - 180, o = Math.min(90, Math.max(-90, e.elevation + n * 0.45));
  return { ...e, azimuth: s, elevation: o };
}
function Mi(e, t, n, s) {
  const o = ye(ve(t.right, -n * t.pixel), ve(t.up, s * t.pixel));
  return { ...e, pan: ye(e.pan, o) };
}
function Ei(e, t, n, [s, o] = [0, 0]) {
  const r = Math.min(ki, Math.max(Si, e.zoom * n)), c = 1 - e.zoom / r, a = ye(ve(t.right, s * t.pixel * c), ve(t.up, o * t.pixel * c));
  return { ...e, zoom: r, pan: ye(e.pan, a) };
}
function Xe(e) {
  const t = 10 ** Math.floor(Math.log10(e)), n = e / t;
  return t * (n >= 5 ? 5 : n >= 2 ? 2 : 1);
}
const Ye = ["x", "y", "z"], H = He()(() => ({
  mode: "solid",
  camera: vt,
  section: null,
  height: 0.5,
  since: null,
  drafts: /* @__PURE__ */ new Map(),
  build: !1,
  bounds: null,
  cuts: !1,
  unit: "millimeter"
})), de = H.getState, K = H.setState;
function Me(e, t) {
  const n = new Map(de().drafts);
  t ? n.set(e, t) : n.delete(e), K({ drafts: n });
}
function $i(e, t) {
  const n = (e.overview?.build_item_count ?? 0) > 0;
  if (t && n) return { kind: "build" };
  const s = e.trail.at(-1), o = e.subject.kind === "port" && e.subject.functionId !== s;
  return e.subject.kind !== "build" && !o ? e.subject : s !== void 0 ? { kind: "function", functionId: s } : n ? { kind: "build" } : null;
}
function Ln() {
  const e = H((o) => o.build), t = E((o) => o.subject), n = E((o) => o.trail), s = E((o) => o.overview);
  return $i({ subject: t, trail: n, overview: s }, e);
}
function Ee(e) {
  if (e.kind === "build") return {};
  if (e.kind === "object") return { object_id: e.objectId };
  const t = e.kind === "function" ? e.output : void 0;
  return { function_id: e.functionId, ...t === void 0 ? {} : { output: t } };
}
function Ze(e, t, n, s = !1, o = !1) {
  return {
    create_link: {
      function_id: e,
      source_node_id: t.node_id,
      source_port_name: t.name,
      target_node_id: n.node_id,
      target_parameter_name: n.name,
      ...s ? { replace: s } : {},
      ...o ? { insert_conversion: !0 } : {}
    }
  };
}
function Fn(e, t) {
  return { delete_link: { function_id: e, target_node_id: t.node_id, target_parameter_name: t.name } };
}
function kt(e, t, n) {
  return { set_parameter_value: { function_id: e, node_id: t.node_id, parameter_name: t.name, value: n } };
}
function Pn(e, t, n, s) {
  return { create_node: { function_id: e, node_type: t, alias: n, ...s ? { display_name: s } : {} } };
}
function Je(e, t, n) {
  return { move_node: { function_id: e, node_id: t, position: n.map(Math.round) } };
}
function Ci(e, t) {
  return { delete_node: { function_id: e, node_id: t } };
}
function he(e) {
  return e === void 0 || e.node_type === "Begin" || e.node_type === "End";
}
function Ai(e, t, n, s) {
  const o = new Set(t.map((c) => c.node_id)), r = [];
  for (const c of t) {
    r.push(Pn(e, c.node_type, `$copy${c.node_id}`, c.display_name)), c.position && r.push(Je(e, `$copy${c.node_id}`, [c.position[0] + n[0], c.position[1] + n[1]]));
    for (const [a, l] of Object.entries(c.parameters ?? {}))
      J(l) || r.push(kt(e, { node_id: `$copy${c.node_id}`, name: a }, l.value));
  }
  for (const c of t)
    for (const [a, l] of Object.entries(c.parameters ?? {})) {
      if (!J(l)) continue;
      const { node_id: u, port: h } = l.source;
      if (!o.has(u) && !s) continue;
      const f = o.has(u) ? `$copy${u}` : u;
      r.push(Ze(e, { node_id: f, name: h }, { node_id: `$copy${c.node_id}`, name: a }));
    }
  return r;
}
function te() {
  return D().graph;
}
function le(e) {
  return te()?.nodes.find((t) => t.node_id === e);
}
function fe(...e) {
  return () => e.map((t) => le(t) && { ...le(t), position: null });
}
async function St(e, t, n) {
  const s = te();
  if (!s) return;
  const o = () => le(e)?.parameters?.[t] ?? null, r = await Y([kt(s.function_id, { node_id: e, name: t }, n)], { basis: o }), c = `${s.function_id}.${e}`;
  de().drafts.has(c) && Me(c, r && typeof n == "number" ? { numbers: [n], revision: r.revision } : null);
}
function In(e, t) {
  const n = te(), s = le(e);
  !n || s?.node_type !== "ConstantScalar" || typeof t != "number" || Me(`${n.function_id}.${e}`, { numbers: [t], revision: null });
}
function _t(e) {
  const { functions: t, overview: n, trail: s } = D();
  if (e === void 0 || e.toLowerCase() === "function") {
    const c = t.filter((a) => a.function_id !== s.at(-1)).map((a) => ({ id: a.function_id, name: a.name }));
    return e ? c : [...c, ...o()];
  }
  return o().filter((r) => r.kind.replace(/\s/g, "").toLowerCase().includes(e.replace(/[_\s]/g, "").toLowerCase()));
  function o() {
    const r = n?.objects.map((a) => ({ id: a.object_id ?? 0, name: a.name ?? `${a.kind} ${a.object_id}`, kind: a.kind })), c = n?.resources.map((a) => ({ id: a.resource_id ?? 0, name: a.name ?? `${a.kind} ${a.resource_id}`, kind: a.kind }));
    return [...r ?? [], ...c ?? []];
  }
}
async function Mt(e, t, n) {
  const s = te();
  if (!s) return;
  const o = s.function_id, r = n ? [Fn(o, n)] : [], c = (a) => [...r, Ze(o, e, t, !0, a)];
  await Y(c(!1), {
    basis: fe(Number(e.node_id), Number(t.node_id)),
    solve: (a) => {
      if (/type/.test(a.code))
        return { label: "Insert the conversion", run: () => {
          Y(c(!0), { basis: fe(Number(e.node_id), Number(t.node_id)) });
        } };
    }
  });
}
async function Et(e) {
  const t = te();
  t && await Y(e.map((n) => Fn(t.function_id, n)), { basis: fe(...e.map((n) => Number(n.node_id))) });
}
async function Ti(e, t, n) {
  const s = te();
  if (!s) return;
  const o = s.function_id, r = [Pn(o, e.name, "$new")];
  e.calls !== void 0 && r.push(kt(o, { node_id: "$new", name: "functionID" }, e.calls)), s.nodes.some((u) => u.position) && r.push(Je(o, "$new", [t.x, t.y]));
  const c = n?.end;
  n?.from && c && r.push(Ze(o, n.from, { node_id: "$new", name: c }, !1, n.convert)), n?.to && c && r.push(Ze(o, { node_id: "$new", name: c }, n.to, !0, n.convert));
  const l = (await Y(r, { basis: () => null }))?.ids.$new;
  l !== void 0 && R({ selection: [l] });
}
async function zn(e) {
  const t = te();
  if (!t) return;
  const { places: n } = D(), s = new Map([...n, ...e]), o = t.nodes.flatMap((r) => {
    const c = s.get(r.node_id), a = e.has(r.node_id) || r.position === void 0;
    return c && a ? [Je(t.function_id, r.node_id, [c.x, c.y])] : [];
  });
  R({ places: s }), await Y(o, { label: e.size === 1 ? "move a node" : `move ${e.size} nodes`, basis: () => null });
}
async function $t() {
  const e = te();
  if (!e) return;
  const t = e.nodes.filter((n) => n.position).map((n) => ({ move_node: { function_id: e.function_id, node_id: n.node_id, position: null } }));
  await Y(t, { label: "tidy up", basis: () => null });
}
async function Ct(e, t = !1) {
  const n = te();
  if (!n) return;
  const s = e.filter((r) => !he(le(r)));
  if (s.length === 0) {
    e.length > 0 && q({ tone: "info", text: "Begin and End are the inputs and outputs of the function; they cannot be deleted." });
    return;
  }
  const o = s.map((r) => t ? { bypass_node: { function_id: n.function_id, node_id: r } } : Ci(n.function_id, r));
  await Y(o, { basis: fe(...s) });
}
async function Bn(e) {
  const t = te(), n = le(e);
  !t || !n || he(n) || await Y([{ bypass_node: { function_id: t.function_id, node_id: e, keep: !0 } }], { label: `mute ${ce(n)}`, basis: fe(e) });
}
async function Di(e, t) {
  const n = te(), s = le(e);
  !n || !s || he(s) || await Y([{ replace_node: { function_id: n.function_id, node_id: e, node_type: t } }], { basis: fe(e) });
}
async function Ri(e, t, n) {
  const s = te();
  if (!s) return !1;
  const r = [{ insert_into_link: { function_id: s.function_id, node_id: e, target_node_id: t.node_id, target_parameter_name: t.name } }, Je(s.function_id, e, [n.x, n.y])];
  return await Y(r, { label: "insert into a link", basis: fe(e, Number(t.node_id)) }) !== null;
}
async function Oi(e, t) {
  const n = te(), s = le(e);
  !n || !s || t === (s.display_name ?? "") || await Y([{ rename_node: { function_id: n.function_id, node_id: e, display_name: t === "" ? null : t } }], { basis: fe(e) });
}
async function Li(e, t) {
  const n = te();
  if (!n) return;
  const s = e.filter((o) => !he(le(o)));
  await Y([{ extract_function: { function_id: n.function_id, node_ids: s, name: t } }], { basis: fe(...s) });
}
let Pe = [];
function Un(e) {
  Pe = e.flatMap((t) => {
    const n = le(t);
    return n && !he(n) ? [structuredClone(n)] : [];
  }), Pe.length > 0 && q({ tone: "info", text: `Copied ${Pe.length === 1 ? "a node" : `${Pe.length} nodes`}` });
}
const Fi = [32, 32];
async function Hn(e, t) {
  const n = te();
  if (!n || e.length === 0) return;
  const s = await Y(Ai(n.function_id, e, Fi, t), { label: t ? "duplicate nodes" : "paste nodes", basis: () => null });
  s && R({ selection: e.flatMap((o) => s.ids[`$copy${o.node_id}`] ?? []) });
}
function Pi() {
  return Hn(Pe, !1);
}
function Gn(e) {
  const t = e.flatMap((n) => le(n) ?? []).filter((n) => !he(n));
  return Hn(t, !0);
}
const At = 28, Ie = 24, Ii = 4, Tt = 6.7, zi = 148, Bi = 264;
function Ui(e, t) {
  return !J(e.parameters?.[t.name]);
}
function Hi(e, { parameters: t, ports: n }) {
  const s = Math.max(t.length, n.length);
  let o = 44 + Dt(ce(e)) * (Tt + 0.6);
  for (let c = 0; c < s; c++) {
    const a = t[c], l = n[c];
    let u = 32;
    a && (u += Dt(a.name) * Tt + (Ui(e, a) ? 72 : 0)), l && l.name !== a?.name && (u += Dt(l.name) * Tt + 16), l && (u += 44), o = Math.max(o, u);
  }
  o = Math.min(Bi, Math.max(zi, Math.ceil(o / 4) * 4));
  const r = (c, a) => At + a * Ie + Ie / 2;
  return { width: o, height: At + Math.max(s, 0) * Ie + Ii, inputs: t.map(r), outputs: n.map(r) };
}
function Dt(e) {
  return Math.min(e.length, 32);
}
const Gi = /* @__PURE__ */ new Set(["FunctionCall", "FunctionGradient", "NormalizeDistanceField"]);
function Wi(e, t, n) {
  const s = new Map(e.nodes.map((r) => [r.node_id, r])), o = /* @__PURE__ */ new Map();
  for (const r of Vi(e)) {
    const c = s.get(r);
    c && o.set(r, Ki(c, e, t, n, o, s));
  }
  return o;
}
function Vi(e) {
  const t = /* @__PURE__ */ new Map(), n = /* @__PURE__ */ new Map();
  for (const o of e.nodes) {
    let r = 0;
    for (const c of Object.values(o.parameters ?? {})) {
      if (!J(c)) continue;
      r++;
      const a = n.get(c.source.node_id);
      a ? a.push(o.node_id) : n.set(c.source.node_id, [o.node_id]);
    }
    t.set(o.node_id, r);
  }
  const s = [...t].filter(([, o]) => o === 0).map(([o]) => o);
  for (let o = 0; o < s.length; o++)
    for (const r of n.get(s[o]) ?? []) {
      const c = (t.get(r) ?? 0) - 1;
      t.set(r, c), c === 0 && s.push(r);
    }
  return s;
}
function Ki(e, t, n, s, o, r) {
  if (e.node_type === "Begin") return { parameters: [], ports: t.inputs };
  if (e.node_type === "End") return { parameters: t.outputs.map((d) => ({ ...d, hasDefault: !1 })), ports: [] };
  const c = n.get(e.node_type);
  if (!c) return { parameters: [], ports: [] };
  const a = c.parameters ?? [], l = c.overloads ?? [];
  if (Gi.has(e.node_type)) return qi(e, c, a, l, s, r);
  const u = (e.overload === void 0 ? void 0 : l[e.overload]) ?? l.find((d) => Xi(d, a, e, o)) ?? l[0], h = a.map((d, p) => Wn(d, u?.inputs[p] ?? "float")), f = (c.ports ?? []).map((d, p) => ({ name: d, type: u?.outputs[p] ?? "float" }));
  return { parameters: h, ports: f };
}
function Wn(e, t) {
  const n = e.default !== void 0 && e.default !== null;
  return { name: e.name, type: t, hasDefault: n, default: e.default, ...e.refers ? { refers: e.refers } : {} };
}
function qi(e, t, n, s, o, r) {
  const c = e.node_type === "FunctionCall" ? 1 : 4, a = s[0]?.inputs ?? [], l = n.slice(0, c).map((p, x) => Wn(p, a[x] ?? "resource_id")), u = Qe(e, r), h = o.find((p) => p.function_id === u) ?? e.callee, f = (h?.inputs ?? []).map((p) => ({ ...p, hasDefault: !1 })), d = (t.ports ?? []).map((p, x) => ({ name: p, type: s[0]?.outputs[x] ?? "float" }));
  return { parameters: [...l, ...f], ports: e.node_type === "FunctionCall" ? h?.outputs ?? [] : d };
}
function Qe(e, t) {
  const n = e.parameters?.functionID;
  if (!n) return null;
  if (!J(n)) return typeof n.value == "number" ? n.value : null;
  const s = t.get(n.source.node_id);
  for (const o of Object.values(s?.parameters ?? {}))
    if (!J(o) && typeof o.value == "number") return o.value;
  return null;
}
function Xi(e, t, n, s) {
  return t.every((o, r) => {
    const c = n.parameters?.[o.name];
    if (!c) return !0;
    const a = e.inputs[r] ?? "";
    if (J(c)) {
      const l = s.get(c.source.node_id)?.ports.find((u) => u.name === c.source.port);
      return l === void 0 || l.type === a;
    }
    return Yi(c.value, a);
  });
}
function Yi(e, t) {
  switch (t) {
    case "float":
      return typeof e == "number" || typeof e == "string" && /^-?(NaN|Infinity)$/.test(e);
    case "integer":
    case "resource_id":
      return Number.isInteger(e);
    case "float3":
      return Array.isArray(e) && e.length === 3;
    case "matrix4x4":
      return Array.isArray(e) && (e.length === 16 || e.length === 4);
    default:
      return typeof e == "string";
  }
}
function Vn(e) {
  const t = new Map(e.nodes.map((o) => [o.node_id, o])), n = /* @__PURE__ */ new Set([0]), s = [0];
  for (let o = s.pop(); o !== void 0; o = s.pop())
    for (const r of Object.values(t.get(o)?.parameters ?? {}))
      !J(r) || n.has(r.source.node_id) || (n.add(r.source.node_id), s.push(r.source.node_id));
  return n;
}
function Kn(e, t) {
  return t.parameters.filter((n) => !n.hasDefault && e.parameters?.[n.name] === void 0);
}
function Rt(e) {
  const { kinds: t, functions: n } = D(), s = Wi(e, t, n), o = new Map(e.nodes.map((r) => [r.node_id, Hi(r, s.get(r.node_id) ?? { parameters: [], ports: [] })]));
  return { graph: e, signatures: s, sizes: o };
}
function Zi() {
  const e = E((c) => c.graph), t = E((c) => c.kinds), n = E((c) => c.functions), s = E((c) => c.project), o = g.useMemo(() => e && t.size > 0 ? Rt(e) : null, [e, t, n]), r = g.useRef(null);
  return g.useEffect(() => {
    if (!o || s === null) return;
    const c = Ji(s, o);
    if (r.current?.key === c) {
      R({ places: mt(o.graph, r.current.positions) });
      return;
    }
    let a = !0;
    if (o.graph.nodes.every((u) => u.position)) {
      R({ places: mt(o.graph, /* @__PURE__ */ new Map()) });
      return;
    }
    return Yo(s, o.graph, o.sizes).then((u) => {
      !a || D().graph?.function_id !== o.graph.function_id || (r.current = { key: c, positions: u }, R({ places: mt(o.graph, u) }));
    }, F), () => {
      a = !1;
    };
  }, [o, s]), o;
}
function Ji(e, { graph: t, sizes: n }) {
  const s = t.nodes.map((o) => {
    const r = n.get(o.node_id), c = Object.entries(o.parameters ?? {}).map(([a, l]) => J(l) ? `${a}<${l.source.node_id}.${l.source.port}` : "");
    return `${o.node_id}:${r?.width}x${r?.height}:${c.join()}`;
  });
  return `${e}/${t.function_id}/${s.join(";")}`;
}
function qn(e, t = 6) {
  if (!Number.isFinite(e)) return String(e);
  if (e === 0) return "0";
  const n = Math.abs(e);
  return n >= 1e7 || n < 1e-4 ? e.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e") : String(Number(e.toPrecision(t)));
}
function ie(e, t = 4) {
  return typeof e == "number" ? qn(e, t) : Array.isArray(e) ? e.length > 4 ? "4 \xD7 4" : e.map((n) => ie(n, Math.min(t, 3))).join(", ") : e == null ? "" : String(e);
}
function Xn(e) {
  const t = Math.abs(e);
  return t < 1e-9 ? 0.1 : 10 ** Math.max(-6, Math.floor(Math.log10(t)) - 1);
}
function Yn(e, t) {
  const n = Math.max(0, Math.ceil(-Math.log10(t)));
  return Number((Math.round(e / t) * t).toFixed(Math.min(n, 12)));
}
function Ot(e) {
  const t = e.trim().replace(/\s/g, "").replace(/^([-+]?\d+),(\d+)$/, "$1.$2").replace("\u2212", "-");
  return t === "" || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(t) ? null : Number(t);
}
function Qi(e) {
  const n = e.replace(/[[\]()]/g, " ").split(/[\s,;]+/).filter(Boolean).map(Ot);
  return n.every((s) => s !== null) ? n : null;
}
function et(e) {
  return e.type === "resource_id" && e.choices ? /* @__PURE__ */ i.jsx(or, { ...e, choices: e.choices }) : e.type === "float" || e.type === "integer" ? /* @__PURE__ */ i.jsx(nr, { ...e }) : /* @__PURE__ */ i.jsx(sr, { ...e });
}
const er = 450, tr = 3;
function nr({ label: e, type: t, value: n, placeholder: s, unit: o, onCommit: r, onDraft: c }) {
  const a = typeof n == "number" ? n : null, [l, u] = g.useState(null), [h, f] = g.useState(null), d = g.useRef(null), p = g.useRef(null), x = g.useRef(void 0), m = g.useRef(null), v = g.useRef(() => {
  });
  v.current = () => {
    clearTimeout(x.current);
    const j = m.current;
    m.current = null, j !== null && j !== a && r(j), u(null);
  }, g.useEffect(() => () => v.current(), []);
  const y = l ?? a;
  function _(j) {
    const A = t === "integer" ? Math.round(j) : j;
    m.current = A, u(A), c?.(A);
  }
  function b(j) {
    if (j.button !== 0 || h !== null) return;
    j.stopPropagation();
    const A = y ?? 0;
    p.current = { x: j.clientX, from: A, step: t === "integer" ? 1 : Xn(A), moved: !1 }, j.currentTarget.setPointerCapture(j.pointerId);
  }
  function C(j) {
    const A = p.current;
    if (!A) return;
    const O = j.clientX - A.x;
    if (!A.moved && Math.abs(O) < tr) return;
    A.moved = !0;
    const W = A.step * (j.shiftKey ? 0.1 : j.altKey ? 10 : 1);
    _(Yn(A.from + Math.round(O / 2) * W, W));
  }
  function M() {
    const j = p.current;
    p.current = null, j && (j.moved ? v.current() : N());
  }
  function N() {
    _o.flushSync(() => f(y === null ? "" : String(y))), d.current?.select();
  }
  function w() {
    if (h === null) return v.current();
    const j = Ot(h);
    f(null), j !== null && j !== a && r(t === "integer" ? Math.round(j) : j);
  }
  function S(j) {
    if (j.key === "Enter")
      h === null ? N() : w();
    else if (j.key === "Escape")
      f(null), m.current = null, u(null), d.current?.blur();
    else if (j.key === "ArrowUp" || j.key === "ArrowDown") {
      const A = (h === null ? y : Ot(h)) ?? 0, O = (t === "integer" ? 1 : Xn(A)) * (j.shiftKey ? 10 : 1);
      f(null), _(Yn(A + (j.key === "ArrowUp" ? O : -O), O)), clearTimeout(x.current), x.current = setTimeout(() => v.current(), er), j.preventDefault();
    } else h === null && /^[-\d.]$/.test(j.key) && !j.ctrlKey && !j.metaKey && (f(j.key), j.preventDefault());
    !j.ctrlKey && !j.metaKey && j.stopPropagation();
  }
  return /* @__PURE__ */ i.jsxs("span", { className: "value-field nodrag nopan", children: [
    /* @__PURE__ */ i.jsx(
      "input",
      {
        ref: d,
        className: `number ${h === null ? "rests" : ""}`,
        role: "spinbutton",
        "aria-label": e,
        ...y === null ? {} : { "aria-valuenow": y },
        "aria-valuetext": y === null ? "not set" : `${y}${o ? ` ${o}` : ""}`,
        readOnly: h === null,
        value: h ?? (y === null ? "" : qn(y)),
        placeholder: s ?? "\u2013",
        title: y === null ? void 0 : String(y),
        inputMode: "decimal",
        autoComplete: "off",
        spellCheck: !1,
        onChange: (j) => f(j.target.value),
        onPointerDown: b,
        onPointerMove: C,
        onPointerUp: M,
        onPointerCancel: M,
        onDoubleClick: (j) => j.stopPropagation(),
        onBlur: w,
        onKeyDown: S
      }
    ),
    o && y !== null && /* @__PURE__ */ i.jsx("span", { className: "unit", children: o })
  ] });
}
function sr({ label: e, type: t, value: n, placeholder: s, onCommit: o }) {
  const [r, c] = g.useState(null), a = t === "string", l = a ? String(n ?? "") : Array.isArray(n) ? ie(n) : "", u = a ? l : Array.isArray(n) ? n.flat().join(", ") : "", h = t === "float3" ? 3 : 16;
  function f() {
    if (r === null || r === u) return c(null);
    if (a) o(r);
    else {
      const d = Qi(r);
      d?.length === h && o(d);
    }
    c(null);
  }
  return /* @__PURE__ */ i.jsx("span", { className: "value-field nodrag nopan", children: /* @__PURE__ */ i.jsx(
    "input",
    {
      className: "text",
      "aria-label": e,
      value: r ?? l,
      title: u,
      placeholder: s ?? (a ? "" : t === "float3" ? "x, y, z" : "16 numbers"),
      autoComplete: "off",
      spellCheck: !1,
      onFocus: (d) => {
        c(u);
        const p = d.currentTarget;
        requestAnimationFrame(() => document.activeElement === p && p.select());
      },
      onChange: (d) => c(d.target.value),
      onBlur: f,
      onDoubleClick: (d) => d.stopPropagation(),
      onKeyDown: (d) => {
        d.key === "Enter" && d.currentTarget.blur(), d.key === "Escape" && c(null), d.stopPropagation();
      }
    }
  ) });
}
function or({ label: e, value: t, choices: n, onCommit: s }) {
  const o = n.some((r) => r.id === t);
  return /* @__PURE__ */ i.jsx("span", { className: "value-field nodrag nopan", children: /* @__PURE__ */ i.jsxs("select", { "aria-label": e, value: typeof t == "number" ? t : "", onChange: (r) => s(Number(r.target.value)), onKeyDown: (r) => r.stopPropagation(), children: [
    !o && /* @__PURE__ */ i.jsx("option", { value: typeof t == "number" ? t : "", children: typeof t == "number" ? String(t) : "choose" }),
    n.map((r) => /* @__PURE__ */ i.jsx("option", { value: r.id, children: r.name.slice(0, 80) }, r.id))
  ] }) });
}
function ir() {
  const e = E((r) => r.graph), t = E((r) => r.kinds), n = E((r) => r.values);
  if (!e || t.size === 0) return /* @__PURE__ */ i.jsx("p", { className: "nothing", children: "No function is open." });
  const { signatures: s } = Rt(e), o = e.nodes.flatMap((r) => (s.get(r.node_id)?.ports ?? []).map((c) => ({ node: r, port: c })));
  return /* @__PURE__ */ i.jsxs("table", { className: "nodes", children: [
    /* @__PURE__ */ i.jsxs("caption", { className: "visually-hidden", children: [
      "Nodes of ",
      e.name
    ] }),
    /* @__PURE__ */ i.jsx("thead", { children: /* @__PURE__ */ i.jsxs("tr", { children: [
      /* @__PURE__ */ i.jsx("th", { scope: "col", children: "Node" }),
      /* @__PURE__ */ i.jsx("th", { scope: "col", children: "Input" }),
      /* @__PURE__ */ i.jsx("th", { scope: "col", children: "Value" }),
      /* @__PURE__ */ i.jsx("th", { scope: "col", children: "From" }),
      /* @__PURE__ */ i.jsx("th", { scope: "col", children: "Results" }),
      /* @__PURE__ */ i.jsx("th", { scope: "col", children: /* @__PURE__ */ i.jsx("span", { className: "visually-hidden", children: "Actions" }) })
    ] }) }),
    e.nodes.map((r) => {
      const { parameters: c, ports: a } = s.get(r.node_id) ?? { parameters: [], ports: [] }, l = Math.max(1, c.length), u = a.map((h) => {
        const f = n.get(`${r.node_id}:${h.name}`);
        return f === void 0 ? h.name : `${h.name} = ${ie(f, 6)}`;
      });
      return /* @__PURE__ */ i.jsx("tbody", { children: Array.from({ length: l }, (h, f) => {
        const d = c[f], p = d && r.parameters?.[d.name];
        return /* @__PURE__ */ i.jsxs("tr", { children: [
          f === 0 && /* @__PURE__ */ i.jsxs("th", { scope: "rowgroup", rowSpan: l, children: [
            /* @__PURE__ */ i.jsx("button", { className: "clip", onClick: () => qe(r.node_id), title: "Show it in the graph", children: ce(r) }),
            /* @__PURE__ */ i.jsxs("span", { className: "hint mono", children: [
              r.display_name ? `${r.node_type} ` : "",
              r.node_id
            ] })
          ] }),
          /* @__PURE__ */ i.jsx("td", { className: "clip", children: d?.name }),
          /* @__PURE__ */ i.jsxs("td", { children: [
            d && !J(p) && !he(r) && /* @__PURE__ */ i.jsx(
              et,
              {
                label: `${d.name} of ${ce(r)}`,
                type: d.type,
                value: p?.value,
                placeholder: d.hasDefault ? ie(d.default) : "not set",
                ...d.type === "resource_id" ? { choices: _t(d.refers) } : {},
                onCommit: (x) => {
                  St(r.node_id, d.name, x);
                }
              }
            ),
            d && J(p) && /* @__PURE__ */ i.jsx("span", { className: "mono", children: ie(n.get(`${p.source.node_id}:${p.source.port}`), 6) })
          ] }),
          /* @__PURE__ */ i.jsx("td", { children: d && /* @__PURE__ */ i.jsx(rr, { node: r, name: d.name, sources: o }) }),
          f === 0 && /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
            /* @__PURE__ */ i.jsx("td", { rowSpan: l, className: "results mono", children: u.join(`
`) }),
            /* @__PURE__ */ i.jsx("td", { rowSpan: l, children: !he(r) && /* @__PURE__ */ i.jsx("button", { className: "button plain small", onClick: () => {
              Ct([r.node_id]);
            }, "aria-label": `Delete ${ce(r)} (${r.node_id})`, children: "Delete" }) })
          ] })
        ] }, f);
      }) }, r.node_id);
    })
  ] });
}
function rr({ node: e, name: t, sources: n }) {
  const s = e.parameters?.[t], o = J(s) ? `${s.source.node_id}.${s.source.port}` : "";
  return /* @__PURE__ */ i.jsxs(
    "select",
    {
      "aria-label": `source of ${t} of ${ce(e)}`,
      value: o,
      onChange: (r) => {
        const c = { node_id: e.node_id, name: t }, a = r.target.value;
        a !== o && (a === "" ? Et([c]) : Mt({ node_id: Number(a.slice(0, a.indexOf("."))), name: a.slice(a.indexOf(".") + 1) }, c));
      },
      children: [
        /* @__PURE__ */ i.jsx("option", { value: "", children: "no link" }),
        n.filter((r) => r.node.node_id !== e.node_id).map((r) => /* @__PURE__ */ i.jsx("option", { value: `${r.node.node_id}.${r.port.name}`, children: `${ce(r.node).slice(0, 40)} ${r.node.node_id} \xB7 ${r.port.name} (${r.port.type})` }, `${r.node.node_id}.${r.port.name}`))
      ]
    }
  );
}
const ze = [
  { id: "activity", label: "Activity" },
  { id: "problems", label: "Problems" },
  { id: "history", label: "History" },
  { id: "table", label: "Table" }
];
function ar() {
  const e = E((c) => c.bottom), t = E((c) => c.problems), n = E((c) => c.overview?.warnings.length ?? 0), s = E((c) => c.history[0]), o = t.filter((c) => c.tone === "error").length, r = t.length + n;
  return /* @__PURE__ */ i.jsxs("section", { className: `bottom ${e ? "open" : ""}`, "aria-label": "Activity, problems, history and table", children: [
    /* @__PURE__ */ i.jsxs("div", { className: "tabs", children: [
      /* @__PURE__ */ i.jsx(
        "div",
        {
          role: "tablist",
          "aria-label": "Lower panel",
          onKeyDown: (c) => {
            const a = ze.findIndex((h) => h.id === e), l = c.key === "ArrowRight" ? 1 : c.key === "ArrowLeft" ? -1 : 0;
            if (l === 0) return;
            const u = ze[(a + l + ze.length) % ze.length];
            u && R({ bottom: u.id }), requestAnimationFrame(() => document.getElementById(`tab-${u?.id}`)?.focus());
          },
          children: ze.map((c, a) => /* @__PURE__ */ i.jsxs(
            "button",
            {
              id: `tab-${c.id}`,
              role: "tab",
              "aria-selected": e === c.id,
              "aria-controls": e === c.id ? "lower-panel" : void 0,
              tabIndex: e === c.id || e === null && a === 0 ? 0 : -1,
              onClick: () => R({ bottom: e === c.id ? null : c.id }),
              children: [
                c.label,
                c.id === "problems" && r > 0 && /* @__PURE__ */ i.jsx("span", { className: `pill ${o > 0 ? "bad" : ""}`, children: r })
              ]
            },
            c.id
          ))
        }
      ),
      e === null && s && /* @__PURE__ */ i.jsxs("span", { className: "last clip", children: [
        /* @__PURE__ */ i.jsx("span", { className: "client", children: s.client }),
        " ",
        s.label
      ] }),
      e !== null && /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-label": "Close the lower panel", onClick: () => R({ bottom: null }), children: /* @__PURE__ */ i.jsx(X, { name: "down", size: 14 }) })
    ] }),
    e !== null && /* @__PURE__ */ i.jsxs("div", { className: "bottom-body", id: "lower-panel", role: "tabpanel", "aria-labelledby": `tab-${e}`, tabIndex: 0, children: [
      e === "activity" && /* @__PURE__ */ i.jsx(bi, {}),
      e === "problems" && /* @__PURE__ */ i.jsx(ji, {}),
      e === "history" && /* @__PURE__ */ i.jsx(wi, {}),
      e === "table" && /* @__PURE__ */ i.jsx(ir, {})
    ] })
  ] });
}
const cr = {
  "3mf": "model/3mf",
  stl: "application/octet-stream",
  obj: "application/octet-stream",
  vm: "application/octet-stream"
};
async function Zn(e) {
  for (const t of e)
    try {
      await lr(t);
    } catch (n) {
      F(n);
    }
}
async function lr(e) {
  const t = e.name.slice(e.name.lastIndexOf(".") + 1).toLowerCase(), n = D().project ?? await Jn(e.name.replace(/\.[^.]+$/, "")), s = cr[t];
  if (s) {
    const o = await Ho(Q("/api/projects/{project}/import", { project: n }), e, s);
    await Qn(n);
    const r = [Lt(o.function_count, "function"), Lt(o.resource_count, "resource")].filter(Boolean).join(" and ");
    q({ tone: "info", text: `Imported ${r || "the file"} from ${e.name}.`, action: { label: "Undo", run: () => {
      oe();
    } } });
  } else {
    const r = await (await se("POST", Q("/api/graph/{project}/import", { project: n }), { content: await e.text() })).json();
    await Qn(n), R({ view: "knowledge" });
    const c = typeof r.nodes == "number" ? r.nodes : void 0;
    q({ tone: "info", text: `Imported ${c === void 0 ? "knowledge" : Lt(c, "node")} from ${e.name}.`, action: { label: "Undo", run: () => {
      oe();
    } } });
  }
}
function Lt(e, t) {
  return e === 0 ? "" : e === 1 ? `1 ${t}` : `${e} ${t}s`;
}
async function Jn(e) {
  const t = e.trim().slice(0, 60) || "part", n = new Set(D().projects?.map((o) => o.project));
  let s = t;
  for (let o = 2; n.has(s); o++) s = `${t} ${o}`;
  return await P.post("/api/projects", { body: { project: s } }), await We(), s;
}
async function Qn(e) {
  await We(), D().project === e ? await ee() : await Ve(e);
}
const ur = [
  "let period = 10",
  "let wall = 1.2",
  "let side = 30",
  "let k = 6.283185307179586 / period",
  "let p = pos * k",
  "let wave = sin(p.x) * cos(p.y) + sin(p.y) * cos(p.z) + sin(p.z) * cos(p.x)",
  "let sheet = abs(wave) / k - wall / 2",
  "let box = max(max(abs(pos.x), abs(pos.y)), abs(pos.z)) - side / 2",
  "shape = max(sheet, box)"
].join("; ");
async function es(e, t) {
  try {
    D().project === null && await Ve(await Jn(e)), await t(), await ee();
  } catch (n) {
    F(n);
  }
}
async function dr() {
  const e = D().project ?? "";
  await P.post("/api/projects/{project}/functions", { path: { project: e }, body: { name: "Gyroid box", expression: ur } });
}
async function hr() {
  await Y([
    { set_function: { function_id: "$adder", name: "Adder", inputs: [], outputs: [{ name: "sum", type: "float" }], nodes: [] } },
    { create_node: { node_type: "ConstantScalar", alias: "$a", display_name: "a" } },
    { create_node: { node_type: "ConstantScalar", alias: "$b", display_name: "b" } },
    { create_node: { node_type: "Addition", alias: "$add" } },
    { set_parameter_value: { node_id: "$a", parameter_name: "value", value: 5 } },
    { set_parameter_value: { node_id: "$b", parameter_name: "value", value: 10 } },
    { create_link: { source_node_id: "$a", source_port_name: "value", target_node_id: "$add", target_parameter_name: "A" } },
    { create_link: { source_node_id: "$b", source_port_name: "value", target_node_id: "$add", target_parameter_name: "B" } },
    { create_link: { source_node_id: "$add", source_port_name: "result", target_node_id: 0, target_parameter_name: "sum" } }
  ], { label: "create the adder", basis: () => null });
}
function ts({ isProject: e = !1 }) {
  const t = E((s) => s.projects), n = g.useRef(null);
  return /* @__PURE__ */ i.jsx("div", { className: "empty", children: /* @__PURE__ */ i.jsxs("div", { className: "empty-inner", children: [
    !e && t && t.length > 0 && /* @__PURE__ */ i.jsxs("section", { "aria-labelledby": "projects-title", children: [
      /* @__PURE__ */ i.jsx("h2", { id: "projects-title", children: "Projects" }),
      /* @__PURE__ */ i.jsx("ul", { className: "project-list", children: t.map((s) => /* @__PURE__ */ i.jsx("li", { children: /* @__PURE__ */ i.jsxs("button", { onClick: () => {
        Ve(s.project);
      }, children: [
        /* @__PURE__ */ i.jsx("span", { className: "clip", children: s.project }),
        /* @__PURE__ */ i.jsxs("span", { className: "hint", children: [
          s.functions,
          " ",
          s.functions === 1 ? "function" : "functions",
          " \xB7 r",
          s.revision
        ] })
      ] }) }, s.project)) })
    ] }),
    /* @__PURE__ */ i.jsxs("section", { "aria-labelledby": "begin-title", children: [
      /* @__PURE__ */ i.jsx("h2", { id: "begin-title", children: e ? "This project is empty. Begin with" : "Begin with" }),
      /* @__PURE__ */ i.jsxs("div", { className: "starters", children: [
        /* @__PURE__ */ i.jsxs("button", { onClick: () => {
          es("Gyroid box", dr);
        }, children: [
          /* @__PURE__ */ i.jsx(fr, {}),
          /* @__PURE__ */ i.jsx("span", { children: "A gyroid box" }),
          /* @__PURE__ */ i.jsx("span", { className: "hint", children: "A part from one expression" })
        ] }),
        /* @__PURE__ */ i.jsxs("button", { onClick: () => {
          es("Adder", hr);
        }, children: [
          /* @__PURE__ */ i.jsx(pr, {}),
          /* @__PURE__ */ i.jsx("span", { children: "An adder" }),
          /* @__PURE__ */ i.jsx("span", { className: "hint", children: "Three nodes, 5 + 10" })
        ] }),
        /* @__PURE__ */ i.jsxs("button", { onClick: () => n.current?.click(), children: [
          /* @__PURE__ */ i.jsx(mr, {}),
          /* @__PURE__ */ i.jsx("span", { children: "A file" }),
          /* @__PURE__ */ i.jsx("span", { className: "hint", children: "3MF, STL, JSON-LD\u2026 or drop it here" })
        ] }),
        /* @__PURE__ */ i.jsx("input", { ref: n, type: "file", hidden: !0, multiple: !0, onChange: (s) => {
          Zn([...s.target.files ?? []]);
        } })
      ] })
    ] }),
    /* @__PURE__ */ i.jsxs("section", { "aria-labelledby": "connect-title", children: [
      /* @__PURE__ */ i.jsx("h2", { id: "connect-title", children: "Connect an agent" }),
      /* @__PURE__ */ i.jsx(Ft, { label: "Claude Code", text: `claude mcp add --transport http fibula ${location.origin}/mcp` }),
      /* @__PURE__ */ i.jsx(Ft, { label: "Any MCP client", text: `${location.origin}/mcp` }),
      /* @__PURE__ */ i.jsx(Ft, { label: "Programs", text: `curl ${location.origin}/api/projects` }),
      /* @__PURE__ */ i.jsx("p", { className: "hint", children: "What an agent does appears here while it does it." })
    ] })
  ] }) });
}
function Ft({ label: e, text: t }) {
  const [n, s] = g.useState(!1);
  return /* @__PURE__ */ i.jsxs("div", { className: "line", children: [
    /* @__PURE__ */ i.jsx("span", { className: "line-label", children: e }),
    /* @__PURE__ */ i.jsx("code", { className: "clip", title: t, children: t }),
    /* @__PURE__ */ i.jsx(
      "button",
      {
        className: "icon",
        "aria-label": `Copy the line for ${e}`,
        title: "Copy",
        onClick: () => {
          navigator.clipboard?.writeText(t).then(() => {
            s(!0), setTimeout(() => s(!1), 1500);
          });
        },
        children: n ? /* @__PURE__ */ i.jsx("span", { className: "copied", children: "\u2713" }) : /* @__PURE__ */ i.jsx(X, { name: "copy", size: 14 })
      }
    )
  ] });
}
function fr() {
  return /* @__PURE__ */ i.jsxs("svg", { viewBox: "0 0 96 56", "aria-hidden": "true", children: [
    /* @__PURE__ */ i.jsx("path", { d: "M48 6 72 17v22L48 50 24 39V17Z" }),
    /* @__PURE__ */ i.jsx("path", { d: "M24 17l24 11 24-11M48 28v22" }),
    /* @__PURE__ */ i.jsx("path", { className: "accent", d: "M27 24c5-3 6 8 11 5s4 10 9 8M49 37c5-4 4-9 9-7s6-8 12-5" })
  ] });
}
function pr() {
  return /* @__PURE__ */ i.jsxs("svg", { viewBox: "0 0 96 56", "aria-hidden": "true", children: [
    /* @__PURE__ */ i.jsx("path", { d: "M12 9h22v13H12zM12 34h22v13H12zM60 20h24v16H60z" }),
    /* @__PURE__ */ i.jsx("path", { className: "accent", d: "M34 15.500c14 0 12 9 26 9M34 40.500c14 0 12-9 26-9" })
  ] });
}
function mr() {
  return /* @__PURE__ */ i.jsxs("svg", { viewBox: "0 0 96 56", "aria-hidden": "true", children: [
    /* @__PURE__ */ i.jsx("path", { d: "M34 34v12h28V34" }),
    /* @__PURE__ */ i.jsx("path", { className: "accent", d: "M48 10v26m0 0 8-8m-8 8-8-8" })
  ] });
}
async function ns(e, t, n) {
  const { project: s, graph: o } = D();
  if (s === null || !o) return null;
  const r = `${e}.${t}`, c = n ? { from: r } : { to: r };
  try {
    const a = Q("/api/projects/{project}/functions/{function_id}/links/compatible", { project: s, function_id: o.function_id }, c), l = await (await se("GET", a)).json(), u = n ? "in" : "out", h = l.ends.filter((d) => !d.reason).map((d) => gr(d, u)), f = `.connecting .react-flow__handle:not(.connectingfrom){opacity:.25}${h.length > 0 ? `${h.join()}{opacity:1 !important}` : ""}`;
    return {
      ends: l.ends,
      kinds: new Map(l.node_types.map((d) => [d.node_type ?? "", d])),
      functions: new Map(l.functions.map((d) => [d.function_id ?? -1, d])),
      style: f
    };
  } catch {
    return null;
  }
}
function gr(e, t) {
  return `.connecting .react-flow__handle[data-nodeid="${e.node_id}"][data-handleid="${CSS.escape(`${t}:${e.name}`)}"]`;
}
function Pt(e, t) {
  const n = e.trim().toLowerCase();
  if (n === "") return 1;
  let s = 0;
  return t.forEach((o, r) => {
    o && (s = Math.max(s, xr(n, o.toLowerCase()) - r * 0.5));
  }), s;
}
function xr(e, t) {
  if (t === e) return 100;
  if (t.startsWith(e)) return 80 - Math.min(20, t.length - e.length);
  const n = t.indexOf(e);
  if (n > 0) return 50 - Math.min(20, n);
  let s = 0;
  for (const o of t) o === e[s] && s++;
  return s === e.length && e.length > 1 ? 12 : 0;
}
const ss = 320, br = 400, yr = /* @__PURE__ */ new Set(["Begin", "End"]);
function vr({ wanted: e, onPick: t, onClose: n }) {
  const s = E((b) => b.kinds), o = E((b) => b.functions), r = E((b) => b.trail.at(-1)), [c, a] = g.useState(""), [l, u] = g.useState(0), [h, f] = g.useState(null), d = g.useRef(null), { wire: p } = e;
  g.useEffect(() => {
    const b = p?.from ?? p?.to;
    b && ns(Number(b.node_id), b.name, p?.from !== void 0).then(f);
  }, [p]);
  const x = g.useMemo(() => {
    const b = [];
    for (const M of s.values()) {
      if (yr.has(M.name)) continue;
      const N = Pt(c, [M.name, ...M.aliases ?? [], M.element, M.family, M.summary]);
      if (N === 0) continue;
      const w = h?.kinds.get(M.name), S = M.overloads?.[0]?.outputs;
      b.push({
        key: M.name,
        kind: M,
        name: M.name,
        hint: M.signature ?? "",
        group: M.family ?? "",
        type: S?.[0] ?? "float",
        reason: w?.reason ?? null,
        rank: N,
        end: w?.name ?? void 0,
        convert: !!w?.conversion
      });
    }
    const C = s.get("FunctionCall");
    if (C && e.mode === "add")
      for (const M of o) {
        if (M.function_id === r) continue;
        const N = Pt(c, [M.name]);
        if (N === 0) continue;
        const w = h?.functions.get(M.function_id), S = (j) => j.map((A) => A.name).join(", ");
        b.push({
          key: `f${M.function_id}`,
          kind: C,
          calls: M.function_id,
          name: M.name,
          hint: `(${S(M.inputs)}) -> (${S(M.outputs)})`,
          group: "functions of this project",
          type: M.outputs[0]?.type ?? "float",
          reason: w?.reason ?? null,
          rank: N,
          end: w?.name ?? void 0,
          convert: !!w?.conversion
        });
      }
    return c.trim() && b.sort((M, N) => +(M.reason !== null) - +(N.reason !== null) || N.rank - M.rank || M.name.localeCompare(N.name)), b;
  }, [s, o, r, c, h, e.mode]);
  g.useEffect(() => u(0), [c]), g.useEffect(() => {
    d.current?.children[l]?.scrollIntoView({ block: "nearest" });
  }, [l]);
  function m(b) {
    b && b.reason === null && t(b);
  }
  const v = Math.max(8, Math.min(e.screen.x - 24, innerWidth - ss - 8)), y = Math.max(8, Math.min(e.screen.y - 20, innerHeight - br - 8)), _ = x[l];
  return /* @__PURE__ */ i.jsxs(
    "div",
    {
      className: "palette",
      role: "dialog",
      "aria-label": e.mode === "swap" ? "Swap for another kind" : "Add a node",
      style: { left: v, top: y, width: ss },
      onBlur: (b) => {
        b.currentTarget.contains(b.relatedTarget) || n();
      },
      children: [
        /* @__PURE__ */ i.jsx(
          "input",
          {
            className: "palette-search",
            autoFocus: !0,
            role: "combobox",
            "aria-expanded": "true",
            "aria-controls": "palette-list",
            "aria-activedescendant": _ ? `palette-${l}` : void 0,
            "aria-label": "Search node types and functions",
            placeholder: e.mode === "swap" ? "Swap for\u2026" : p ? "What the wire leads to\u2026" : "Add a node\u2026",
            value: c,
            autoComplete: "off",
            spellCheck: !1,
            onChange: (b) => a(b.target.value),
            onKeyDown: (b) => {
              if (b.key === "ArrowDown") u((C) => Math.min(C + 1, x.length - 1));
              else if (b.key === "ArrowUp") u((C) => Math.max(C - 1, 0));
              else if (b.key === "Enter") m(_);
              else if (b.key === "Escape") n();
              else return;
              b.preventDefault(), b.stopPropagation();
            }
          }
        ),
        /* @__PURE__ */ i.jsx("ul", { id: "palette-list", role: "listbox", "aria-label": "Node types", ref: d, tabIndex: -1, children: x.map((b, C) => /* @__PURE__ */ i.jsxs(
          "li",
          {
            id: `palette-${C}`,
            role: "option",
            "aria-selected": C === l,
            "aria-disabled": b.reason !== null,
            className: C === l ? "current" : "",
            title: b.reason ?? b.kind.summary ?? void 0,
            onPointerMove: () => u(C),
            onPointerDown: (M) => M.preventDefault(),
            onClick: () => m(b),
            children: [
              /* @__PURE__ */ i.jsx(ke, { type: b.type }),
              /* @__PURE__ */ i.jsx("span", { className: "clip", children: b.name }),
              /* @__PURE__ */ i.jsx("span", { className: "hint clip", children: c.trim() || p ? b.hint : b.group })
            ]
          },
          b.key
        )) }),
        /* @__PURE__ */ i.jsx("p", { className: "palette-foot clip", "aria-live": "polite", children: x.length === 0 ? "Nothing has this name." : _?.reason ?? (_?.convert ? "A conversion is inserted." : _?.kind.summary ?? "") })
      ]
    }
  );
}
function wr() {
  const e = E((s) => s.trail), t = E((s) => s.functions);
  if (e.length < 2) return null;
  const n = (s) => t.find((o) => o.function_id === s)?.name ?? String(s);
  return /* @__PURE__ */ i.jsx("nav", { className: "breadcrumbs", "aria-label": "Calls", children: e.map((s, o) => /* @__PURE__ */ i.jsxs(g.Fragment, { children: [
    o > 0 && /* @__PURE__ */ i.jsx(X, { name: "chevron", size: 12 }),
    /* @__PURE__ */ i.jsx("button", { className: "button plain small clip", "aria-current": o === e.length - 1 ? "page" : void 0, onClick: () => {
      ue(s);
    }, children: n(s) })
  ] }, s)) });
}
const os = /* @__PURE__ */ new Map();
function jr(e, t, n, s, o, r, c) {
  if (!e || !e.graph.nodes.some((b) => t.has(b.node_id))) return { nodes: [], edges: [] };
  const { graph: a, signatures: l, sizes: u } = e, h = new Set(s), f = new Map(a.nodes.map((b) => [b.node_id, b])), d = Vn(a), p = /* @__PURE__ */ new Map(), x = [];
  for (const b of a.nodes)
    for (const [C, M] of Object.entries(b.parameters ?? {})) {
      if (!J(M)) continue;
      const { node_id: N, port: w } = M.source;
      x.push({ id: `${b.node_id}:${C}`, source: N, port: w, target: b.node_id, name: C });
      const S = p.get(N) ?? /* @__PURE__ */ new Set();
      p.set(N, S.add(w));
    }
  const m = r === null ? /* @__PURE__ */ new Set() : Nr(r, x), v = a.nodes.flatMap((b) => {
    const C = n.get(b.node_id) ?? t.get(b.node_id), M = u.get(b.node_id), N = l.get(b.node_id);
    if (!C || !M || !N) return [];
    const w = Qe(b, f), S = d.has(b.node_id) ? Kn(b, N).map((T) => T.name) : [], j = w === null ? null : c.find((T) => T.function_id === w)?.name ?? null, A = D().kinds.get(b.node_type)?.family ?? "boundary", O = p.get(b.node_id) ?? /* @__PURE__ */ new Set(), W = JSON.stringify([b, N, j, S, [...O]]), V = `${a.function_id}:${b.node_id}`;
    let $ = os.get(V);
    $?.basis !== W && ($ = { basis: W, data: { node: b, signature: N, family: A, callee: j, missing: S, linkedPorts: O } }, os.set(V, $));
    const k = `${j ?? b.display_name ?? b.node_type}, node ${b.node_id}`;
    return [
      {
        id: String(b.node_id),
        type: "card",
        position: C,
        data: $.data,
        width: M.width,
        height: M.height,
        measured: { width: M.width, height: M.height },
        selected: h.has(b.node_id),
        ariaLabel: k.slice(0, 200)
      }
    ];
  }), y = new Set(v.map((b) => b.id)), _ = x.flatMap((b) => {
    if (!y.has(String(b.source)) || !y.has(String(b.target))) return [];
    const C = l.get(b.source)?.ports.find((M) => M.name === b.port)?.type ?? "float";
    return [
      {
        id: b.id,
        type: "wire",
        source: String(b.source),
        sourceHandle: `out:${b.port}`,
        target: String(b.target),
        targetHandle: `in:${b.name}`,
        selected: o.has(b.id),
        reconnectable: !0,
        data: { type: C, isOnPath: m.has(b.id) },
        ariaLabel: `link from ${b.source}.${b.port} to ${b.target}.${b.name}`.slice(0, 200)
      }
    ];
  });
  return { nodes: v, edges: _ };
}
function Nr(e, t) {
  const n = /* @__PURE__ */ new Set([e]), s = t.filter((r) => r.id === e).map((r) => r.source), o = new Set(s);
  for (let r = s.pop(); r !== void 0; r = s.pop())
    for (const c of t)
      c.target === r && (n.add(c.id), o.has(c.source) || (o.add(c.source), s.push(c.source)));
  return n;
}
const is = 24;
function kr(e, t, n) {
  const s = new Map(t.map((l) => [l.id, l])), { x: o, y: r } = e.position, [c, a] = [e.width ?? 0, e.height ?? 0];
  for (const l of n) {
    const u = s.get(l.source), h = s.get(l.target);
    if (!u || !h || l.source === e.id || l.target === e.id) continue;
    const f = { x: u.position.x + (u.width ?? 0), y: u.position.y + rs(u, l.sourceHandle, !0) }, d = { x: h.position.x, y: h.position.y + rs(h, l.targetHandle, !1) };
    for (let p = 1; p < is; p++) {
      const x = p / is, m = x * x * (3 - 2 * x), v = { x: f.x + (d.x - f.x) * x, y: f.y + (d.y - f.y) * m };
      if (v.x > o && v.x < o + c && v.y > r && v.y < r + a) return l;
    }
  }
  return null;
}
function rs(e, t, n) {
  const { ports: s, parameters: o } = e.data.signature, r = n ? s : o, c = (t ?? "").slice(n ? 4 : 3);
  return 40 + Math.max(0, r.findIndex((a) => a.name === c)) * 24;
}
const Sr = g.memo(function({ data: t, selected: n }) {
  const { node: s, signature: o, family: r, callee: c, missing: a, linkedPorts: l } = t, u = E((p) => p.glows.get(s.node_id)), h = Math.max(o.parameters.length, o.ports.length), f = c ?? ce(s), d = c || s.display_name ? s.node_type : null;
  return /* @__PURE__ */ i.jsxs("div", { className: `card family-${r.toLowerCase()} ${n ? "selected" : ""} ${u ? `glow ${u.kind}` : ""}`, children: [
    /* @__PURE__ */ i.jsxs("div", { className: "card-head", children: [
      /* @__PURE__ */ i.jsx("span", { className: "card-title clip", title: d ? `${d} \xB7 node ${s.node_id}` : `node ${s.node_id}`, children: f }),
      a.length > 0 && /* @__PURE__ */ i.jsx("span", { className: "badge", role: "img", "aria-label": `not set: ${a.join(", ")}`, title: `Not set: ${a.join(", ")}`, children: a.length })
    ] }),
    u && /* @__PURE__ */ i.jsx(_r, { glow: u }),
    Array.from({ length: h }, (p, x) => {
      const m = o.parameters[x], v = o.ports[x], y = At + x * Ie;
      return /* @__PURE__ */ i.jsxs("div", { className: "card-row", style: { top: y, height: Ie }, children: [
        m && /* @__PURE__ */ i.jsx(Mr, { node: s, parameter: m, isMissing: a.includes(m.name) }),
        v && /* @__PURE__ */ i.jsx($r, { node: s, port: v, isNamed: v.name !== m?.name, isLinked: l.has(v.name) })
      ] }, x);
    })
  ] });
});
function as(e) {
  return e.node_type === "ConstantScalar";
}
function _r({ glow: e }) {
  return /* @__PURE__ */ i.jsx("span", { className: "who clip", title: `changed by ${e.who}`, children: e.who });
}
function Mr({ node: e, parameter: t, isMissing: n }) {
  const s = e.parameters?.[t.name], o = J(s), r = s && !J(s) ? s.value : void 0;
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsx(Nn, { type: "target", position: kn.Left, id: `in:${t.name}`, className: n ? "missing" : "", title: `${t.name}: ${t.type}`, children: /* @__PURE__ */ i.jsx(ke, { type: t.type }) }),
    !as(e) && /* @__PURE__ */ i.jsx("span", { className: "port-name clip", title: t.name, children: t.name }),
    e.node_type === "End" && o && /* @__PURE__ */ i.jsx(Er, { source: `${s.source.node_id}:${s.source.port}`, name: t.name }),
    !o && e.node_type !== "End" && /* @__PURE__ */ i.jsx(
      et,
      {
        label: `${t.name} of ${ce(e)}`,
        type: t.type,
        value: r,
        placeholder: t.hasDefault ? ie(t.default) : "\u2013",
        ...t.type === "resource_id" ? { choices: _t(t.refers) } : {},
        onCommit: (c) => St(e.node_id, t.name, c),
        onDraft: (c) => In(e.node_id, c)
      }
    )
  ] });
}
function Er({ source: e, name: t }) {
  const n = E((s) => s.values.get(e));
  return n === void 0 ? null : /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsx("span", { className: "grow" }),
    /* @__PURE__ */ i.jsx("output", { className: "live result mono clip", title: `${t} = ${ie(n, 15)} at the probe point`, children: ie(n) })
  ] });
}
function $r({ node: e, port: t, isNamed: n, isLinked: s }) {
  const o = E((f) => f.values.get(`${e.node_id}:${t.name}`)), r = E((f) => f.trail.at(-1)), c = E((f) => f.subject), a = c.kind === "port" && c.functionId === r && c.nodeId === e.node_id && c.port === t.name, l = () => {
    r === void 0 || t.type !== "float" || R({ subject: a ? { kind: "function", functionId: r } : { kind: "port", functionId: r, nodeId: e.node_id, port: t.name } });
  }, u = t.type === "float" ? "; double click shows it as the shape" : "", h = as(e);
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    !h && /* @__PURE__ */ i.jsx("span", { className: "grow" }),
    o !== void 0 && !h && t.type !== "matrix4x4" && /* @__PURE__ */ i.jsx("output", { className: "live mono clip", title: `${t.name} = ${ie(o, 15)} at the probe point`, children: ie(o) }),
    n && (o === void 0 || h) && /* @__PURE__ */ i.jsx("span", { className: "port-name out clip", title: t.name, children: t.name }),
    /* @__PURE__ */ i.jsx(
      Nn,
      {
        type: "source",
        position: kn.Right,
        id: `out:${t.name}`,
        className: `${s ? "linked" : ""} ${a ? "shown" : ""}`,
        title: `${t.name}: ${t.type}${u}`,
        onDoubleClick: (f) => {
          f.stopPropagation(), l();
        },
        children: /* @__PURE__ */ i.jsx(ke, { type: t.type })
      }
    )
  ] });
}
const Cr = {
  float: 0,
  float3: [0, 0, 0],
  integer: 0,
  matrix4x4: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
  string: ""
};
function cs(e, t) {
  const n = t[e.name], s = e.type === "float3";
  return n !== void 0 && Array.isArray(n) === (s || e.type === "matrix4x4") ? n : Cr[e.type];
}
function Ar(e) {
  const t = E((s) => s.probe), n = E((s) => s.revision);
  g.useEffect(() => {
    const { project: s } = D();
    if (!e || s === null) return;
    const { graph: o } = e, r = Tr(e);
    if (r.length > 0 || o.outputs.length === 0 || o.inputs.some((u) => u.type === "resource_id")) {
      R({ values: /* @__PURE__ */ new Map(), problems: r });
      return;
    }
    const c = new AbortController(), l = { arguments: Object.fromEntries(o.inputs.map((u) => [u.name, cs(u, t)])), trace: !0 };
    return P.post("/api/projects/{project}/functions/{function_id}/evaluate", { path: { project: s, function_id: o.function_id }, body: l, signal: c.signal }).then((u) => {
      const h = /* @__PURE__ */ new Map();
      for (const d of u.trace ?? [])
        for (const [p, x] of Object.entries(d.outputs)) h.set(`${d.node_id}:${p}`, x);
      const f = u.warnings.map((d) => ({ functionId: o.function_id, nodeId: null, port: null, tone: "warning", text: d }));
      R({ values: h, problems: f });
    }).catch((u) => {
      if (c.signal.aborted || !(u instanceof Z) || u.code === "unreachable") return;
      const h = u.refusal.details, f = { functionId: o.function_id, nodeId: h?.node_id ?? null, port: null, tone: "error", text: u.message };
      R({ values: /* @__PURE__ */ new Map(), problems: [f] });
    }), () => c.abort();
  }, [e, t, n]);
}
function Tr({ graph: e, signatures: t }) {
  const n = Vn(e);
  return e.nodes.flatMap((s) => {
    const o = t.get(s.node_id);
    return !o || !n.has(s.node_id) ? [] : Kn(s, o).map((r) => {
      const c = s.node_type === "End" ? `output ${r.name}` : `${r.name} of ${s.display_name ?? s.node_type} (node ${s.node_id})`;
      return { functionId: e.function_id, nodeId: s.node_id, port: r.name, tone: "error", text: `${c} has neither a value nor a link` };
    });
  });
}
const Dr = /* @__PURE__ */ new Set(["float", "float3", "integer"]);
function Rr() {
  const e = E((s) => s.graph?.inputs), t = E((s) => s.probe), n = e?.filter((s) => Dr.has(s.type)) ?? [];
  return n.length === 0 ? null : /* @__PURE__ */ i.jsxs("div", { className: "probe", role: "group", "aria-label": "Probe point: inputs for the values at the ports", children: [
    /* @__PURE__ */ i.jsx("span", { className: "probe-label", children: "Values at" }),
    n.slice(0, 4).map((s) => /* @__PURE__ */ i.jsxs("label", { children: [
      /* @__PURE__ */ i.jsx("span", { className: "clip", children: s.name }),
      /* @__PURE__ */ i.jsx(et, { label: `probe ${s.name}`, type: s.type, value: cs(s, t), onCommit: (o) => R({ probe: { ...t, [s.name]: o } }) })
    ] }, s.name))
  ] });
}
function Or({ onAdd: e, onFit: t }) {
  const n = E((l) => l.selection), s = E((l) => l.graph), [o, r] = g.useState(null), c = n.filter((l) => !he(s?.nodes.find((u) => u.node_id === l))), [a] = c;
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsxs("div", { className: "toolbar", role: "toolbar", "aria-label": "Graph", children: [
      /* @__PURE__ */ i.jsx("button", { className: "icon", title: "Add a node (Space)", "aria-label": "Add a node", onClick: e, children: /* @__PURE__ */ i.jsx(X, { name: "plus" }) }),
      /* @__PURE__ */ i.jsx("button", { className: "icon", title: "Tidy up (L)", "aria-label": "Tidy up", onClick: () => {
        $t();
      }, children: /* @__PURE__ */ i.jsx(X, { name: "layout" }) }),
      /* @__PURE__ */ i.jsx("button", { className: "icon", title: "Show everything (F)", "aria-label": "Show everything", onClick: t, children: /* @__PURE__ */ i.jsx(X, { name: "fit" }) })
    ] }),
    a !== void 0 && /* @__PURE__ */ i.jsxs("div", { className: "selection-bar", role: "toolbar", "aria-label": "Selection", children: [
      /* @__PURE__ */ i.jsx("span", { className: "count", children: c.length === 1 ? "1 node" : `${c.length} nodes` }),
      c.length === 1 && /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
        /* @__PURE__ */ i.jsx("button", { className: "button plain small", title: "Another kind, same links (S)", onClick: () => window.dispatchEvent(new CustomEvent("fibula-swap", { detail: a })), children: "Swap" }),
        /* @__PURE__ */ i.jsx("button", { className: "button plain small", title: "Take it out of the flow (M)", onClick: () => {
          Bn(a);
        }, children: "Mute" })
      ] }),
      /* @__PURE__ */ i.jsx("button", { className: "button plain small", title: "Ctrl+D", onClick: () => {
        Gn(c);
      }, children: "Duplicate" }),
      /* @__PURE__ */ i.jsx("button", { className: "button plain small", title: "Ctrl+C", onClick: () => Un(c), children: "Copy" }),
      o === null ? /* @__PURE__ */ i.jsx("button", { className: "button plain small", onClick: () => r("Part"), children: "Extract" }) : /* @__PURE__ */ i.jsx(
        "form",
        {
          onSubmit: (l) => {
            l.preventDefault(), r(null), o.trim() && Li(c, o.trim());
          },
          children: /* @__PURE__ */ i.jsx("input", { className: "field", "aria-label": "Name of the new function", autoFocus: !0, value: o, onChange: (l) => r(l.target.value), onFocus: (l) => l.target.select(), onBlur: () => r(null), onKeyDown: (l) => l.key === "Escape" && r(null) })
        }
      ),
      /* @__PURE__ */ i.jsx("button", { className: "button plain small", title: "Delete; Shift+Delete joins the links", onClick: (l) => {
        Ct(c, l.shiftKey);
      }, children: "Delete" })
    ] })
  ] });
}
function Lr(e) {
  const t = g.useRef(e);
  t.current = e, g.useEffect(() => {
    const n = (s) => {
      Fr(s.target) || s.defaultPrevented || D().graph === null || Ir(s, t.current) && s.preventDefault();
    };
    return window.addEventListener("keydown", n), () => window.removeEventListener("keydown", n);
  }, []);
}
function Fr(e) {
  return !!e?.closest('input, textarea, select, [contenteditable], [role="dialog"]');
}
function Pr(e) {
  return !!e.target?.closest('button, a, summary, [role="tab"], [role="slider"], [role="separator"]');
}
function Ir(e, t) {
  const { selection: n, graph: s } = D(), o = e.ctrlKey || e.metaKey, r = e.key.length === 1 ? e.key.toLowerCase() : e.key;
  if (o)
    switch (r) {
      case "c":
        return n.length === 0 || getSelection()?.toString() ? !1 : (Un(n), !0);
      case "v":
        return Pi(), !0;
      case "d":
        return Gn(n), !0;
      case "a":
        return R({ selection: s?.nodes.map((a) => a.node_id) ?? [] }), !0;
      default:
        return !1;
    }
  if (Pr(e)) return !1;
  const [c] = n;
  switch (r) {
    case " ":
      return t.openPalette(), !0;
    case "Delete":
    case "Backspace":
      return t.wires.size > 0 && n.length === 0 ? (Et([...t.wires].map(zr)), t.clearWires()) : Ct(n, e.shiftKey), n.length > 0 || t.wires.size > 0;
    case "m":
      return c !== void 0 && Bn(c), !0;
    case "s":
      return c !== void 0 && !he(s?.nodes.find((a) => a.node_id === c)) && t.openSwap(c), !0;
    case "f":
      return t.fit(), !0;
    case "l":
      return $t(), !0;
    case "Escape":
      return R({ selection: [] }), t.clearWires(), !0;
    case "o": {
      const a = s?.nodes.find((u) => u.node_id === c), l = a && s ? Qe(a, new Map(s.nodes.map((u) => [u.node_id, u]))) : null;
      return l != null && ue(l, !0), !0;
    }
    case "u": {
      const a = D().trail.at(-2);
      return a !== void 0 && ue(a), !0;
    }
    default:
      return !1;
  }
}
function zr(e) {
  const t = e.indexOf(":");
  return { node_id: Number(e.slice(0, t)), name: e.slice(t + 1) };
}
const ls = 9, Br = g.memo(function({ id: t, sourceX: n, sourceY: s, targetX: o, targetY: r, sourcePosition: c, targetPosition: a, data: l, selected: u }) {
  const [h] = Mo({ sourceX: n - ls, sourceY: s, targetX: o + ls, targetY: r, sourcePosition: c, targetPosition: a, curvature: 0.28 }), f = `wire ${u ? "selected" : ""} ${l?.isOnPath ? "on-path" : ""}`;
  return /* @__PURE__ */ i.jsx(Eo, { id: t, path: h, className: f, interactionWidth: 14, style: { stroke: `var(--type-${l?.type ?? "float"}, var(--text-3))` } });
}), Ur = { card: Sr }, Hr = { wire: Br }, It = { padding: 0.16, maxZoom: 1.1, minZoom: 0.2 };
function Gr() {
  return /* @__PURE__ */ i.jsx($o, { children: /* @__PURE__ */ i.jsx(Wr, {}) });
}
function Wr() {
  const e = Zi();
  Ar(e);
  const t = Co(), n = E(($) => $.places), s = E(($) => $.selection), [o, r] = g.useState(/* @__PURE__ */ new Map()), [c, a] = g.useState(/* @__PURE__ */ new Set()), [l, u] = g.useState(null), [h, f] = g.useState(null), [d, p] = g.useState(null), x = g.useRef({ x: 0, y: 0 }), m = g.useRef(null), { nodes: v, edges: y } = g.useMemo(() => jr(e, n, o, s, c, l, D().functions), [e, n, o, s, c, l]), _ = e?.graph.function_id, b = v.length > 0, C = g.useRef(!1);
  g.useEffect(() => {
    C.current = !1;
  }, [_]), g.useEffect(() => {
    b && !C.current && requestAnimationFrame(() => us(t, m.current));
  }, [_, b, n, t]), g.useEffect(() => {
    const $ = new ResizeObserver(() => !C.current && us(t, m.current));
    return m.current && $.observe(m.current), () => $.disconnect();
  }, [t]), g.useEffect(() => a(/* @__PURE__ */ new Set()), [_]);
  const M = g.useCallback(($ = {}) => {
    const k = m.current?.getBoundingClientRect(), T = $.screen ?? (x.current.x > 0 ? x.current : { x: (k?.left ?? 0) + (k?.width ?? 0) / 2, y: (k?.top ?? 0) + 120 });
    f({ mode: "add", ...$, screen: T });
  }, []);
  Lr({
    wires: c,
    clearWires: () => a(/* @__PURE__ */ new Set()),
    openPalette: () => M(),
    openSwap: ($) => M({ mode: "swap", nodeId: $ }),
    fit: () => {
      t.fitView(It);
    }
  }), g.useEffect(() => {
    const $ = (T) => M({ mode: "swap", nodeId: T.detail }), k = (T) => {
      t.fitView({ nodes: [{ id: String(T.detail) }], maxZoom: 1.1, minZoom: 0.4, duration: 140 });
    };
    return window.addEventListener("fibula-swap", $), window.addEventListener("fibula-show", k), () => {
      window.removeEventListener("fibula-swap", $), window.removeEventListener("fibula-show", k);
    };
  }, [t, M]);
  function N($) {
    let k = null;
    for (const U of $)
      U.type === "select" && (k ??= new Set(D().selection), U.selected ? k.add(Number(U.id)) : k.delete(Number(U.id)));
    const T = $.flatMap((U) => U.type === "position" && U.position ? [[Number(U.id), U.position]] : []);
    T.length > 0 && r((U) => new Map([...U, ...T])), $.some((U) => U.type === "position" && U.dragging === !1) && T.length > 0 && !w.current && zn(new Map(T)).then(() => r(/* @__PURE__ */ new Map())), k && R({ selection: [...k] });
  }
  const w = g.useRef(!1);
  async function S($, k, T) {
    w.current = !1;
    const I = new Map(T.map((Ue) => [Number(Ue.id), Ue.position]));
    if (![...I].some(([Ue, jn]) => {
      const ht = n.get(Ue);
      return !ht || Math.hypot(ht.x - jn.x, ht.y - jn.y) > 1;
    })) return r(/* @__PURE__ */ new Map());
    const ae = T.length === 1 && e && j(Number(k.id)) ? kr(k, v, y) : null, wn = ae && A(ae);
    wn && await Ri(Number(k.id), wn, k.position) || await zn(I), r(/* @__PURE__ */ new Map());
  }
  function j($) {
    return !y.some((k) => k.source === String($) || k.target === String($));
  }
  function A($) {
    return { node_id: Number($.target), name: ($.targetHandle ?? "").slice(3) };
  }
  function O($) {
    const k = { node_id: Number($.source), name: ($.sourceHandle ?? "").slice(4) }, T = { node_id: Number($.target), name: ($.targetHandle ?? "").slice(3) };
    return { source: k, target: T };
  }
  function W($, k) {
    if (p(null), k.isValid !== null || !k.fromHandle || k.toNode) return;
    const T = "clientX" in $ ? { x: $.clientX, y: $.clientY } : x.current, I = k.fromHandle.id ?? "", U = { node_id: Number(k.fromNode?.id), name: I.slice(I.indexOf(":") + 1) };
    M({ screen: T, wire: k.fromHandle.type === "source" ? { from: U } : { to: U } });
  }
  function V($) {
    const k = new Set(c);
    for (const T of $)
      T.type === "select" && (T.selected ? k.add(T.id) : k.delete(T.id));
    a(k);
  }
  return /* @__PURE__ */ i.jsxs(
    "div",
    {
      className: `graph ${d ? "connecting" : ""}`,
      ref: m,
      onPointerDownCapture: () => {
        C.current = !0;
      },
      onPointerMove: ($) => {
        x.current = { x: $.clientX, y: $.clientY };
      },
      onDoubleClick: ($) => {
        $.target.classList.contains("react-flow__pane") && M({ screen: { x: $.clientX, y: $.clientY } });
      },
      children: [
        d && /* @__PURE__ */ i.jsx("style", { children: d.style }),
        /* @__PURE__ */ i.jsxs(
          Ao,
          {
            nodes: v,
            edges: y,
            nodeTypes: Ur,
            edgeTypes: Hr,
            onNodesChange: N,
            onEdgesChange: V,
            onMoveStart: ($) => {
              $ && (C.current = !0);
            },
            onNodeDragStart: () => {
              w.current = !0;
            },
            onNodeDragStop: ($, k, T) => {
              S($, k, T);
            },
            onConnectStart: ($, k) => {
              const T = k.handleId ?? "";
              ns(Number(k.nodeId), T.slice(T.indexOf(":") + 1), k.handleType === "source").then(p);
            },
            onConnect: ($) => {
              const { source: k, target: T } = O($);
              Mt(k, T);
            },
            onConnectEnd: W,
            onReconnect: ($, k) => {
              const { source: T, target: I } = O(k), U = A($), ae = U.node_id === I.node_id && U.name === I.name;
              Mt(T, I, ae ? void 0 : U);
            },
            onReconnectEnd: ($, k, T, I) => {
              !I.toNode && !I.toHandle && Et([A(k)]);
            },
            onEdgeMouseEnter: ($, k) => u(k.id),
            onEdgeMouseLeave: () => u(null),
            onNodeDoubleClick: ($, k) => {
              const T = e && Qe(k.data.node, new Map(e.graph.nodes.map((I) => [I.node_id, I])));
              T !== null && ue(T, !0);
            },
            connectionRadius: 24,
            deleteKeyCode: null,
            selectionKeyCode: "Shift",
            panActivationKeyCode: null,
            multiSelectionKeyCode: ["Shift", "Control", "Meta"],
            zoomOnDoubleClick: !1,
            minZoom: 0.1,
            maxZoom: 2.5,
            onlyRenderVisibleElements: v.length > 150,
            proOptions: { hideAttribution: !0 },
            "aria-label": "Function graph",
            children: [
              /* @__PURE__ */ i.jsx(To, { variant: Do.Dots, gap: 24, size: 1.2, color: "var(--grid)" }),
              v.length > 14 && /* @__PURE__ */ i.jsx(Ro, { pannable: !0, zoomable: !0, ariaLabel: "Overview of the graph", className: "minimap", nodeBorderRadius: 8, nodeColor: "var(--line-strong)", maskColor: "var(--mask)", style: { width: 140, height: 88 } })
            ]
          }
        ),
        /* @__PURE__ */ i.jsx(wr, {}),
        /* @__PURE__ */ i.jsx(Or, { onAdd: () => M({ screen: Vr(m.current) }), onFit: () => {
          t.fitView(It);
        } }),
        /* @__PURE__ */ i.jsx(Rr, {}),
        h && /* @__PURE__ */ i.jsx(
          vr,
          {
            wanted: h,
            onClose: () => {
              f(null), m.current?.querySelector(".react-flow__pane")?.focus();
            },
            onPick: ($) => {
              if (f(null), h.mode === "swap" && h.nodeId !== void 0) Di(h.nodeId, $.kind.name);
              else {
                const k = t.screenToFlowPosition(h.screen);
                Ti({ name: $.kind.name, ...$.calls === void 0 ? {} : { calls: $.calls } }, k, h.wire ? { ...h.wire, end: $.end, convert: $.convert } : void 0);
              }
            }
          }
        )
      ]
    }
  );
}
const $e = 0.62;
function us(e, t) {
  const n = e.getNodesBounds(e.getNodes()), { width: s, height: o } = t?.getBoundingClientRect() ?? { width: 0, height: 0 };
  if (n.width === 0) return;
  if (Math.min(s * 0.86 / n.width, o * 0.86 / n.height) >= $e || s === 0) e.fitView(It);
  else {
    const c = n.height * $e < o - 120 ? (o - n.height * $e) / 2 : 72;
    e.setViewport({ x: 32 - n.x * $e, y: c - n.y * $e, zoom: $e });
  }
}
function Vr(e) {
  const t = e?.getBoundingClientRect();
  return { x: (t?.left ?? 0) + 16, y: (t?.top ?? 0) + 56 };
}
function Kr({ text: e }) {
  const t = e.split("`");
  return /* @__PURE__ */ i.jsx("p", { children: t.map((n, s) => s % 2 === 1 ? /* @__PURE__ */ i.jsx("code", { children: n }, s) : n) });
}
function qr() {
  const e = E((s) => s.graph), t = E((s) => s.selection), n = t.length === 1 ? e?.nodes.find((s) => s.node_id === t[0]) : void 0;
  return /* @__PURE__ */ i.jsx("div", { className: "inspector", children: n ? /* @__PURE__ */ i.jsx(Xr, { node: n }, n.node_id) : /* @__PURE__ */ i.jsx(Jr, {}) });
}
function Xr({ node: e }) {
  const t = E((a) => a.graph), n = E((a) => a.kinds.get(e.node_type)), s = E((a) => a.values);
  if (!t) return null;
  const o = Rt(t).signatures.get(e.node_id) ?? { parameters: [], ports: [] }, r = e.node_type === "Begin" || e.node_type === "End", c = new Map(t.nodes.map((a) => [a.node_id, a]));
  return /* @__PURE__ */ i.jsxs("section", { "aria-label": "Selected node", children: [
    /* @__PURE__ */ i.jsxs("div", { className: "inspector-head", children: [
      r ? /* @__PURE__ */ i.jsx("h2", { children: e.node_type === "Begin" ? "Inputs" : "Outputs" }) : /* @__PURE__ */ i.jsx(Zr, { node: e }),
      /* @__PURE__ */ i.jsxs("span", { className: "meta", children: [
        e.node_type,
        " \xB7 ",
        /* @__PURE__ */ i.jsx("span", { className: "mono", children: e.node_id })
      ] })
    ] }),
    o.parameters.length > 0 && /* @__PURE__ */ i.jsx("dl", { className: "ports", children: o.parameters.map((a) => {
      const l = e.parameters?.[a.name], u = J(l) ? c.get(l.source.node_id) : void 0;
      return /* @__PURE__ */ i.jsxs("div", { children: [
        /* @__PURE__ */ i.jsxs("dt", { children: [
          /* @__PURE__ */ i.jsx(ke, { type: a.type }),
          /* @__PURE__ */ i.jsx("span", { className: "clip", title: `${a.name}: ${a.type}`, children: a.name })
        ] }),
        /* @__PURE__ */ i.jsx("dd", { children: J(l) ? /* @__PURE__ */ i.jsxs("button", { className: "source clip", onClick: () => qe(l.source.node_id), title: "Show the source", children: [
          u ? ce(u) : l.source.node_id,
          /* @__PURE__ */ i.jsxs("span", { className: "hint", children: [
            " ",
            l.source.port
          ] }),
          /* @__PURE__ */ i.jsx("span", { className: "mono live-value", children: ie(s.get(`${l.source.node_id}:${l.source.port}`)) })
        ] }) : r ? /* @__PURE__ */ i.jsx("span", { className: "hint", children: "no link" }) : /* @__PURE__ */ i.jsx(
          et,
          {
            label: `${a.name}`,
            type: a.type,
            value: l?.value,
            placeholder: a.hasDefault ? ie(a.default) : "not set",
            ...a.type === "resource_id" ? { choices: _t(a.refers) } : {},
            onCommit: (h) => {
              St(e.node_id, a.name, h);
            },
            onDraft: (h) => In(e.node_id, h)
          }
        ) })
      ] }, a.name);
    }) }),
    o.ports.length > 0 && /* @__PURE__ */ i.jsx("dl", { className: "ports results", children: o.ports.map((a) => /* @__PURE__ */ i.jsxs("div", { children: [
      /* @__PURE__ */ i.jsxs("dt", { children: [
        /* @__PURE__ */ i.jsx(ke, { type: a.type }),
        /* @__PURE__ */ i.jsx("span", { className: "clip", title: `${a.name}: ${a.type}`, children: a.name })
      ] }),
      /* @__PURE__ */ i.jsx("dd", { children: /* @__PURE__ */ i.jsx(Yr, { value: s.get(`${e.node_id}:${a.name}`) }) })
    ] }, a.name)) }),
    n && /* @__PURE__ */ i.jsxs("div", { className: "docs", children: [
      /* @__PURE__ */ i.jsx(Kr, { text: n.description ?? n.summary ?? "" }),
      n.signature && /* @__PURE__ */ i.jsx("p", { className: "mono signature", children: n.signature })
    ] })
  ] });
}
function Yr({ value: e }) {
  const [t, n] = g.useState(!1);
  if (e === void 0) return /* @__PURE__ */ i.jsx("span", { className: "hint", children: "\u2013" });
  const s = Array.isArray(e) ? e.flat().join(", ") : String(e);
  return /* @__PURE__ */ i.jsx(
    "button",
    {
      className: "value mono clip",
      title: `${s} (click to copy)`,
      onClick: () => {
        navigator.clipboard?.writeText(s).then(() => n(!0)), setTimeout(() => n(!1), 1200);
      },
      children: t ? "copied" : ie(e, 6)
    }
  );
}
function Zr({ node: e }) {
  const [t, n] = g.useState(e.display_name ?? "");
  return g.useEffect(() => n(e.display_name ?? ""), [e.display_name]), /* @__PURE__ */ i.jsx(
    "input",
    {
      className: "field name",
      "aria-label": "Name of the node",
      placeholder: e.node_type,
      value: t,
      autoComplete: "off",
      maxLength: 200,
      onChange: (s) => n(s.target.value),
      onBlur: () => {
        Oi(e.node_id, t.trim());
      },
      onKeyDown: (s) => {
        s.key === "Enter" && s.currentTarget.blur(), s.key === "Escape" && n(e.display_name ?? "");
      }
    }
  );
}
function Jr() {
  const e = E((s) => s.graph), n = E((s) => s.selection).length;
  return e ? /* @__PURE__ */ i.jsxs("section", { "aria-label": "Function", children: [
    /* @__PURE__ */ i.jsxs("div", { className: "inspector-head", children: [
      /* @__PURE__ */ i.jsx("h2", { className: "clip", title: e.name, children: n > 1 ? `${n} nodes selected` : e.name }),
      /* @__PURE__ */ i.jsxs("span", { className: "meta", children: [
        "function \xB7 ",
        /* @__PURE__ */ i.jsx("span", { className: "mono", children: e.function_id })
      ] })
    ] }),
    /* @__PURE__ */ i.jsx("dl", { className: "ports", children: [...e.inputs.map((s) => ({ port: s, side: "input" })), ...e.outputs.map((s) => ({ port: s, side: "output" }))].map(({ port: s, side: o }) => /* @__PURE__ */ i.jsxs("div", { children: [
      /* @__PURE__ */ i.jsxs("dt", { children: [
        /* @__PURE__ */ i.jsx(ke, { type: s.type }),
        /* @__PURE__ */ i.jsx("span", { className: "clip", children: s.name })
      ] }),
      /* @__PURE__ */ i.jsxs("dd", { className: "hint", children: [
        o,
        ", ",
        s.type
      ] })
    ] }, `${o}${s.name}`)) })
  ] }) : null;
}
const ds = 280, Qr = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
function z(e, t) {
  const n = e.slice(0, t * 4).replace(/\s+/g, " ").replace(Qr, "").trim(), s = [...n];
  return s.length > t ? `${s.slice(0, t - 1).join("")}\u2026` : s.length === 0 && e.length > 0 ? "\xB7" : n;
}
function hs({ text: e }) {
  const [t, n] = g.useState(!1), s = e.length > ds + 40;
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsx("bdi", { className: "kg-text", children: s && !t ? `${e.slice(0, ds)}\u2026` : e }),
    s && /* @__PURE__ */ i.jsx("button", { className: "button plain small", "aria-expanded": t, onClick: () => n(!t), children: t ? "Show less" : `Show all ${e.length.toLocaleString("en")} characters` })
  ] });
}
const ea = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [30, "day"],
  [12, "month"],
  [1 / 0, "year"]
];
function zt(e, t = Date.now()) {
  let n = (t - e) / 1e3;
  if (n < 45) return "just now";
  for (const [s, o] of ea) {
    if (Math.round(n) < s) return new Intl.RelativeTimeFormat("en").format(-Math.round(n), o);
    n /= s;
  }
  return "";
}
function Bt({ at: e }) {
  const t = new Date(e);
  return /* @__PURE__ */ i.jsx("time", { dateTime: t.toISOString(), title: t.toLocaleString(), children: zt(e) });
}
const ta = 30;
function na(e, t) {
  const n = /* @__PURE__ */ new Map();
  t.forEach((o, r) => o.nodes.forEach((c) => n.set(c, r)));
  let s = e.ends().filter((o) => !n.has(o));
  for (let o = 0; s.length > 0 && o < ta; o++) {
    const r = [];
    if (s = s.filter((c) => {
      const a = /* @__PURE__ */ new Map();
      for (const u of e.edgesAt(c)) {
        const h = n.get(u.source === c ? u.target : u.source);
        h !== void 0 && a.set(h, (a.get(h) ?? 0) + 1);
      }
      const [l] = [...a].sort((u, h) => h[1] - u[1] || u[0] - h[0]);
      return l ? (r.push([c, l[0]]), !1) : !0;
    }), r.length === 0) break;
    for (const [c, a] of r) n.set(c, a);
  }
  return n;
}
const sa = ["#3b74c4", "#c2691c", "#2f8a6b", "#a3479b", "#a38a12", "#c4474f", "#4a9aac", "#7a62c9", "#7d8b34"], oa = ["#78a9f0", "#eaa15c", "#63c4a1", "#d68fd0", "#d3bd4e", "#ee8a90", "#7fcbdc", "#ab98f2", "#b3c268"];
function ia(e) {
  const t = parseInt(e.slice(1), 16);
  return [t >> 16, t >> 8 & 255, t & 255];
}
function Ce(e, t = 1) {
  return `rgb(${e.join(" ")} / ${t})`;
}
function fs(e, t) {
  const n = (t.isDark ? oa : sa)[e];
  return n === void 0 ? t.quiet : ia(n);
}
function Ut(e) {
  const t = document.createElement("i");
  e.append(t);
  const n = (r) => {
    t.style.color = `var(${r})`;
    const [c = 0, a = 0, l = 0] = (getComputedStyle(t).color.match(/[\d.]+/g) ?? []).map(Number);
    return [c, a, l];
  }, s = n("--ground"), o = {
    isDark: s[0] + s[1] + s[2] < 384,
    ground: s,
    text: n("--text"),
    quiet: n("--text-3"),
    edge: n("--line-strong"),
    accent: n("--accent"),
    agent: n("--agent"),
    bad: n("--bad")
  };
  return t.remove(), o;
}
function ra(e, t) {
  const n = new Map(t), s = [...e].filter(([o]) => !n.has(o)).sort((o, r) => r[1] - o[1] || (o[0] < r[0] ? -1 : 1));
  for (const [o] of s) n.set(o, n.size);
  return n;
}
function Ht(e) {
  const t = /^fn:(\d+)(?:\/(\d+))?$/.exec(e);
  return t ? { functionId: Number(t[1]), nodeId: t[2] === void 0 ? null : Number(t[2]) } : null;
}
const Gt = (e) => typeof e == "number" ? e : Date.parse(String(e)), ps = (e) => e ?? {};
function aa(e) {
  const t = (e.observations ?? []).map(({ text: n, at: s, by: o }) => ({ text: n, at: Gt(s), by: o }));
  return {
    id: e.id,
    label: e.label,
    types: e.types,
    data: ps(e.data),
    observations: t,
    observationCount: e.observation_count ?? t.length,
    position: e.position ?? null,
    creator: e.creator,
    created: Gt(e.created),
    version: e.version
  };
}
function ca(e) {
  const { id: t, source: n, target: s, type: o, creator: r } = e;
  return { id: t, source: n, target: s, type: o, creator: r, label: e.label ?? null, weight: e.weight ?? null, data: ps(e.data), created: Gt(e.created) };
}
class ms {
  nodes = /* @__PURE__ */ new Map();
  edges = /* @__PURE__ */ new Map();
  /** Edges at each end: nodes, and functions. */
  at = /* @__PURE__ */ new Map();
  dangling = /* @__PURE__ */ new Set();
  putNode(t) {
    const n = aa(t);
    this.nodes.set(n.id, n);
  }
  putEdge(t) {
    this.removeEdge(t.id);
    const n = ca(t);
    this.edges.set(n.id, n);
    for (const s of [n.source, n.target]) {
      const o = this.at.get(s);
      o ? o.add(n.id) : this.at.set(s, /* @__PURE__ */ new Set([n.id]));
    }
  }
  removeEdge(t) {
    const n = this.edges.get(t);
    if (n) {
      this.edges.delete(t);
      for (const s of [n.source, n.target]) {
        const o = this.at.get(s);
        o?.delete(t), o?.size === 0 && this.at.delete(s);
      }
    }
  }
  removeNode(t) {
    for (const n of [...this.at.get(t) ?? []]) this.removeEdge(n);
    this.nodes.delete(t);
  }
  edgesAt(t) {
    return [...this.at.get(t) ?? []].flatMap((n) => this.edges.get(n) ?? []);
  }
  degree(t) {
    return this.at.get(t)?.size ?? 0;
  }
  /** Ids of everything that is drawn: the nodes, and the functions at which edges end. */
  ends() {
    const t = [...this.at.keys()].filter((n) => !this.nodes.has(n) && Ht(n) !== null);
    return [...this.nodes.keys(), ...t];
  }
  label(t) {
    return this.nodes.get(t)?.label ?? t;
  }
  /** Applies the facts of a change; facts are absolute, so applying them twice is harmless. */
  apply(t) {
    const n = { touched: [], stale: [], functions: !1 };
    return this.visit(t, n), n;
  }
  visit(t, n) {
    for (const [s, o] of Object.entries(t ?? {}))
      if (s === "batch") for (const r of o) this.visit(r, n);
      else s === "knowledge" ? this.fact(o, n) : n.functions = !0;
  }
  fact(t, n) {
    const s = (o) => String(o.id);
    if (t.put_node)
      this.putNode(t.put_node), n.touched.push(s(t.put_node));
    else if (t.remove_node)
      this.removeNode(s(t.remove_node));
    else if (t.move_node) {
      const o = this.nodes.get(s(t.move_node));
      o && (o.position = t.move_node.position ?? null);
    } else t.observe ? (n.touched.push(s(t.observe)), n.stale.push(s(t.observe))) : t.put_edge ? (this.putEdge(t.put_edge), n.touched.push(s(t.put_edge))) : t.remove_edge && this.removeEdge(s(t.remove_edge));
  }
}
const tt = 70, gs = Math.PI * (3 - Math.sqrt(5));
function nt(e, t) {
  const n = e.ends().filter((r) => !t.has(r));
  if (n.length === 0) return;
  const s = /* @__PURE__ */ new Map();
  let o = n;
  for (let r = -1; o.length !== r && t.size > 0; )
    r = o.length, o = o.filter((c) => {
      const a = ua(e, t, c);
      if (a === null) return !0;
      const l = s.get(a) ?? 0;
      s.set(a, l + 1);
      const [u, h] = t.get(a) ?? [0, 0], f = da(t, a) + (l % 2 ? 1 : -1) * Math.ceil(l / 2) * 0.6, d = tt * (1 + Math.floor(l / 9) * 0.7);
      return t.set(c, [u + Math.cos(f) * d, h + Math.sin(f) * d]), !1;
    });
  la(e, o, t);
}
function la(e, t, n) {
  let s = 0;
  for (const [, l] of n.values()) s = Math.max(s, l);
  const o = tt * 0.8 * Math.sqrt(t.length), r = n.size > 0 ? s + o + tt : 0, c = [], a = new Set(t);
  for (const l of [...t].sort((u, h) => e.degree(h) - e.degree(u)))
    if (a.delete(l)) {
      c.push(l);
      for (let u = c.length - 1; u < c.length; u++) {
        const h = c[u] ?? "";
        for (const f of e.edgesAt(h)) {
          const d = f.source === h ? f.target : f.source;
          a.delete(d) && c.push(d);
        }
      }
    }
  c.forEach((l, u) => {
    const h = tt * 0.8 * Math.sqrt(u);
    n.set(l, [Math.cos(u * gs) * h, r + Math.sin(u * gs) * h]);
  });
}
function ua(e, t, n) {
  for (const s of e.edgesAt(n)) {
    const o = s.source === n ? s.target : s.source;
    if (o !== n && t.has(o)) return o;
  }
  return null;
}
function da(e, t) {
  const [n, s] = e.get(t) ?? [0, 0];
  return n === 0 && s === 0 ? 0 : Math.atan2(s, n);
}
const xs = () => ({
  project: null,
  status: "loading",
  version: 0,
  knowledge: new ms(),
  places: /* @__PURE__ */ new Map(),
  arrangement: "force",
  isArranging: !1,
  isHeld: !0,
  unloaded: 0,
  selection: null,
  focus: null,
  hiddenTypes: /* @__PURE__ */ new Set(),
  typeRanks: /* @__PURE__ */ new Map(),
  communities: null,
  start: null,
  path: null,
  glows: /* @__PURE__ */ new Map()
}), L = He()(xs), B = L.getState, G = L.setState, bs = 4e3, ha = 800, fa = 5e4, ys = 2e4;
function pa(e) {
  G({ ...xs(), project: e });
  let t = !0;
  const n = new AbortController(), s = () => {
    ga(e, n.signal).catch((r) => t && ma(r));
  };
  s();
  const o = [ai((r) => r.project === e && xa(r, s)), ci(s)];
  return () => {
    t = !1, n.abort(), o.forEach((r) => r());
  };
}
function ma(e) {
  B().status === "loading" && G({ status: "failed" }), F(e);
}
let vs = 0;
async function ga(e, t) {
  const n = ++vs, s = new ms();
  let o, r, c = 0;
  do {
    const d = { limit: ys, ...o ? { cursor: o, revision: r } : {} }, p = await P.get("/api/graph/{project}/state", { path: { project: e }, query: d, signal: t });
    r = p.revision, c = p.node_count;
    for (const m of p.nodes) s.nodes.size < fa && s.putNode(m);
    const x = (m) => s.nodes.has(m) || Ht(m) !== null;
    for (const m of p.edges) x(m.source) && x(m.target) && s.putEdge(m);
    for (const m of p.dangling ?? []) s.dangling.add(m);
    o = p.next_cursor ?? void 0;
  } while (o);
  if (n !== vs || B().project !== e) return;
  const a = B().status !== "ready", l = /* @__PURE__ */ new Map();
  for (const d of s.ends()) {
    const p = B().places.get(d) ?? s.nodes.get(d)?.position;
    p && l.set(d, p);
  }
  const u = s.nodes.size > 0 && [...s.nodes.values()].every((d) => d.position), h = a || [...s.nodes.keys()].every((d) => !B().places.has(d));
  if (nt(s, l), G({ knowledge: s, places: l, unloaded: c - s.nodes.size, status: "ready" }), ws(), u && G({ arrangement: "stored" }), !h || u || s.nodes.size === 0) return G({ isHeld: !1 });
  const f = setTimeout(() => G({ isHeld: !1 }), ha);
  await Ns("force", t).finally(() => {
    clearTimeout(f), t.aborted || G({ isHeld: !1 });
  });
}
function ws() {
  const { knowledge: e, places: t, selection: n, focus: s, path: o } = B();
  nt(e, t);
  const r = /* @__PURE__ */ new Map();
  for (const l of e.nodes.values()) for (const u of l.types) r.set(u, (r.get(u) ?? 0) + 1);
  const c = (l) => e.nodes.has(l) || e.at.has(l), a = n && (n.kind === "node" ? !c(n.id) : !e.edges.has(n.id));
  G({
    version: B().version + 1,
    typeRanks: ra(r, B().typeRanks),
    ...a ? { selection: null } : {},
    ...s && ![...s].some(c) ? { focus: null } : {},
    ...o && !o.edges.every((l) => e.edges.has(l)) ? { path: null } : {}
  });
}
let Wt = !1;
function Vt() {
  Wt || (Wt = !0, requestAnimationFrame(() => {
    Wt = !1, ws();
  }));
}
function xa(e, t) {
  const { knowledge: n, project: s, glows: o, focus: r } = B();
  if (!e.edit || B().status !== "ready") return t();
  const c = new Set(e.origin.client === "page" ? [] : n.ends()), a = n.apply(e.edit);
  if (e.origin.client !== "page" && a.touched.length > 0) {
    const l = performance.now(), u = new Map([...o].filter(([, h]) => l - h < bs));
    for (const h of a.touched) u.set(h, l);
    if (G({ glows: u }), r) {
      const f = a.touched.flatMap((d) => n.edges.get(d) ?? []).flatMap(({ source: d, target: p }) => r.has(d) !== r.has(p) ? [d, p] : []).filter((d) => !c.has(d));
      f.length > 0 && G({ focus: /* @__PURE__ */ new Set([...r, ...f]) });
    }
  }
  if (s !== null) {
    for (const l of a.stale) js(s, l).catch(F);
    a.functions && n.ends().length > n.nodes.size && ba(s).catch(F);
  }
  Vt();
}
async function js(e, t) {
  try {
    const { nodes: n } = await P.get("/api/graph/{project}/nodes/{id}", { path: { project: e, id: t } });
    if (B().project !== e) return;
    for (const s of n) B().knowledge.putNode(s);
    Vt();
  } catch (n) {
    if (!(n instanceof Z && n.code === "unknown_node")) throw n;
  }
}
async function ba(e) {
  const { dangling: t } = await P.get("/api/graph/{project}/state", { path: { project: e }, query: { limit: 1 } });
  B().project === e && (B().knowledge.dangling = new Set(t ?? []), Vt());
}
async function Ns(e, t) {
  const { project: n, selection: s, knowledge: o } = B();
  if (n !== null) {
    G({ arrangement: e, isArranging: !0 });
    try {
      const r = e === "radial" && s?.kind === "node" && o.nodes.has(s.id) ? { center: s.id } : {}, c = /* @__PURE__ */ new Map();
      let a;
      do {
        const l = { method: e, limit: ys, ...r, ...a ? { cursor: a } : {} }, u = await P.post("/api/graph/{project}/layout", { path: { project: n }, body: l, ...t ? { signal: t } : {} });
        for (const { id: h, position: f } of u.positions) c.set(h, f);
        if (a = u.next_cursor ?? void 0, B().project !== n || B().arrangement !== e) return;
      } while (a);
      nt(B().knowledge, c), G({ places: c, version: B().version + 1 });
    } finally {
      B().project === n && B().arrangement === e && G({ isArranging: !1 });
    }
  }
}
function ks() {
  const { knowledge: e } = B(), t = /* @__PURE__ */ new Map();
  for (const n of e.nodes.values()) n.position && t.set(n.id, n.position);
  nt(e, t), G({ places: t, arrangement: "stored", isArranging: !1, version: B().version + 1 });
}
function ge(e) {
  G({ selection: e });
}
const Kt = 100;
async function qt(e) {
  const { project: t, focus: n } = B();
  if (t === null) return 0;
  const s = new Set(n ?? []);
  s.add(e);
  let o = 0, r, c = 0, a = 0;
  do {
    const l = { node: e, depth: 1, limit: Kt, ...r ? { cursor: r } : {} }, u = await P.post("/api/graph/{project}/neighbors", { path: { project: t }, body: l });
    c = u.total;
    for (const h of u.neighbors) {
      if (o >= Kt) break;
      a++, s.has(h.id) || (s.add(h.id), o++);
    }
    r = u.next_cursor ?? void 0;
  } while (r && o < Kt);
  return G({ focus: s }), c - a;
}
async function Xt(e) {
  G({ focus: /* @__PURE__ */ new Set([e]) }), await qt(e);
}
function Yt() {
  G({ focus: null });
}
function Zt(e, t = !1) {
  const { hiddenTypes: n, typeRanks: s } = B();
  if (t) {
    const o = [...s.keys()].filter((c) => c !== e), r = o.every((c) => n.has(c)) && !n.has(e);
    G({ hiddenTypes: new Set(r ? [] : o) });
  } else {
    const o = new Set(n);
    o.delete(e) || o.add(e), G({ hiddenTypes: o });
  }
}
async function Ss(e) {
  const { project: t, knowledge: n } = B();
  if (!e || t === null) return G({ communities: null });
  const s = [];
  let o, r = 0;
  do {
    const c = { what: "communities", limit: 1e3, ...o ? { cursor: o } : {} }, a = await P.post("/api/graph/{project}/analysis", { path: { project: t }, body: c });
    s.push(...a.groups ?? []), r = a.modularity ?? r, o = a.next_cursor ?? void 0;
  } while (o);
  B().project === t && G({ communities: { member: na(n, s), sizes: s.map((c) => c.size), modularity: r } });
}
async function Be(e) {
  const { start: t, project: n } = B();
  if (n === null) return;
  if (t === null || t === e) {
    G({ start: t === e ? null : e, path: null });
    return;
  }
  G({ start: null });
  const s = await P.post("/api/graph/{project}/path", { path: { project: n }, body: { source: t, target: e, count: 1 } }), [o] = s.paths;
  if (!o) {
    q({ tone: "info", text: `No path leads from ${z(B().knowledge.label(t), 40)} to ${z(B().knowledge.label(e), 40)}.` });
    return;
  }
  const r = o.nodes.map((a) => a.id), { focus: c } = B();
  G({ path: { nodes: r, edges: o.edges.map((a) => a.edge) }, ...c ? { focus: /* @__PURE__ */ new Set([...c, ...r]) } : {} });
}
function Jt() {
  G({ start: null, path: null });
}
function ya(e, t) {
  if (e.focus && !e.focus.has(t)) return !1;
  const n = e.knowledge.nodes.get(t);
  return !n || e.hiddenTypes.size === 0 ? !0 : n.types.length === 0 || n.types.some((s) => !e.hiddenTypes.has(s));
}
const va = 5;
async function xe({ basis: e }, t) {
  const n = JSON.stringify(e());
  for (let s = 0; ; s++)
    try {
      return await t({ expected_revision: D().revision });
    } catch (o) {
      if (!(o instanceof Z)) throw o;
      if (o.isConflict) {
        if (await ee(), JSON.stringify(e()) === n && s < va) continue;
        q({ tone: "error", text: "Not written: it was changed in between.", hint: "The page shows the present state.", action: { label: "Write mine", run: () => {
          t({}).catch(F);
        } } });
      } else o.code === "unreachable" ? (q({ tone: "error", text: "Not written: the server does not answer.", hint: "Repeat it when the server is back." }), F(o)) : Ge(o.refusal);
      return null;
    }
}
const st = { label: "Undo", run: () => {
  oe();
} }, _s = (e) => () => L.getState().knowledge.nodes.get(e), Ms = (e) => () => L.getState().knowledge.edges.get(e);
async function Es(e, t, n) {
  const s = n;
  return await xe({ basis: _s(t) }, (o) => P.patch("/api/graph/{project}/nodes/{id}", { path: { project: e, id: t }, query: o, body: s })) !== null;
}
async function wa(e, t, n) {
  const s = n;
  return await xe({ basis: Ms(t) }, (o) => P.patch("/api/graph/{project}/edges/{id}", { path: { project: e, id: t }, query: o, body: s })) !== null;
}
const ot = { basis: () => null };
async function ja(e, t, n) {
  const s = { nodes: [{ label: t, types: n }] };
  return (await xe(ot, (r) => P.post("/api/graph/{project}/add", { path: { project: e }, query: r, body: s })))?.nodes?.[0] ?? null;
}
async function Na(e, t, n, s) {
  const o = { source: t, target: n, ...s ? { type: s } : {} };
  return await xe(ot, (r) => P.post("/api/graph/{project}/edges", { path: { project: e }, query: r, body: o })) !== null;
}
async function ka(e, t) {
  const n = L.getState().knowledge.label(t), s = await xe({ basis: _s(t) }, (r) => P.delete("/api/graph/{project}/nodes/{id}", { path: { project: e, id: t }, query: r }));
  if (!s) return;
  const o = s.removed_edges === 0 ? "" : ` and ${s.removed_edges} edge${s.removed_edges === 1 ? "" : "s"}`;
  q({ tone: "info", text: `Removed ${z(n, 40)}${o}.`, action: st });
}
async function $s(e, t) {
  await xe({ basis: Ms(t) }, (s) => P.delete("/api/graph/{project}/edges/{id}", { path: { project: e, id: t }, query: s })) && q({ tone: "info", text: "Removed the edge.", action: st });
}
async function Sa(e) {
  const { arrangement: t } = L.getState();
  if (t === "stored") return;
  const n = await xe(ot, (o) => P.post("/api/graph/{project}/layout", { path: { project: e }, query: o, body: { method: t, write: !0, limit: 1 } }));
  if (!n) return;
  q({ tone: "info", text: `Stored the places of ${n.total} nodes.`, action: st }), await ee();
  const { knowledge: s } = L.getState();
  [...s.nodes.values()].every((o) => o.position) && ks();
}
const _a = {
  csv: "csv",
  graphml: "graphml",
  gexf: "gexf",
  dot: "dot",
  gv: "dot",
  mmd: "mermaid",
  mermaid: "mermaid",
  jsonl: "memory-jsonl",
  jsonld: "json-ld"
};
function Ma(e) {
  return _a[e.slice(e.lastIndexOf(".") + 1).toLowerCase()] ?? null;
}
async function Cs(e, t) {
  const n = await t.text(), s = Ma(t.name), o = { content: n, ...s ? { format: s } : {} }, r = await xe(ot, (f) => P.post("/api/graph/{project}/import", { path: { project: e }, query: f, body: o }));
  if (!r) return;
  const { node_count: c, edge_count: a, repairs: l = [], warnings: u = [] } = r, h = l.reduce((f, d) => f + d.count, 0);
  q({
    tone: "info",
    text: `Imported ${c} nodes and ${a} edges from ${z(t.name, 40)}${h > 0 ? `, ${h} faults repaired` : ""}.`,
    hint: [...l.map((f) => f.message), ...u].slice(0, 3).join(" \xB7 ") || void 0,
    action: st
  });
}
function Qt(e, t) {
  const n = URL.createObjectURL(e), s = document.createElement("a");
  s.href = n, s.download = t, s.click(), setTimeout(() => URL.revokeObjectURL(n), 1e3);
}
const As = { json: "json", "json-ld": "jsonld", graphml: "graphml", gexf: "gexf", csv: "csv", "node-link": "json", cytoscape: "json", dot: "dot", mermaid: "mmd", "memory-jsonl": "jsonl" };
async function Ea(e, t) {
  try {
    const n = await se("GET", Q("/api/graph/{project}/export", { project: e }, { format: t }));
    Qt(await n.blob(), `${e}.${As[t]}`);
  } catch (n) {
    F(n);
  }
}
async function $a(e, t) {
  const { arrangement: n } = L.getState();
  try {
    const s = { format: "svg", dark: t, ...n === "stored" ? {} : { layout: n } }, o = await se("POST", Q("/api/graph/{project}/render", { project: e }), s);
    Qt(await o.blob(), `${e}.svg`);
  } catch (s) {
    F(s);
  }
}
const Ca = 4e3;
function be({ name: e, value: t, isTitle: n = !1, isLong: s = !1, check: o, onWrite: r }) {
  const c = g.useId(), [a, l] = g.useState(null), [u, h] = g.useState(!1), f = g.useRef(null), d = t.length > Ca && !u, p = a ?? (d ? t.slice(0, 200) : t), x = a === null ? null : o?.(a.trim()) ?? null;
  g.useEffect(() => {
    const y = f.current;
    y && (y.style.height = "0", y.style.height = `${Math.min(y.scrollHeight + 2, 220)}px`);
  }, [p]);
  const m = () => {
    const y = a?.trim();
    if (y === void 0 || x || y === t || s && y === "") {
      x || l(null);
      return;
    }
    r(y).then((_) => _ && l(null));
  }, v = (y) => {
    if (y.key === "Escape")
      l(null), y.currentTarget.value = t, y.currentTarget.blur();
    else if (y.key === "Enter" && !y.shiftKey)
      y.preventDefault(), m(), s || y.currentTarget.blur();
    else return;
    y.stopPropagation();
  };
  return /* @__PURE__ */ i.jsxs("div", { className: `kg-field ${n ? "is-title" : ""}`, children: [
    /* @__PURE__ */ i.jsx("label", { htmlFor: c, className: n || s ? "visually-hidden" : "", children: e }),
    /* @__PURE__ */ i.jsx(
      "textarea",
      {
        id: c,
        ref: f,
        rows: 1,
        dir: "auto",
        className: "field",
        placeholder: s ? e : void 0,
        readOnly: d,
        "aria-invalid": x !== null,
        value: p,
        onChange: (y) => l(y.target.value),
        onBlur: m,
        onKeyDown: v
      }
    ),
    x && /* @__PURE__ */ i.jsx("small", { className: "kg-fault", role: "alert", children: x }),
    d && /* @__PURE__ */ i.jsxs("button", { className: "button plain small", onClick: () => h(!0), children: [
      "Show and edit all ",
      t.length.toLocaleString("en"),
      " characters"
    ] })
  ] });
}
function en(e) {
  try {
    return JSON.parse(e);
  } catch {
    return e;
  }
}
function tn(e) {
  return typeof e == "string" && en(e) === e ? e : JSON.stringify(e);
}
function Ts({ data: e, onWrite: t }) {
  const [n, s] = g.useState(""), o = Object.entries(e);
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsx("h3", { className: "section-title", children: "Data" }),
    /* @__PURE__ */ i.jsxs("dl", { className: "kg-data", children: [
      o.map(([r, c]) => /* @__PURE__ */ i.jsxs("div", { children: [
        /* @__PURE__ */ i.jsx("dt", { title: z(r, 200), children: /* @__PURE__ */ i.jsx("bdi", { className: "clip", children: z(r, 40) }) }),
        /* @__PURE__ */ i.jsxs("dd", { children: [
          tn(c).length > 600 ? /* @__PURE__ */ i.jsx(hs, { text: tn(c) }) : /* @__PURE__ */ i.jsx(be, { name: `Value of ${z(r, 40)}`, isTitle: !1, value: tn(c), onWrite: (a) => t({ [r]: en(a) }) }),
          /* @__PURE__ */ i.jsx("button", { className: "kg-drop-item", "aria-label": `Remove ${z(r, 40)}`, onClick: () => {
            t({ [r]: null });
          }, children: "\xD7" })
        ] })
      ] }, r)),
      /* @__PURE__ */ i.jsxs("div", { children: [
        /* @__PURE__ */ i.jsx("dt", { children: /* @__PURE__ */ i.jsx("input", { className: "field", "aria-label": "Name of a new member", placeholder: "name", value: n, onChange: (r) => s(r.target.value) }) }),
        /* @__PURE__ */ i.jsx("dd", { children: /* @__PURE__ */ i.jsx(
          be,
          {
            name: "Its value",
            isLong: !0,
            value: "",
            check: () => n.trim() === "" ? "Name it first." : null,
            onWrite: async (r) => {
              const c = await t({ [n.trim()]: en(r) });
              return c && s(""), c;
            }
          }
        ) })
      ] })
    ] })
  ] });
}
function it({ id: e }) {
  const { knowledge: t } = L(), n = E((c) => c.functions), s = t.nodes.has(e) ? null : Ht(e);
  if (!s)
    return /* @__PURE__ */ i.jsx("button", { className: "kg-link", onClick: () => ge({ kind: "node", id: e }), title: z(t.label(e), 200), children: /* @__PURE__ */ i.jsx("bdi", { children: z(t.label(e), 60) }) });
  const r = `${n.find((c) => c.function_id === s.functionId)?.name ?? `function ${s.functionId}`}${s.nodeId === null ? "" : `, node ${s.nodeId}`}`;
  return t.dangling.has(e) ? /* @__PURE__ */ i.jsxs("span", { className: "kg-dangling", title: `${e} does not exist any more`, children: [
    r,
    " (gone)"
  ] }) : /* @__PURE__ */ i.jsxs("button", { className: "kg-link", title: `Open ${e}`, onClick: () => {
    Aa(s.functionId, s.nodeId);
  }, children: [
    "\u0192 ",
    z(r, 60)
  ] });
}
async function Aa(e, t) {
  await ue(e), t !== null && R({ selection: [t] });
}
const nn = 50;
function Ds({ project: e, id: t }) {
  const { knowledge: n } = L(), [s, o] = g.useState(nn), r = n.edgesAt(t).sort((c, a) => +(c.target === t) - +(a.target === t) || (c.type < a.type ? -1 : c.type > a.type ? 1 : 0));
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsx("h3", { className: "section-title", children: "Edges" }),
    /* @__PURE__ */ i.jsx("ul", { className: "kg-edges", children: r.slice(0, s).map((c) => {
      const a = c.source === t;
      return /* @__PURE__ */ i.jsxs("li", { children: [
        /* @__PURE__ */ i.jsxs("button", { className: "kg-edge-type", title: "Show the edge", onClick: () => ge({ kind: "edge", id: c.id }), children: [
          a ? "" : "\u2190 ",
          /* @__PURE__ */ i.jsx("bdi", { children: z(c.type, 40) }),
          a ? " \u2192" : ""
        ] }),
        /* @__PURE__ */ i.jsx(it, { id: a ? c.target : c.source }),
        /* @__PURE__ */ i.jsx("button", { className: "kg-drop-item", "aria-label": `Remove the edge ${z(c.type, 40)}`, onClick: () => {
          $s(e, c.id);
        }, children: "\xD7" })
      ] }, c.id);
    }) }),
    r.length > s && /* @__PURE__ */ i.jsxs("button", { className: "button plain small", onClick: () => o(s + nn), children: [
      "Show ",
      Math.min(nn, r.length - s),
      " of ",
      r.length - s,
      " more"
    ] }),
    /* @__PURE__ */ i.jsx(Da, { project: e, id: t })
  ] });
}
const Ta = 200;
function Da({ project: e, id: t }) {
  const { knowledge: n } = L(), s = E((l) => l.functions), [o, r] = g.useState(!1);
  if (!o)
    return /* @__PURE__ */ i.jsx("button", { className: "button small kg-add", onClick: () => r(!0), children: "Add an edge" });
  const c = new Set([...n.edges.values()].slice(0, 5e3).map((l) => l.type)), a = async (l) => {
    const u = new FormData(l), h = String(u.get("other")).trim(), [f, d] = u.get("way") === "in" ? [h, t] : [t, h];
    await Na(e, f, d, String(u.get("type")).trim()) && r(!1);
  };
  return /* @__PURE__ */ i.jsxs(
    "form",
    {
      className: "kg-form",
      onSubmit: (l) => {
        l.preventDefault(), a(l.currentTarget).catch(F);
      },
      onKeyDown: (l) => l.key === "Escape" && r(!1),
      children: [
        /* @__PURE__ */ i.jsxs("div", { className: "kg-two", children: [
          /* @__PURE__ */ i.jsxs("select", { className: "field", name: "way", "aria-label": "Direction", defaultValue: "out", children: [
            /* @__PURE__ */ i.jsx("option", { value: "out", children: "from here" }),
            /* @__PURE__ */ i.jsx("option", { value: "in", children: "to here" })
          ] }),
          /* @__PURE__ */ i.jsx("input", { className: "field", name: "type", "aria-label": "Type of the edge", placeholder: "related_to", list: "kg-edge-types", autoFocus: !0 })
        ] }),
        /* @__PURE__ */ i.jsx("input", { className: "field", name: "other", "aria-label": "Other end", placeholder: "Label or id, or a function: fn:Plate#wall", list: "kg-ends", required: !0 }),
        /* @__PURE__ */ i.jsx("datalist", { id: "kg-edge-types", children: [...c].map((l) => /* @__PURE__ */ i.jsx("option", { value: l }, l)) }),
        /* @__PURE__ */ i.jsxs("datalist", { id: "kg-ends", children: [
          s.map((l) => /* @__PURE__ */ i.jsx("option", { value: `fn:${l.function_id}`, children: l.name }, l.function_id)),
          [...n.nodes.values()].slice(0, Ta).map((l) => /* @__PURE__ */ i.jsx("option", { value: l.id, children: z(l.label, 60) }, l.id))
        ] }),
        /* @__PURE__ */ i.jsxs("div", { className: "kg-actions", children: [
          /* @__PURE__ */ i.jsx("button", { className: "button small primary", children: "Add" }),
          /* @__PURE__ */ i.jsx("button", { type: "button", className: "button small plain", onClick: () => r(!1), children: "Cancel" })
        ] })
      ]
    }
  );
}
function Ra({ project: e }) {
  const { selection: t, knowledge: n, status: s } = L();
  L((a) => a.version);
  const o = t?.kind === "node" ? t.id : null, r = o === null ? void 0 : n.nodes.get(o)?.version;
  if (g.useEffect(() => {
    const a = o === null ? void 0 : n.nodes.get(o);
    a && a.observationCount > a.observations.length && js(e, a.id).catch(F);
  }, [e, o, r, n]), s !== "ready" || !t) return /* @__PURE__ */ i.jsx(Rs, {});
  if (t.kind === "edge") {
    const a = n.edges.get(t.id);
    return a ? /* @__PURE__ */ i.jsx(Fa, { project: e, edge: a }, a.id) : /* @__PURE__ */ i.jsx(Rs, {});
  }
  const c = n.nodes.get(t.id);
  return c ? /* @__PURE__ */ i.jsx(Oa, { project: e, node: c }, c.id) : /* @__PURE__ */ i.jsx(La, { project: e, id: t.id }, t.id);
}
function Rs() {
  return L((t) => t.knowledge.nodes.size === 0) ? null : /* @__PURE__ */ i.jsx("p", { className: "kg-note", children: "Select a node or an edge to read and change what is known of it." });
}
function Os({ id: e, children: t }) {
  const n = L((s) => s.start);
  return /* @__PURE__ */ i.jsxs("div", { className: "kg-actions", children: [
    /* @__PURE__ */ i.jsx("button", { className: "button small", title: "Show this node and its neighbours only (F)", onClick: () => {
      Xt(e).catch(F);
    }, children: "Focus" }),
    /* @__PURE__ */ i.jsx("button", { className: "button small", title: "Show up to 100 more neighbours (E)", onClick: () => {
      qt(e).catch(F);
    }, children: "Expand" }),
    /* @__PURE__ */ i.jsx("button", { className: "button small", "aria-pressed": n === e, title: "Shortest path from here to the node that you pick next (P)", onClick: () => {
      Be(e).catch(F);
    }, children: n !== null && n !== e ? "Path to here" : "Path from here" }),
    t
  ] });
}
function Ls({ name: e, onRemove: t }) {
  return /* @__PURE__ */ i.jsx("button", { className: "button small plain kg-remove", "aria-label": `Remove ${e}`, title: `Remove ${e}; undo brings it back`, onClick: t, children: "Remove" });
}
function Oa({ project: e, node: t }) {
  const n = (o) => Es(e, t.id, o), s = (o) => o.split(",").map((r) => r.trim()).filter((r) => r !== "");
  return /* @__PURE__ */ i.jsxs("section", { className: "kg-details", "aria-label": "Node of the knowledge graph", children: [
    /* @__PURE__ */ i.jsx(be, { name: "Label", value: t.label, isTitle: !0, onWrite: (o) => n({ label: o }) }),
    /* @__PURE__ */ i.jsx(be, { name: "Types", value: t.types.join(", "), onWrite: (o) => n({ types: s(o) }) }),
    /* @__PURE__ */ i.jsxs("p", { className: "kg-meta", children: [
      /* @__PURE__ */ i.jsx("code", { className: "clip", title: t.id, children: z(t.id, 60) }),
      /* @__PURE__ */ i.jsxs("span", { children: [
        z(t.creator, 40),
        ", ",
        /* @__PURE__ */ i.jsx(Bt, { at: t.created })
      ] })
    ] }),
    /* @__PURE__ */ i.jsx(Os, { id: t.id, children: /* @__PURE__ */ i.jsx(Ls, { name: "node", onRemove: () => {
      ka(e, t.id);
    } }) }),
    /* @__PURE__ */ i.jsx("h3", { className: "section-title", children: "Observations" }),
    /* @__PURE__ */ i.jsx("ul", { className: "kg-observations", children: t.observations.map((o, r) => /* @__PURE__ */ i.jsxs("li", { children: [
      /* @__PURE__ */ i.jsx(hs, { text: o.text }),
      /* @__PURE__ */ i.jsxs("small", { className: "kg-quiet", children: [
        z(o.by, 40),
        ", ",
        /* @__PURE__ */ i.jsx(Bt, { at: o.at })
      ] }),
      /* @__PURE__ */ i.jsx("button", { className: "kg-drop-item", "aria-label": `Remove observation ${r + 1}`, onClick: () => {
        n({ remove_observations: [o.text] });
      }, children: "\xD7" })
    ] }, `${o.at}-${r}`)) }),
    t.observationCount > t.observations.length && /* @__PURE__ */ i.jsxs("p", { className: "kg-quiet", children: [
      t.observationCount - t.observations.length,
      " more are not shown."
    ] }),
    /* @__PURE__ */ i.jsx(be, { name: "Add an observation", value: "", isLong: !0, onWrite: (o) => n({ add_observations: [o] }) }),
    /* @__PURE__ */ i.jsx(Ts, { data: t.data, onWrite: (o) => n({ data: o }) }),
    /* @__PURE__ */ i.jsx(Ds, { project: e, id: t.id })
  ] });
}
function La({ project: e, id: t }) {
  const n = L((s) => s.knowledge.dangling.has(t));
  return /* @__PURE__ */ i.jsxs("section", { className: "kg-details", "aria-label": "Function in the knowledge graph", children: [
    /* @__PURE__ */ i.jsx("h2", { children: /* @__PURE__ */ i.jsx(it, { id: t }) }),
    /* @__PURE__ */ i.jsxs("p", { className: "kg-meta", children: [
      /* @__PURE__ */ i.jsx("code", { children: t }),
      n && /* @__PURE__ */ i.jsx("span", { className: "kg-dangling", children: "dangling: it does not exist any more" })
    ] }),
    /* @__PURE__ */ i.jsx(Os, { id: t }),
    /* @__PURE__ */ i.jsx(Ds, { project: e, id: t })
  ] });
}
function Fa({ project: e, edge: t }) {
  const n = (s) => wa(e, t.id, s);
  return /* @__PURE__ */ i.jsxs("section", { className: "kg-details", "aria-label": "Edge of the knowledge graph", children: [
    /* @__PURE__ */ i.jsx(be, { name: "Type", value: t.type, isTitle: !0, onWrite: (s) => n({ type: s }) }),
    /* @__PURE__ */ i.jsxs("p", { className: "kg-ends", children: [
      /* @__PURE__ */ i.jsx(it, { id: t.source }),
      " ",
      /* @__PURE__ */ i.jsx("span", { "aria-label": "to", children: "\u2192" }),
      " ",
      /* @__PURE__ */ i.jsx(it, { id: t.target })
    ] }),
    /* @__PURE__ */ i.jsx(be, { name: "Label", value: t.label ?? "", onWrite: (s) => n({ label: s || null }) }),
    /* @__PURE__ */ i.jsx(
      be,
      {
        name: "Weight",
        value: t.weight === null ? "" : String(t.weight),
        check: (s) => s === "" || Number.isFinite(Number(s)) ? null : "A weight is a number.",
        onWrite: (s) => n({ weight: s === "" ? null : Number(s) })
      }
    ),
    /* @__PURE__ */ i.jsxs("p", { className: "kg-meta", children: [
      /* @__PURE__ */ i.jsx("code", { className: "clip", children: z(t.id, 60) }),
      /* @__PURE__ */ i.jsxs("span", { children: [
        z(t.creator, 40),
        ", ",
        /* @__PURE__ */ i.jsx(Bt, { at: t.created })
      ] })
    ] }),
    /* @__PURE__ */ i.jsx("div", { className: "kg-actions", children: /* @__PURE__ */ i.jsx(Ls, { name: "edge", onRemove: () => {
      $s(e, t.id);
    } }) }),
    /* @__PURE__ */ i.jsx(Ts, { data: t.data, onWrite: (s) => n({ data: s }) })
  ] });
}
function Fs({ name: e, children: t }) {
  const n = g.useRef(null), s = () => n.current?.removeAttribute("open");
  return /* @__PURE__ */ i.jsxs(
    "details",
    {
      ref: n,
      className: "kg-menu",
      onBlur: (o) => !o.currentTarget.contains(o.relatedTarget) && s(),
      onKeyDown: (o) => {
        o.key === "Escape" && (s(), n.current?.querySelector("summary")?.focus());
      },
      children: [
        /* @__PURE__ */ i.jsx("summary", { className: "button small", children: e }),
        /* @__PURE__ */ i.jsx("div", { className: "kg-popover", children: t })
      ]
    }
  );
}
function Ps({ project: e, onAdded: t }) {
  const n = L((o) => o.typeRanks), s = async (o) => {
    const r = new FormData(o), c = String(r.get("label")).trim();
    if (c === "") return;
    const a = await ja(e, c, String(r.get("type")).trim() || "note");
    a !== null && (o.reset(), o.closest("details")?.removeAttribute("open"), setTimeout(() => t(a), 80));
  };
  return /* @__PURE__ */ i.jsx(Fs, { name: "Add node", children: /* @__PURE__ */ i.jsxs(
    "form",
    {
      className: "kg-form",
      onSubmit: (o) => {
        o.preventDefault(), s(o.currentTarget).catch(F);
      },
      children: [
        /* @__PURE__ */ i.jsx("input", { className: "field", name: "label", "aria-label": "Label", placeholder: "Label", required: !0 }),
        /* @__PURE__ */ i.jsx("input", { className: "field", name: "type", "aria-label": "Type", placeholder: "Type", list: "kg-types" }),
        /* @__PURE__ */ i.jsx("datalist", { id: "kg-types", children: [...n.keys()].map((o) => /* @__PURE__ */ i.jsx("option", { value: o }, o)) }),
        /* @__PURE__ */ i.jsx("button", { className: "button small primary", children: "Add" })
      ]
    }
  ) });
}
const Pa = 26;
function Ia({ knowledge: e, places: t, rank: n, isShown: s }) {
  const o = e.ends().filter((h) => t.has(h) && s(h)), r = new Map(o.map((h, f) => [h, f])), c = o.length, a = {
    ids: o,
    index: r,
    labels: o.map((h) => z(e.label(h), Pa)),
    places: new Float32Array(c * 2),
    radii: new Float32Array(c),
    ranks: new Int16Array(c),
    isFunction: new Uint8Array(c),
    isDangling: new Uint8Array(c),
    edges: [],
    byDegree: new Uint32Array(c),
    spacing: 70
  }, l = new Float32Array(c);
  o.forEach((h, f) => {
    a.places.set(t.get(h) ?? [0, 0], f * 2), l[f] = e.degree(h), a.radii[f] = Math.min(5 + 1.5 * Math.sqrt(e.degree(h)), 18), a.ranks[f] = n(h), a.isFunction[f] = e.nodes.has(h) ? 0 : 1, a.isDangling[f] = e.dangling.has(h) ? 1 : 0;
  });
  for (const h of e.edges.values()) {
    const f = r.get(h.source), d = r.get(h.target);
    f !== void 0 && d !== void 0 && a.edges.push({ id: h.id, source: f, target: d });
  }
  a.byDegree.set(o.map((h, f) => f).sort((h, f) => (l[f] ?? 0) - (l[h] ?? 0)));
  const u = Is(a);
  return c > 1 && u && (a.spacing = Math.max(Math.sqrt((u.right - u.left + 70) * (u.bottom - u.top + 70) / c), 1)), a;
}
function Is(e, t) {
  const n = { left: 1 / 0, right: -1 / 0, top: 1 / 0, bottom: -1 / 0 };
  for (const s of t ?? e.ids.keys()) {
    const [o, r] = re(e, s);
    n.left = Math.min(n.left, o), n.right = Math.max(n.right, o), n.top = Math.min(n.top, r), n.bottom = Math.max(n.bottom, r);
  }
  return n.left <= n.right ? n : null;
}
function re(e, t) {
  return [e.places[t * 2] ?? 0, e.places[t * 2 + 1] ?? 0];
}
function za(e, t, n, s = 0, o = 1.6) {
  const r = Math.min(56, t * 0.12), c = t - s, a = Math.max(Math.min((c - 2 * r) / Math.max(e.right - e.left, 1), (n - 2 * r) / Math.max(e.bottom - e.top, 1), o), 1e-4);
  return { x: (e.left + e.right) / 2 - s / 2 / a, y: (e.top + e.bottom) / 2, zoom: a };
}
function zs(e, t) {
  const n = e.spacing * t.zoom;
  return Math.min(Math.max(n / 52, 0.22), 1.15);
}
function sn(e, t, n) {
  return Math.max((e.radii[n] ?? 5) * zs(e, t), 1.6);
}
function on(e, t, n, s, o = 4) {
  let r = null, c = 1 / 0;
  for (let a = 0; a < e.ids.length; a++) {
    const l = ((e.places[a * 2] ?? 0) - t.x) * t.zoom - n, u = ((e.places[a * 2 + 1] ?? 0) - t.y) * t.zoom - s, h = Math.hypot(l, u) - sn(e, t, a);
    h < o && h < c && ([r, c] = [a, h]);
  }
  return r;
}
function Ba(e, t, n, s, o = 5) {
  let r = null, c = o;
  const [a, l] = [n / t.zoom + t.x, s / t.zoom + t.y];
  return e.edges.forEach((u, h) => {
    const [f, d] = re(e, u.source), [p, x] = re(e, u.target), [m, v] = [p - f, x - d], y = Math.min(Math.max(((a - f) * m + (l - d) * v) / (m * m + v * v || 1), 0), 1), _ = Math.hypot(f + y * m - a, d + y * v - l) * t.zoom;
    _ < c && ([r, c] = [h, _]);
  }), r;
}
function Ua(e, t, n, s) {
  const [o, r] = re(e, t);
  let c = null, a = 1 / 0;
  for (let l = 0; l < e.ids.length; l++) {
    const [u, h] = [(e.places[l * 2] ?? 0) - o, (e.places[l * 2 + 1] ?? 0) - r], f = u * n + h * s, d = Math.abs(u * s - h * n);
    if (l === t || f <= d * 0.5) continue;
    const p = f + 2 * d;
    p < a && ([c, a] = [l, p]);
  }
  return c;
}
function Ha(e, t, n) {
  if (e.isDangling[t]) return n.bad;
  const s = e.ranks[t] ?? -1;
  return s < 0 ? n.quiet : fs(s, n);
}
const Ga = 132, Wa = 34, Bs = 140, Us = 16, Va = 15;
function Hs(e, [t, n, s, o]) {
  return !e.some((r) => t < r[2] && s > r[0] && n < r[3] && o > r[1]);
}
function Ka(e, t, n, s, o, r, c = []) {
  const a = [n.hovered, n.selected, n.start].filter((m) => m !== null), l = [...n.path, ...n.nodes ?? []], u = [], h = /* @__PURE__ */ new Set(), f = 2 ** Math.round(Math.log2(t.zoom)), d = /* @__PURE__ */ new Set(), p = (m, v) => {
    if (h.has(m)) return;
    h.add(m);
    const [y, _] = re(e, m), b = (y - t.x) * t.zoom + s / 2, C = (_ - t.y) * t.zoom + o / 2;
    if (b < -40 || b > s + 40 || C < -20 || C > o + 20) return;
    if (!v) {
      const S = Math.floor(y * f / Ga) * 1e6 + Math.floor(_ * f / Wa);
      if (d.has(S)) return;
      d.add(S);
    }
    const M = r(m) / 2 + 3, N = C + sn(e, t, m) + 3, w = [b - M, N, b + M, N + Va];
    !Hs(c, w) && !a.includes(m) || (c.push(w), u.push({ at: m, x: b, y: N }));
  }, x = n.nodes ? l : [...e.byDegree.slice(0, Us)];
  if (x.length <= Us)
    for (const m of x) {
      const [v, y] = re(e, m), _ = sn(e, t, m), [b, C] = [(v - t.x) * t.zoom + s / 2, (y - t.y) * t.zoom + o / 2];
      _ > 3 && c.push([b - _, C - _, b + _, C + _]);
    }
  for (const m of a) p(m, !0);
  for (const m of l) u.length < Bs && p(m, !0);
  if (!n.nodes)
    for (const m of e.byDegree) {
      if (u.length >= Bs) break;
      p(m, !1);
    }
  return u;
}
const rt = /* @__PURE__ */ new Map();
function qa(e, t, n, s, o, r, c, a) {
  e.clearRect(0, 0, r, c), e.font = `12px ${a}`, e.textAlign = "center", e.textBaseline = "top", e.lineJoin = "round", e.lineWidth = 3;
  const l = (h) => {
    const f = t.labels[h] ?? "";
    let d = rt.get(f);
    return d === void 0 && (rt.size > 5e4 && rt.clear(), d = e.measureText(f).width, rt.set(f, d)), d;
  };
  e.strokeStyle = Ce(o.ground, 0.9);
  const u = [];
  for (const { at: h, x: f, y: d } of Ka(t, n, s, r, c, l, u)) {
    const p = h === s.selected || h === s.hovered || s.path.has(h), x = t.labels[h] ?? "";
    e.strokeText(x, f, d), e.fillStyle = t.isDangling[h] ? Ce(o.bad) : Ce(o.text, p ? 1 : 0.82), e.fillText(x, f, d);
  }
  return u;
}
function Xa(e, t, n, s, o, r, c, a, l) {
  e.font = `11px ${a}`, e.textAlign = "center", e.textBaseline = "middle", e.lineWidth = 4, e.strokeStyle = Ce(o.ground, 0.95), e.fillStyle = Ce(o.quiet);
  for (const { source: u, target: h, text: f } of s) {
    const [d, p] = re(t, u), [x, m] = re(t, h), v = Math.hypot(x - d, m - p) * n.zoom, y = e.measureText(f).width / 2;
    if (v < y * 2 + 44) continue;
    const _ = ((d + x) / 2 - n.x) * n.zoom + r / 2, b = ((p + m) / 2 - n.y) * n.zoom + c / 2, C = [_ - y - 2, b - 7, _ + y + 2, b + 7];
    Hs(l, C) && (l.push(C), e.strokeText(f, _, b), e.fillText(f, _, b));
  }
}
const Ya = `#version 300 es
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
}`, Za = `#version 300 es
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
}`, Ja = `#version 300 es
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
}`, Qa = `#version 300 es
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
}`, we = 6, Ae = 8, ec = 4e3;
function Gs(e, t, n) {
  const s = e.createProgram();
  for (const [o, r] of [[e.VERTEX_SHADER, t], [e.FRAGMENT_SHADER, n]]) {
    const c = e.createShader(o);
    if (!c) throw new Error("WebGL has no room for a shader");
    e.shaderSource(c, r), e.compileShader(c), e.attachShader(s, c);
  }
  if (e.linkProgram(s), !e.getProgramParameter(s, e.LINK_STATUS)) throw new Error(e.getProgramInfoLog(s) ?? "the shader does not link");
  return s;
}
function Ws(e, t) {
  const n = e.filter(t);
  return n.length === 0 ? e : [...e.filter((s) => !t(s)), ...n];
}
function Vs(e, t) {
  return Object.fromEntries(["camera", "size", "factor", "pixel", "arrows", "ground"].map((s) => [s, e.getUniformLocation(t, s)]));
}
function je([e, t, n], s) {
  return (Math.round(s * 255) << 24 | n << 16 | t << 8 | e) >>> 0;
}
function tc(e) {
  const t = e.getContext("webgl2", { antialias: !1, alpha: !1, preserveDrawingBuffer: !1 });
  if (!t) return null;
  const n = Gs(t, Ya, Za), s = Gs(t, Ja, Qa), o = Vs(t, n), r = Vs(t, s), c = t.createBuffer();
  t.bindBuffer(t.ARRAY_BUFFER, c), t.bufferData(t.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), t.STATIC_DRAW);
  const a = (m, v, y, _, b) => {
    t.enableVertexAttribArray(m), t.vertexAttribPointer(m, v, y, y === t.UNSIGNED_BYTE, _, b), t.vertexAttribDivisor(m, 1);
  }, l = (m, v) => {
    const y = t.createVertexArray();
    return t.bindVertexArray(y), t.bindBuffer(t.ARRAY_BUFFER, c), t.enableVertexAttribArray(0), t.vertexAttribPointer(0, 2, t.FLOAT, !1, 0, 0), t.bindBuffer(t.ARRAY_BUFFER, m), v(), t.bindVertexArray(null), y;
  }, u = t.createBuffer(), h = t.createBuffer(), f = l(u, () => {
    a(1, 2, t.FLOAT, we * 4, 0), a(2, 1, t.FLOAT, we * 4, 8), a(3, 4, t.UNSIGNED_BYTE, we * 4, 12), a(4, 4, t.UNSIGNED_BYTE, we * 4, 16), a(5, 1, t.FLOAT, we * 4, 20);
  }), d = l(h, () => {
    a(1, 4, t.FLOAT, Ae * 4, 0), a(2, 2, t.FLOAT, Ae * 4, 16), a(3, 4, t.UNSIGNED_BYTE, Ae * 4, 24), a(4, 1, t.FLOAT, Ae * 4, 28);
  });
  function p(m, v, y, _) {
    const b = new Float32Array(m.ids.length * we), C = new Uint32Array(b.buffer), M = (k) => !v.nodes || v.nodes.has(k);
    Ws([...m.ids.keys()], (k) => v.nodes !== null && M(k)).forEach((k, T) => {
      const I = T * we;
      b[I] = m.places[k * 2] ?? 0, b[I + 1] = m.places[k * 2 + 1] ?? 0, b[I + 2] = m.radii[k] ?? 5, C[I + 3] = je(Ha(m, k, y), M(k) ? 1 : 0.16);
      const U = _.get(k) ?? 0, ae = k === v.selected || k === v.start || v.path.has(k);
      C[I + 4] = ae ? je(y.accent, 1) : k === v.hovered ? je(y.text, 0.7) : je(y.agent, U), b[I + 5] = m.isFunction[k] ?? 0;
    }), t?.bindBuffer(t.ARRAY_BUFFER, u), t?.bufferData(t.ARRAY_BUFFER, b, t.DYNAMIC_DRAW);
    const w = new Float32Array(m.edges.length * Ae), S = new Uint32Array(w.buffer), { selected: j, hovered: A } = v, O = ({ source: k, target: T }) => j !== null && (k === j || T === j) || A !== null && (k === A || T === A), W = ({ id: k }) => v.pathEdges.has(k) || v.selectedEdge === k, V = Ws(m.edges, (k) => O(k) || W(k)), $ = m.edges.length > 6e3 ? 0.3 : m.edges.length > 1e3 ? 0.6 : 0.9;
    V.forEach((k, T) => {
      const I = T * Ae, U = W(k), ae = O(k);
      w[I] = m.places[k.source * 2] ?? 0, w[I + 1] = m.places[k.source * 2 + 1] ?? 0, w[I + 2] = m.places[k.target * 2] ?? 0, w[I + 3] = m.places[k.target * 2 + 1] ?? 0, w[I + 4] = m.radii[k.source] ?? 5, w[I + 5] = m.radii[k.target] ?? 5, S[I + 6] = U ? je(y.accent, 1) : ae ? je(y.quiet, 0.9) : je(y.edge, v.nodes ? $ * 0.35 : $), w[I + 7] = U ? 2.5 : 1.2;
    }), t?.bindBuffer(t.ARRAY_BUFFER, h), t?.bufferData(t.ARRAY_BUFFER, w, t.DYNAMIC_DRAW);
  }
  function x(m, v, y, _, b, C) {
    if (!t || t.isContextLost()) return;
    t.viewport(0, 0, Math.round(_ * C), Math.round(b * C));
    const [M, N, w] = y.ground.map((A) => A / 255);
    t.clearColor(M, N, w, 1), t.clear(t.COLOR_BUFFER_BIT), t.enable(t.BLEND), t.blendFunc(t.ONE, t.ONE_MINUS_SRC_ALPHA);
    const S = zs(m, v), j = (A, O) => {
      t.useProgram(A), t.uniform3f(O.camera, v.x, v.y, v.zoom), t.uniform2f(O.size, _, b), t.uniform1f(O.factor, S), t.uniform1f(O.pixel, 0.7 / C);
    };
    j(s, r), t.uniform1f(r.arrows, m.edges.length <= ec || S > 0.8 ? Math.min(S, 1) : 0), t.bindVertexArray(d), t.drawArraysInstanced(t.TRIANGLE_STRIP, 0, 4, m.edges.length), j(n, o), t.uniform3f(o.ground, M, N, w), t.bindVertexArray(f), t.drawArraysInstanced(t.TRIANGLE_STRIP, 0, 4, m.ids.length), t.bindVertexArray(null);
  }
  return { load: p, draw: x };
}
const Ks = 140, rn = () => matchMedia("(prefers-reduced-motion: reduce)").matches, qs = (e) => 1 - (1 - e) ** 3, nc = () => ({
  ids: [],
  index: /* @__PURE__ */ new Map(),
  labels: [],
  places: new Float32Array(),
  radii: new Float32Array(),
  ranks: new Int16Array(),
  isFunction: new Uint8Array(),
  isDangling: new Uint8Array(),
  edges: [],
  byDegree: new Uint32Array(),
  spacing: 70
});
class sc {
  constructor(t, n, s) {
    this.canvas = t, this.overlay = n, this.paint = s, this.theme = Ut(n.parentElement ?? document.body), this.font = getComputedStyle(n).fontFamily;
  }
  canvas;
  overlay;
  paint;
  scene = nc();
  camera = { x: 0, y: 0, zoom: 1 };
  hovered = null;
  theme;
  width = 1;
  height = 1;
  /** Places of nodes on their way to a new layout. */
  journey = null;
  flight = null;
  frame = 0;
  isStale = !0;
  font;
  resize(t, n) {
    const s = window.devicePixelRatio || 1, o = this.width === 1;
    [this.width, this.height] = [t, n];
    for (const r of [this.canvas, this.overlay])
      r.width = Math.round(t * s), r.height = Math.round(n * s);
    o && this.fitAll(!1), this.draw();
  }
  setScene(t, n) {
    const s = this.scene;
    if (this.scene = t, this.hovered = null, n && !rn() && s.ids.length > 0) {
      const o = t.places.slice();
      t.ids.forEach((r, c) => {
        const a = s.index.get(r);
        a !== void 0 && t.places.set(re(s, a), c * 2);
      }), this.journey = { from: t.places.slice(), to: o, began: performance.now() };
    } else
      this.journey = null;
    this.invalidate();
  }
  invalidate() {
    this.isStale = !0, this.request();
  }
  request() {
    this.frame ||= requestAnimationFrame((t) => {
      this.frame = 0, this.step(t);
    });
  }
  end() {
    cancelAnimationFrame(this.frame);
  }
  moveTo(t, n) {
    n && !rn() ? this.flight = { from: this.camera, to: t, began: performance.now() } : (this.flight = null, this.camera = t), this.request();
  }
  fitAll(t, n) {
    const s = this.journey ? { ...this.scene, places: this.journey.to } : this.scene, o = Is(s, n);
    o && this.moveTo(za(o, this.width, this.height, this.legendWidth()), t);
  }
  /** The legend covers the left; everything else is fitted beside it. */
  legendWidth() {
    return this.width > 640 ? 196 : 0;
  }
  step(t) {
    if (this.journey) {
      const { from: s, to: o, began: r } = this.journey, c = Math.min((t - r) / Ks, 1);
      for (let a = 0; a < o.length; a++) this.scene.places[a] = (s[a] ?? 0) + ((o[a] ?? 0) - (s[a] ?? 0)) * qs(Math.max(c, 0));
      c >= 1 && (this.journey = null), this.isStale = !0;
    }
    if (this.flight) {
      const { from: s, to: o, began: r } = this.flight, c = Math.min(Math.max((t - r) / Ks, 0), 1), a = (l, u) => l + (u - l) * qs(c);
      this.camera = { x: a(s.x, o.x), y: a(s.y, o.y), zoom: Math.exp(a(Math.log(s.zoom), Math.log(o.zoom))) }, c >= 1 && (this.flight = null);
    }
    const n = this.glows();
    (this.isStale || n.size > 0) && (this.paint.load(this.scene, this.emphasis(), this.theme, n), this.isStale = n.size > 0), this.draw(), (this.journey || this.flight || this.isStale) && this.request();
  }
  glows() {
    const t = performance.now(), n = /* @__PURE__ */ new Map();
    for (const [s, o] of L.getState().glows) {
      const r = (t - o) / bs, c = this.scene.index.get(s);
      r < 1 && c !== void 0 && n.set(c, rn() ? 0.8 : (1 - r) ** 0.7);
    }
    return n;
  }
  emphasis() {
    const { selection: t, path: n, start: s, knowledge: o } = L.getState(), r = (d) => d == null ? null : this.scene.index.get(d) ?? null, c = (d) => new Set(d.flatMap((p) => this.scene.index.get(p) ?? [])), a = t?.kind === "node" ? r(t.id) : null, l = t?.kind === "edge" ? t.id : null, u = l === null ? void 0 : o.edges.get(l), h = c(n?.nodes ?? []);
    let f = null;
    if (n) f = h;
    else if (u) f = c([u.source, u.target]);
    else if (a !== null && t) {
      const d = o.edgesAt(t.id).map(({ source: p, target: x }) => p === t.id ? x : p);
      f = c([t.id, ...d]);
    }
    return { nodes: f, selected: a, selectedEdge: l, hovered: this.hovered, path: h, pathEdges: new Set(n?.edges), start: r(s) };
  }
  draw() {
    const t = window.devicePixelRatio || 1, { scene: n, camera: s, theme: o, width: r, height: c } = this;
    this.paint.draw(n, s, o, r, c, t);
    const a = this.overlay.getContext("2d");
    if (!a) return;
    const l = this.emphasis();
    a.setTransform(t, 0, 0, t, 0, 0);
    const u = qa(a, n, s, l, o, r, c, this.font), h = (p, x) => p === l.selected || x === l.selected, f = n.edges.filter((p) => l.pathEdges.has(p.id) || p.id === l.selectedEdge || !l.path.size && h(p.source, p.target)), { edges: d } = L.getState().knowledge;
    if (f.length > 0 && f.length <= 40) {
      const p = f.map(({ id: x, source: m, target: v }) => ({ source: m, target: v, text: z(d.get(x)?.type ?? "", 24) }));
      Xa(a, n, s, p, o, r, c, this.font, u);
    }
  }
}
function Xs() {
  const e = L.getState(), { knowledge: t, places: n, communities: s, typeRanks: o } = e;
  return Ia({ knowledge: t, places: n, rank: (c) => {
    if (s) return s.member.get(c) ?? -1;
    const a = t.nodes.get(c)?.types.find((l) => !e.hiddenTypes.has(l));
    return a === void 0 ? -1 : o.get(a) ?? -1;
  }, isShown: (c) => ya(e, c) });
}
function oc({ project: e, ref: t, onSearch: n }) {
  const s = g.useRef(null), o = g.useRef(null), r = g.useRef(null), c = g.useRef(null), a = g.useRef(/* @__PURE__ */ new Map()), [l, u] = g.useState(!1), [h, f] = g.useState(""), d = L((N) => N.isHeld);
  g.useEffect(() => {
    if (!s.current || !o.current) return;
    const N = tc(s.current);
    if (!N) {
      u(!0);
      return;
    }
    const w = new sc(s.current, o.current, N);
    r.current = w, w.setScene(Xs(), !1);
    const S = new ResizeObserver(([k]) => k && w.resize(k.contentRect.width, k.contentRect.height));
    S.observe(o.current);
    const j = () => {
      w.theme = Ut(o.current?.parentElement ?? document.body), w.invalidate();
    }, A = matchMedia("(prefers-color-scheme: dark)");
    A.addEventListener("change", j);
    const O = new MutationObserver(j);
    O.observe(document.documentElement, { attributes: !0, attributeFilter: ["data-theme"] });
    const W = () => location.reload();
    s.current.addEventListener("webglcontextrestored", W);
    let V = L.getState().places;
    const $ = L.subscribe((k, T) => {
      const I = k.version === T.version && k.focus === T.focus && k.hiddenTypes === T.hiddenTypes && k.communities === T.communities && k.typeRanks === T.typeRanks, U = k.places !== V, ae = w.scene.ids.length === 0;
      I || (w.setScene(Xs(), U && !k.isHeld), k.version !== T.version && (V = k.places)), (U && !I || ae && w.scene.ids.length > 0 || k.focus !== T.focus) && w.fitAll(!T.isHeld && !ae), w.invalidate();
    });
    return () => {
      $(), w.end(), S.disconnect(), O.disconnect(), A.removeEventListener("change", j), r.current = null;
    };
  }, []);
  const p = (N) => {
    const w = r.current, S = w?.scene.index.get(N);
    if (!w || S === void 0) return;
    const [j, A] = re(w.scene, S);
    w.moveTo({ x: j, y: A, zoom: Math.max(w.camera.zoom, Math.min(60 / w.scene.spacing, 1.6)) }, !0);
  }, x = (N, w = 0, S = 0) => {
    const j = r.current;
    if (!j) return;
    const { camera: A } = j, O = Math.min(Math.max(A.zoom * N, 1e-4), 8), W = 1 / A.zoom - 1 / O;
    j.moveTo({ x: A.x + w * W, y: A.y + S * W, zoom: O }, !1);
  }, m = () => new Promise((N) => {
    const w = r.current;
    if (!w) return N(null);
    w.draw();
    const S = document.createElement("canvas");
    S.width = w.canvas.width, S.height = w.canvas.height;
    const j = S.getContext("2d");
    j?.drawImage(w.canvas, 0, 0), j?.drawImage(w.overlay, 0, 0), S.toBlob(N);
  });
  g.useImperativeHandle(t, () => ({ flyTo: p, fitAll: () => r.current?.fitAll(!0), zoomBy: x, png: m })), g.useEffect(() => {
    const N = o.current, w = (S) => {
      S.preventDefault();
      const j = N?.getBoundingClientRect();
      if (!j) return;
      const A = S.deltaMode === 1 ? S.deltaY * 16 : S.deltaY;
      x(Math.exp(-A * (S.ctrlKey ? 0.01 : 18e-4)), S.clientX - j.left - j.width / 2, S.clientY - j.top - j.height / 2);
    };
    return N?.addEventListener("wheel", w, { passive: !1 }), () => N?.removeEventListener("wheel", w);
  }, []);
  const v = (N) => {
    const w = o.current?.getBoundingClientRect();
    return w ? [N.clientX - w.left - w.width / 2, N.clientY - w.top - w.height / 2] : [0, 0];
  }, y = (N) => {
    const w = r.current;
    if (!w || N.button !== 0) return;
    N.currentTarget.setPointerCapture(N.pointerId);
    const [S, j] = v(N);
    a.current.set(N.pointerId, [S, j]), c.current = a.current.size > 1 ? null : { x: S, y: j, node: on(w.scene, w.camera, S, j), isMoved: !1 };
  }, _ = (N) => {
    const w = r.current;
    if (!w) return;
    const [S, j] = v(N), A = a.current.get(N.pointerId);
    if (A && a.current.size === 2) {
      const [V = [0, 0]] = [...a.current].filter(([k]) => k !== N.pointerId).map(([, k]) => k), $ = (k) => Math.hypot(k[0] - (V[0] ?? 0), k[1] - (V[1] ?? 0));
      x($([S, j]) / Math.max($(A), 1), ((V[0] ?? 0) + S) / 2, ((V[1] ?? 0) + j) / 2);
    }
    A && a.current.set(N.pointerId, [S, j]);
    const O = c.current;
    if (O) {
      if (!O.isMoved && Math.hypot(S - O.x, j - O.y) < 4) return;
      O.isMoved = !0;
      const [V, $] = [(S - O.x) / w.camera.zoom, (j - O.y) / w.camera.zoom];
      if ([O.x, O.y] = [S, j], O.node === null)
        w.moveTo({ ...w.camera, x: w.camera.x - V, y: w.camera.y - $ }, !1);
      else {
        const [k, T] = re(w.scene, O.node);
        w.scene.places.set([k + V, T + $], O.node * 2), w.invalidate();
      }
      return;
    }
    const W = on(w.scene, w.camera, S, j);
    N.currentTarget.style.cursor = W === null ? "" : "pointer", W !== w.hovered && (w.hovered = W, w.invalidate());
  }, b = (N) => {
    a.current.delete(N.pointerId);
    const w = r.current, S = c.current;
    if (c.current = null, !w || !S) return;
    const j = S.node === null ? null : w.scene.ids[S.node] ?? null;
    if (S.isMoved) {
      if (S.node === null || j === null) return;
      const A = re(w.scene, S.node);
      L.getState().places.set(j, A), L.getState().arrangement === "stored" && L.getState().knowledge.nodes.has(j) && Es(e, j, { position: A });
      return;
    }
    if (j !== null) C(j, N.shiftKey);
    else {
      const A = Ba(w.scene, w.camera, S.x, S.y), O = A === null ? void 0 : w.scene.edges[A]?.id;
      O === void 0 && L.getState().path && Jt(), ge(O === void 0 ? null : { kind: "edge", id: O });
    }
  }, C = (N, w) => {
    const { start: S, selection: j } = L.getState();
    S !== null ? Be(N).catch(F) : w && j?.kind === "node" && j.id !== N && Be(j.id).then(() => Be(N)).catch(F), ge({ kind: "node", id: N });
    const { knowledge: A } = L.getState();
    f(`${z(A.label(N), 80)}, ${A.nodes.get(N)?.types.join(", ") ?? "function"}, ${A.degree(N)} edges`);
  }, M = (N) => {
    const w = r.current;
    if (!w || N.ctrlKey || N.metaKey || N.altKey) return;
    const { selection: S } = L.getState(), j = S?.kind === "node" ? S.id : null, A = j === null ? void 0 : w.scene.index.get(j), W = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[N.key];
    if (W && N.shiftKey)
      w.moveTo({ ...w.camera, x: w.camera.x + W[0] * 80 / w.camera.zoom, y: w.camera.y + W[1] * 80 / w.camera.zoom }, !1);
    else if (W) {
      const V = A === void 0 ? w.scene.byDegree[0] : Ua(w.scene, A, ...W), $ = V == null ? void 0 : w.scene.ids[V];
      if ($ === void 0) return;
      C($, !1);
      const [k, T] = re(w.scene, V ?? 0);
      (Math.abs(k - w.camera.x) * w.camera.zoom > w.width / 2 - 60 || Math.abs(T - w.camera.y) * w.camera.zoom > w.height / 2 - 60) && w.moveTo({ ...w.camera, x: k, y: T }, !0);
    } else if (N.key === "+" || N.key === "=") x(1.3);
    else if (N.key === "-") x(1 / 1.3);
    else if (N.key === "0") w.fitAll(!0);
    else if (N.key === "/") n();
    else if (N.key === "Escape") {
      const { path: V, start: $ } = L.getState();
      V || $ ? Jt() : S ? ge(null) : Yt();
    } else if (j !== null && N.key === "p") Be(j).catch(F);
    else if (j !== null && N.key === "f") Xt(j).catch(F);
    else if (j !== null && N.key === "e") qt(j).catch(F);
    else if (j !== null && N.key === "Enter") document.querySelector(".kg-details input, .kg-details button")?.focus();
    else return;
    N.preventDefault();
  };
  return l ? /* @__PURE__ */ i.jsx("p", { className: "kg-note", children: "This browser has no WebGL2, so the graph cannot be drawn. The table shows the same nodes and edges." }) : /* @__PURE__ */ i.jsxs("div", { className: "kg-canvas", "data-held": d, children: [
    /* @__PURE__ */ i.jsx("canvas", { ref: s }),
    /* @__PURE__ */ i.jsx(
      "canvas",
      {
        ref: o,
        tabIndex: 0,
        role: "application",
        "aria-label": "Knowledge graph. Arrow keys go from node to node, Enter opens the details, F focuses, E expands, P picks the ends of a path, slash searches.",
        onPointerDown: y,
        onPointerMove: _,
        onPointerUp: b,
        onPointerCancel: b,
        onPointerLeave: () => {
          const N = r.current;
          N && N.hovered !== null && (N.hovered = null, N.invalidate());
        },
        onDoubleClick: (N) => {
          const w = r.current, S = w && on(w.scene, w.camera, ...v(N)), j = S == null ? void 0 : w?.scene.ids[S];
          j !== void 0 && Xt(j).catch(F);
        },
        onKeyDown: M
      }
    ),
    /* @__PURE__ */ i.jsx("p", { className: "visually-hidden", role: "status", children: h })
  ] });
}
function ic({ project: e, onAdded: t }) {
  return /* @__PURE__ */ i.jsxs("div", { className: "kg-empty", children: [
    /* @__PURE__ */ i.jsx("h2", { children: "Nothing is known here yet" }),
    /* @__PURE__ */ i.jsx("p", { children: "The knowledge graph keeps what stands behind a design: requirements, reasons, sources, measurements. Each is a node; edges say how they hang together, and tie them to the functions that they are about." }),
    /* @__PURE__ */ i.jsxs("div", { className: "kg-actions", children: [
      /* @__PURE__ */ i.jsxs("label", { className: "button primary", children: [
        "Import a file",
        /* @__PURE__ */ i.jsx(
          "input",
          {
            type: "file",
            className: "visually-hidden",
            onChange: (n) => {
              const [s] = n.target.files ?? [];
              s && Cs(e, s).catch(F);
            }
          }
        )
      ] }),
      /* @__PURE__ */ i.jsx(Ps, { project: e, onAdded: t })
    ] }),
    /* @__PURE__ */ i.jsx("p", { className: "kg-quiet", children: "Or drop one here: JSON-LD, GraphML, GEXF, CSV, Cytoscape, DOT, Mermaid, memory.jsonl." }),
    /* @__PURE__ */ i.jsxs("p", { className: "kg-quiet", children: [
      "Agents write to it with ",
      /* @__PURE__ */ i.jsx("code", { children: "add_nodes" }),
      " and ",
      /* @__PURE__ */ i.jsx("code", { children: "add_edges" }),
      "; what they add appears at once."
    ] })
  ] });
}
const an = 9;
function Ys() {
  const [e, t] = g.useState(null);
  return g.useEffect(() => {
    const n = () => t(Ut(document.body));
    n();
    const s = matchMedia("(prefers-color-scheme: dark)");
    s.addEventListener("change", n);
    const o = new MutationObserver(n);
    return o.observe(document.documentElement, { attributes: !0, attributeFilter: ["data-theme"] }), () => {
      s.removeEventListener("change", n), o.disconnect();
    };
  }, []), e;
}
function rc() {
  const { knowledge: e, version: t, typeRanks: n, hiddenTypes: s, communities: o } = L(), r = Ys(), [c, a] = g.useState(!1), l = g.useMemo(() => {
    const d = /* @__PURE__ */ new Map();
    for (const p of e.nodes.values()) for (const x of p.types) d.set(x, (d.get(x) ?? 0) + 1);
    return d;
  }, [e, t]);
  if (!r || l.size === 0) return null;
  const u = [...n].filter(([d]) => l.has(d)).sort((d, p) => d[1] - p[1]), h = o ? o.sizes.map((d, p) => ({ name: `Community ${p + 1}`, rank: p, size: d })) : u.map(([d, p]) => ({ name: d, rank: p, size: l.get(d) ?? 0 })), f = c ? 60 : an;
  return /* @__PURE__ */ i.jsxs("section", { className: "kg-legend", "aria-label": "Legend", children: [
    /* @__PURE__ */ i.jsxs("div", { className: "segments", role: "group", "aria-label": "Colours", children: [
      /* @__PURE__ */ i.jsx("button", { "aria-pressed": !o, onClick: () => {
        Ss(!1);
      }, children: "Types" }),
      /* @__PURE__ */ i.jsx("button", { "aria-pressed": o !== null, onClick: () => {
        Ss(!0).catch(F);
      }, title: "Groups of nodes that are linked more with each other than with others", children: "Communities" })
    ] }),
    /* @__PURE__ */ i.jsx("ul", { children: h.slice(0, f).map(({ name: d, rank: p, size: x }) => {
      const m = /* @__PURE__ */ i.jsx("i", { style: { background: Ce(fs(p, r)) } }), v = /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
        m,
        /* @__PURE__ */ i.jsx("span", { className: "clip", children: z(d, 40) }),
        /* @__PURE__ */ i.jsx("small", { children: x.toLocaleString("en") })
      ] });
      return /* @__PURE__ */ i.jsx("li", { children: o ? /* @__PURE__ */ i.jsx("span", { className: "kg-row", children: v }) : /* @__PURE__ */ i.jsx("button", { className: "kg-row", "aria-pressed": !s.has(d), title: `${z(d, 80)}: click to hide or show, double click to show alone`, onClick: (y) => y.detail < 2 && Zt(d), onDoubleClick: () => Zt(d, !0), children: v }) }, d);
    }) }),
    h.length > an && /* @__PURE__ */ i.jsx("button", { className: "button plain small", "aria-expanded": c, onClick: () => a(!c), children: c ? "Fewer" : `${h.length - an} more` }),
    o && /* @__PURE__ */ i.jsxs("small", { className: "kg-quiet", title: "1 would be groups without any edge between them. Members that the server does not list are assigned by their edges.", children: [
      "Modularity ",
      o.modularity.toFixed(2)
    ] }),
    !o && s.size > 0 && /* @__PURE__ */ i.jsx("button", { className: "button plain small", onClick: () => [...s].forEach((d) => Zt(d)), children: "Show all types" })
  ] });
}
const ac = 120;
function cc({ project: e, onPick: t, ref: n }) {
  const [s, o] = g.useState(""), [r, c] = g.useState(null), [a, l] = g.useState(0), u = g.useId();
  g.useEffect(() => {
    if (s.trim() === "") return c(null);
    const d = new AbortController(), p = setTimeout(() => {
      P.post("/api/graph/{project}/search", { path: { project: e }, body: { query: s, limit: 12 }, signal: d.signal }).then((x) => {
        c(x), l(0);
      }).catch((x) => {
        d.signal.aborted || F(x);
      });
    }, ac);
    return () => {
      clearTimeout(p), d.abort();
    };
  }, [e, s]);
  const h = (d) => {
    d !== void 0 && (o(""), t(d));
  }, f = (d) => {
    const p = r?.nodes.length ?? 0;
    if (d.key === "ArrowDown") l(Math.min(a + 1, p - 1));
    else if (d.key === "ArrowUp") l(Math.max(a - 1, 0));
    else if (d.key === "Enter") h(r?.nodes[a]?.id);
    else if (d.key === "Escape") o("");
    else return;
    d.preventDefault(), d.stopPropagation();
  };
  return /* @__PURE__ */ i.jsxs("search", { className: "kg-search", children: [
    /* @__PURE__ */ i.jsx(
      "input",
      {
        ref: n,
        className: "field",
        type: "search",
        placeholder: "Search the knowledge",
        "aria-label": "Search the knowledge",
        role: "combobox",
        "aria-expanded": r !== null,
        "aria-controls": u,
        "aria-activedescendant": r ? `${u}-${a}` : void 0,
        value: s,
        onChange: (d) => o(d.target.value),
        onKeyDown: f
      }
    ),
    r && /* @__PURE__ */ i.jsxs("ul", { id: u, role: "listbox", "aria-label": "Found nodes", className: "kg-popover", children: [
      r.nodes.map((d, p) => /* @__PURE__ */ i.jsxs("li", { id: `${u}-${p}`, role: "option", "aria-selected": p === a, onPointerEnter: () => l(p), onClick: () => h(d.id), children: [
        /* @__PURE__ */ i.jsxs("span", { className: "kg-hit", children: [
          /* @__PURE__ */ i.jsx("bdi", { children: z(d.label, 60) }),
          /* @__PURE__ */ i.jsx("small", { children: d.types.slice(0, 2).join(", ") })
        ] }),
        d.snippet && d.field !== "label" && /* @__PURE__ */ i.jsx("small", { className: "clip", children: z(d.snippet, 90) })
      ] }, d.id)),
      r.nodes.length === 0 && /* @__PURE__ */ i.jsxs("li", { className: "kg-quiet", children: [
        "Nothing found for \u201C",
        z(s, 40),
        "\u201D."
      ] }),
      r.total > r.nodes.length && /* @__PURE__ */ i.jsxs("li", { className: "kg-quiet", children: [
        r.total.toLocaleString("en"),
        " in all; more words narrow it."
      ] })
    ] })
  ] });
}
const at = 200, lc = ["Label", "Types", "Edges", "Observations", "Author", "Created"], uc = ["Source", "Type", "Target", "Weight", "Author", "Created"];
function dc(e) {
  return [...e.nodes.values()].map((t) => {
    const n = e.degree(t.id), s = z(t.label, 80), o = t.types.join(", ");
    return {
      id: t.id,
      cells: [s, z(o, 60), String(n), String(t.observationCount), t.creator, zt(t.created)],
      keys: [s.toLowerCase(), o.toLowerCase(), n, t.observationCount, t.creator.toLowerCase(), t.created]
    };
  });
}
function hc(e) {
  return [...e.edges.values()].map((t) => {
    const n = (r) => `${z(e.label(r), 60)}${e.dangling.has(r) ? " (dangling)" : ""}`, [s, o] = [n(t.source), n(t.target)];
    return {
      id: t.id,
      cells: [s, z(t.type, 40), o, t.weight === null ? "" : String(t.weight), t.creator, zt(t.created)],
      keys: [s.toLowerCase(), t.type.toLowerCase(), o.toLowerCase(), t.weight ?? -1 / 0, t.creator.toLowerCase(), t.created]
    };
  });
}
function fc(e, t, n) {
  const s = n ? -1 : 1;
  return [...e].sort((o, r) => {
    const [c = "", a = ""] = [o.keys[t], r.keys[t]];
    return c < a ? -s : c > a ? s : 0;
  });
}
function pc({ onPick: e }) {
  const { knowledge: t, version: n, selection: s } = L(), [o, r] = g.useState("node"), [c, a] = g.useState({ column: 0, isDescending: !1 }), [l, u] = g.useState(""), [h, f] = g.useState(at), d = g.useDeferredValue(l.trim().toLowerCase()), p = o === "node" ? lc : uc, x = g.useMemo(() => {
    const m = o === "node" ? dc(t) : hc(t), v = d === "" ? m : m.filter((y) => y.cells.some((_) => _.toLowerCase().includes(d)));
    return fc(v, c.column, c.isDescending);
  }, [t, n, o, d, c]);
  return /* @__PURE__ */ i.jsxs("div", { className: "kg-table", children: [
    /* @__PURE__ */ i.jsxs("div", { className: "kg-table-bar", children: [
      /* @__PURE__ */ i.jsx("div", { className: "segments", role: "group", "aria-label": "Rows", children: ["node", "edge"].map((m) => /* @__PURE__ */ i.jsx(
        "button",
        {
          "aria-pressed": o === m,
          onClick: () => {
            r(m), a({ column: 0, isDescending: !1 }), f(at);
          },
          children: m === "node" ? "Nodes" : "Edges"
        },
        m
      )) }),
      /* @__PURE__ */ i.jsx("input", { className: "field", "aria-label": "Filter the rows", placeholder: "Filter", value: l, onChange: (m) => u(m.target.value) }),
      /* @__PURE__ */ i.jsxs("small", { className: "kg-quiet", children: [
        x.length.toLocaleString("en"),
        " rows"
      ] })
    ] }),
    /* @__PURE__ */ i.jsxs("div", { className: "kg-scroll", tabIndex: 0, role: "region", "aria-label": o === "node" ? "Nodes" : "Edges", children: [
      /* @__PURE__ */ i.jsxs("table", { children: [
        /* @__PURE__ */ i.jsx("thead", { children: /* @__PURE__ */ i.jsx("tr", { children: p.map((m, v) => /* @__PURE__ */ i.jsx("th", { scope: "col", "aria-sort": c.column === v ? c.isDescending ? "descending" : "ascending" : "none", children: /* @__PURE__ */ i.jsxs("button", { onClick: () => a({ column: v, isDescending: c.column === v && !c.isDescending }), children: [
          m,
          /* @__PURE__ */ i.jsx("span", { "aria-hidden": "true", children: c.column === v ? c.isDescending ? " \u2193" : " \u2191" : "" })
        ] }) }, m)) }) }),
        /* @__PURE__ */ i.jsx("tbody", { children: x.slice(0, h).map((m) => /* @__PURE__ */ i.jsx("tr", { "data-selected": s?.kind === o && s.id === m.id, children: m.cells.map((v, y) => /* @__PURE__ */ i.jsx("td", { dir: "auto", children: y === 0 ? /* @__PURE__ */ i.jsx("button", { className: "kg-link", onClick: () => o === "node" ? e(m.id) : ge({ kind: "edge", id: m.id }), children: v }) : v }, y)) }, m.id)) })
      ] }),
      x.length > h && /* @__PURE__ */ i.jsxs("button", { className: "button small", onClick: () => f(h + at), children: [
        "Show ",
        Math.min(at, x.length - h),
        " more"
      ] })
    ] })
  ] });
}
const mc = { force: "Force", layered: "Layered", radial: "Radial", grid: "Grid", circle: "Circle", stored: "Stored" };
function gc({ project: e }) {
  g.useEffect(() => pa(e), [e]);
  const { status: t, knowledge: n, unloaded: s, version: o } = L(), [r, c] = g.useState(!1), [a, l] = g.useState(!1), u = g.useRef(null), h = g.useRef(null), f = (m) => {
    const { focus: v } = L.getState();
    v && !v.has(m) && Yt(), L.setState({ hiddenTypes: /* @__PURE__ */ new Set() }), ge({ kind: "node", id: m }), requestAnimationFrame(() => u.current?.flyTo(m));
  }, d = (m) => {
    m.dataTransfer.files.length !== 0 && (m.preventDefault(), m.stopPropagation(), l(!1), (async () => {
      for (const v of m.dataTransfer.files) await Cs(e, v);
    })().catch(F));
  }, p = (m) => {
    !(m.target instanceof HTMLInputElement || m.target instanceof HTMLTextAreaElement) && (m.ctrlKey || m.metaKey) && m.key.toLowerCase() === "z" && (m.preventDefault(), m.stopPropagation(), oe(m.shiftKey));
  }, x = t === "ready" && n.ends().length === 0;
  return /* @__PURE__ */ i.jsxs(
    "div",
    {
      className: "kg",
      "data-version": o,
      "data-status": t,
      onDragOver: (m) => {
        m.dataTransfer.types.includes("Files") && (m.preventDefault(), l(!0));
      },
      onDragLeave: (m) => m.currentTarget === m.target && l(!1),
      onDrop: d,
      onKeyDown: p,
      children: [
        t === "ready" && !x && /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
          /* @__PURE__ */ i.jsxs("div", { className: "kg-bar", role: "toolbar", "aria-label": "Knowledge graph", children: [
            /* @__PURE__ */ i.jsx(cc, { project: e, ref: h, onPick: f }),
            /* @__PURE__ */ i.jsx(xc, { project: e }),
            /* @__PURE__ */ i.jsx("button", { className: "button small", "aria-pressed": r, onClick: () => c(!r), children: r ? "Graph" : "Table" }),
            /* @__PURE__ */ i.jsx(Ps, { project: e, onAdded: f }),
            /* @__PURE__ */ i.jsx(bc, { project: e, picture: u })
          ] }),
          r ? /* @__PURE__ */ i.jsx(pc, { onPick: (m) => ge({ kind: "node", id: m }) }) : /* @__PURE__ */ i.jsx(oc, { project: e, ref: u, onSearch: () => h.current?.focus() }),
          !r && /* @__PURE__ */ i.jsx(rc, {}),
          /* @__PURE__ */ i.jsx(yc, { unloaded: s }),
          /* @__PURE__ */ i.jsx(vc, { onPick: f }),
          !r && /* @__PURE__ */ i.jsxs("div", { className: "kg-zoom", role: "group", "aria-label": "Zoom", children: [
            /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-label": "Zoom in", onClick: () => u.current?.zoomBy(1.4), children: /* @__PURE__ */ i.jsx("svg", { width: "16", height: "16", viewBox: "0 0 16 16", stroke: "currentColor", strokeWidth: "1.4", children: /* @__PURE__ */ i.jsx("path", { d: "M8 3v10M3 8h10" }) }) }),
            /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-label": "Zoom out", onClick: () => u.current?.zoomBy(1 / 1.4), children: /* @__PURE__ */ i.jsx("svg", { width: "16", height: "16", viewBox: "0 0 16 16", stroke: "currentColor", strokeWidth: "1.4", children: /* @__PURE__ */ i.jsx("path", { d: "M3 8h10" }) }) }),
            /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-label": "Show everything", onClick: () => u.current?.fitAll(), children: /* @__PURE__ */ i.jsx("svg", { width: "16", height: "16", viewBox: "0 0 16 16", stroke: "currentColor", strokeWidth: "1.4", fill: "none", children: /* @__PURE__ */ i.jsx("path", { d: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" }) }) })
          ] })
        ] }),
        x && /* @__PURE__ */ i.jsx(ic, { project: e, onAdded: f }),
        t === "loading" && /* @__PURE__ */ i.jsx("div", { className: "kg-skeleton", "aria-label": "The knowledge graph is being read" }),
        t === "failed" && /* @__PURE__ */ i.jsx("p", { className: "kg-note", children: "The knowledge graph could not be read. It appears as soon as the server answers." }),
        a && /* @__PURE__ */ i.jsx("div", { className: "kg-drop", children: "Drop to import: JSON-LD, GraphML, GEXF, CSV, DOT, Mermaid, JSON" })
      ]
    }
  );
}
function xc({ project: e }) {
  const t = L((o) => o.arrangement), n = L((o) => o.isArranging), s = L((o) => [...o.knowledge.nodes.values()].some((r) => r.position));
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsxs("label", { className: "kg-layout", children: [
      /* @__PURE__ */ i.jsx("span", { className: "visually-hidden", children: "Layout" }),
      /* @__PURE__ */ i.jsx(
        "select",
        {
          className: "field",
          "aria-busy": n,
          value: t,
          onChange: (o) => {
            const r = o.target.value;
            r === "stored" ? ks() : Ns(r).catch(F);
          },
          children: Object.entries(mc).map(([o, r]) => /* @__PURE__ */ i.jsx("option", { value: o, disabled: o === "stored" && !s, children: r }, o))
        }
      )
    ] }),
    t !== "stored" && !n && /* @__PURE__ */ i.jsx("button", { className: "button plain small", title: "Store the places with the nodes, for everybody", onClick: () => {
      Sa(e).catch(F);
    }, children: "Keep layout" }),
    n && /* @__PURE__ */ i.jsx("small", { className: "kg-quiet", role: "status", children: "Laying out\u2026" })
  ] });
}
function bc({ project: e, picture: t }) {
  const n = Ys(), s = async () => {
    const o = await t.current?.png();
    o && Qt(o, `${e}.png`);
  };
  return /* @__PURE__ */ i.jsxs(Fs, { name: "Export", children: [
    /* @__PURE__ */ i.jsx("button", { onClick: () => {
      s();
    }, children: "Picture as seen, PNG" }),
    /* @__PURE__ */ i.jsx("button", { onClick: () => {
      $a(e, n?.isDark ?? !1);
    }, children: "Whole graph, SVG" }),
    /* @__PURE__ */ i.jsx("hr", {}),
    Object.keys(As).map((o) => /* @__PURE__ */ i.jsxs("button", { onClick: () => {
      Ea(e, o);
    }, children: [
      "Data, ",
      o
    ] }, o))
  ] });
}
function yc({ unloaded: e }) {
  const { knowledge: t, focus: n } = L(), s = t.nodes.size.toLocaleString("en"), o = t.edges.size.toLocaleString("en");
  return /* @__PURE__ */ i.jsxs("p", { className: "kg-count", children: [
    n ? `${n.size.toLocaleString("en")} of ${s} nodes` : `${s} nodes, ${o} edges`,
    e > 0 && `; ${e.toLocaleString("en")} more are too many to draw, search finds them`,
    n && /* @__PURE__ */ i.jsx("button", { className: "button plain small", onClick: Yt, children: "Show all" })
  ] });
}
function vc({ onPick: e }) {
  const { path: t, start: n, knowledge: s } = L();
  return !t && n === null ? null : /* @__PURE__ */ i.jsxs("div", { className: "kg-path", role: "status", children: [
    n !== null && /* @__PURE__ */ i.jsxs("span", { children: [
      "From ",
      /* @__PURE__ */ i.jsx("bdi", { children: z(s.label(n), 40) }),
      " to: pick the other node"
    ] }),
    t && /* @__PURE__ */ i.jsx("ol", { "aria-label": `Path of ${t.edges.length} edges`, children: t.nodes.map((o, r) => {
      const c = s.edges.get(t.edges[r - 1] ?? "");
      return /* @__PURE__ */ i.jsxs("li", { children: [
        c && /* @__PURE__ */ i.jsx("small", { children: c.source === o ? `\u2190 ${z(c.type, 24)} ` : ` ${z(c.type, 24)} \u2192` }),
        /* @__PURE__ */ i.jsx("button", { className: "button plain small", onClick: () => e(o), children: /* @__PURE__ */ i.jsx("bdi", { children: z(s.label(o), 32) }) })
      ] }, o);
    }) }),
    /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-label": "Clear the path", onClick: Jt, children: /* @__PURE__ */ i.jsx("svg", { width: "16", height: "16", viewBox: "0 0 16 16", stroke: "currentColor", strokeWidth: "1.4", children: /* @__PURE__ */ i.jsx("path", { d: "m4 4 8 8m0-8-8 8" }) }) })
  ] });
}
const wc = { micron: "\xB5m", millimeter: "mm", centimeter: "cm", inch: "in", foot: "ft", meter: "m", gram: "g" }, jc = { 2: "\xB2", 3: "\xB3", 4: "\u2074", 5: "\u2075" };
function Ne(e) {
  const [t = "", n] = e.split("^");
  return (wc[t] ?? t) + (n === void 0 ? "" : jc[n] ?? `^${n}`);
}
function ne(e, t) {
  if (!Number.isFinite(e)) return String(e);
  const n = Math.abs(e);
  if (n !== 0 && (n >= 1e9 || n < 1e-6)) return e.toExponential(2).replace("e+", "e").replace("-", "\u2212");
  const s = t === void 0 ? String(Number(n.toPrecision(6))) : n.toFixed(t), [o = "0", r] = s.split("."), c = o.length > 4 ? o.replace(/\B(?=(\d{3})+$)/g, "\u2009") : o, a = Number(s) === 0;
  return `${e < 0 && !a ? "\u2212" : ""}${c}${r === void 0 ? "" : `.${r}`}`;
}
function cn(e, t) {
  if (t === null || !(t > 0) || !Number.isFinite(t)) return { value: ne(e), error: null };
  const n = Math.floor(Math.log10(t)), s = t / 10 ** n < 2.95 ? 2 : 1, o = n - s + 1, r = 10 ** o, c = Math.max(0, -o), a = (l) => o > 0 ? Math.round(l / r) * r : l;
  return { value: ne(a(e), c), error: ne(a(t), c) };
}
function Zs(e) {
  if (e === 0 || !Number.isFinite(e)) return [-10, 10];
  const t = Nc(Math.abs(e) * 2);
  return e > 0 ? [0, t] : [-t, 0];
}
function Nc(e) {
  const t = 10 ** Math.floor(Math.log10(e)), n = e / t, s = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((o) => n <= o * 1.0000001) ?? 10;
  return Number((s * t).toPrecision(3));
}
function kc([e, t]) {
  const n = (t - e) / 200, s = 10 ** Math.floor(Math.log10(n)), o = n / s;
  return Number((s * (o >= 5 ? 5 : o >= 2 ? 2 : 1)).toPrecision(3));
}
function Js(e, t) {
  return Number((Math.round(e / t) * t).toFixed(Math.max(0, Math.min(12, Math.ceil(-Math.log10(t) + 1e-9)))));
}
const Sc = 30;
function _c(e, t) {
  const [n, s] = e, o = (r) => ({ value: Math.max(0, r.value - t.value), error: Math.hypot(r.error, t.error) });
  return [o(n), o(s)];
}
function Mc({ project: e, functionId: t, revision: n }) {
  const s = E((p) => p.history), o = H((p) => p.since), r = H((p) => p.bounds), [c, a] = g.useState(null), [l, u] = g.useState(null), h = s.filter((p) => p.revision <= n && p.revision > 0).slice(0, Sc), f = h[0]?.revision;
  g.useEffect(() => {
    o === null && f !== void 0 && f > 1 && K({ since: f - 1 });
  }, [o, f]);
  const d = r ? Number((Fe(r) / 160).toPrecision(2)) : null;
  return g.useEffect(() => {
    if (o === null || d === null) return;
    const p = new AbortController();
    u(null);
    const x = setTimeout(() => {
      const m = { function_id: t, to: { revision: o }, cell: d, digits: "full", figures: ["volumes", "overlap"] };
      P.post("/api/projects/{project}/measure", { path: { project: e }, body: m, signal: p.signal }).then((v) => {
        const y = v.figures, [_, b] = _c(y.volumes, y.overlap);
        a({ added: cn(_.value, _.error), removed: cn(b.value, b.error), unit: Ne(y.overlap.unit) });
      }).catch((v) => {
        !p.signal.aborted && v instanceof Z && u(v.message);
      });
    }, 200);
    return () => {
      clearTimeout(x), p.abort();
    };
  }, [e, t, n, o, d]), /* @__PURE__ */ i.jsxs("div", { className: "compare", children: [
    /* @__PURE__ */ i.jsxs("label", { className: "cut", children: [
      /* @__PURE__ */ i.jsx("span", { children: "Before" }),
      /* @__PURE__ */ i.jsxs("select", { className: "field", value: o ?? "", onChange: (p) => K({ since: Number(p.target.value) }), children: [
        o !== null && !h.some((p) => p.revision - 1 === o) && /* @__PURE__ */ i.jsxs("option", { value: o, children: [
          "revision ",
          o
        ] }),
        h.map((p) => /* @__PURE__ */ i.jsx("option", { value: p.revision - 1, children: p.label }, p.revision))
      ] })
    ] }),
    /* @__PURE__ */ i.jsx("p", { className: "change", "aria-live": "polite", children: l ?? /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
      /* @__PURE__ */ i.jsxs("span", { className: "added", children: [
        "added ",
        c ? /* @__PURE__ */ i.jsx(Qs, { figure: c.added, unit: c.unit }) : "\u2026"
      ] }),
      /* @__PURE__ */ i.jsxs("span", { className: "removed", children: [
        "removed ",
        c ? /* @__PURE__ */ i.jsx(Qs, { figure: c.removed, unit: c.unit }) : "\u2026"
      ] })
    ] }) })
  ] });
}
function Qs({ figure: e, unit: t }) {
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsx("b", { children: e.value }),
    e.error !== null && ` \xB1 ${e.error}`,
    " ",
    t
  ] });
}
const Ec = {
  section: "M8 1.5 13.5 4.7v6.6L8 14.5l-5.5-3.2V4.7ZM8 1.5v13M10 5.5l-2 2M11.500 8 8 11.500M12.500 11 10 13.300",
  slice: "M2 5.500 8 2.500l6 3-6 3ZM2 8.500l6 3 6-3M2 11.300l6 3 6-3",
  compare: "M8 2v12M2.500 4H6v8H2.500ZM10 4h3.500v8H10",
  fit: "M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10",
  save: "M8 2v8m0 0 3-3m-3 3L5 7M3 9.500V13h10V9.500"
};
function ln({ name: e }) {
  return /* @__PURE__ */ i.jsx("svg", { width: "16", height: "16", viewBox: "0 0 16 16", fill: "none", stroke: "currentColor", strokeWidth: "1.3", strokeLinecap: "round", strokeLinejoin: "round", "aria-hidden": "true", children: /* @__PURE__ */ i.jsx("path", { d: Ec[e] }) });
}
const $c = 120, Cc = 0.07;
function un(e) {
  return e.map(({ points: t }) => `M${t.map(([n = 0, s = 0]) => `${Number(n.toPrecision(7))} ${Number((-s).toPrecision(7))}`).join("L")}Z`).join("");
}
function dn([e, t], n) {
  const s = t[2] - e[2], o = Xe(s / 400);
  return Number((Math.round((e[2] + s * n) / o) * o).toPrecision(9));
}
function Ac({ project: e, subject: t, revision: n, bounds: s, cuts: o }) {
  const r = H((C) => C.height), [c, a] = g.useState(null), [l, u] = g.useState(null), h = dn(s, r), f = JSON.stringify({ ...Ee(t), heights: [h], points: !0, ...o ? { bounds: s } : {} });
  g.useEffect(() => {
    const C = new AbortController(), M = setTimeout(() => {
      P.post("/api/projects/{project}/slice", { path: { project: e }, body: JSON.parse(f), signal: C.signal }).then((N) => {
        u(null), a(N);
      }).catch((N) => {
        !C.signal.aborted && N instanceof Z && N.code !== "unreachable" && u(N.message);
      });
    }, $c);
    return () => {
      clearTimeout(M), C.abort();
    };
  }, [e, f, n]);
  const [d, p] = s, x = Math.max(p[0] - d[0], p[1] - d[1]), m = x * Cc, v = `${d[0] - m} ${-p[1] - m} ${p[0] - d[0] + 2 * m} ${p[1] - d[1] + 2 * m}`, y = c?.slices[0], _ = Xe(x / 4), b = Ne(c?.unit ?? "millimeter");
  return /* @__PURE__ */ i.jsxs("div", { className: "slice", "data-testid": "slice", children: [
    /* @__PURE__ */ i.jsxs("svg", { viewBox: v, role: "img", "aria-label": `Slice at a height of ${ne(h)} ${b}`, children: [
      /* @__PURE__ */ i.jsxs("defs", { children: [
        /* @__PURE__ */ i.jsx("pattern", { id: "slice-grid", width: _, height: _, patternUnits: "userSpaceOnUse", children: /* @__PURE__ */ i.jsx("path", { d: `M${_} 0H0V${_}`, className: "grid", vectorEffect: "non-scaling-stroke" }) }),
        /* @__PURE__ */ i.jsx("pattern", { id: "slice-hatch", width: x / 55, height: x / 55, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)", children: /* @__PURE__ */ i.jsx("path", { d: `M0 0V${x}`, className: "hatch", strokeWidth: x / 260 }) })
      ] }),
      /* @__PURE__ */ i.jsx("rect", { x: d[0] - m - x, y: -p[1] - m - x, width: x * 4, height: x * 4, fill: "url(#slice-grid)" }),
      y?.contours && /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
        /* @__PURE__ */ i.jsx("path", { d: un(y.contours), className: "material", fillRule: "evenodd" }),
        /* @__PURE__ */ i.jsx("path", { d: un(y.contours), fill: "url(#slice-hatch)", fillRule: "evenodd" }),
        /* @__PURE__ */ i.jsx("path", { d: un(y.contours), className: "outline", vectorEffect: "non-scaling-stroke" })
      ] })
    ] }),
    /* @__PURE__ */ i.jsxs("p", { className: "slice-facts", "aria-live": "polite", children: [
      l ?? (y ? y.outlines === 0 ? "no material at this height" : `${ne(Number(y.area.toPrecision(4)))} ${b}\xB2 \xB7 ${ne(Number(y.perimeter.toPrecision(4)))} ${b} around \xB7 ${y.outlines} ${y.outlines === 1 ? "contour" : "contours"}${y.holes > 0 ? `, ${y.holes} ${y.holes === 1 ? "hole" : "holes"}` : ""}` : "\xA0"),
      y && y.outlines > 0 && !y.contours && " \xB7 too many points to draw"
    ] })
  ] });
}
const Tc = [
  ["png", "PNG", "this view"],
  ["stl", "STL", "triangles"],
  ["obj", "OBJ", "triangles"],
  ["3mf", "3MF", "the project"],
  ["svg", "SVG", "the slice"]
];
function Dc({ project: e, subject: t, name: n, bounds: s, cuts: o, picture: r }) {
  const [c, a] = g.useState(!1), [l, u] = g.useState(null), h = g.useRef(null);
  async function f(p, x) {
    if (p === "png") return r();
    if (p === "3mf") return (await se("GET", Q("/api/projects/{project}/export.3mf", { project: e }), void 0, x)).blob();
    const m = o && s ? { bounds: s } : {}, v = p === "svg" && s ? { heights: [dn(s, de().height)] } : {}, y = { format: p, ...Ee(t), ...m, ...v }, _ = await se("POST", Q("/api/projects/{project}/export", { project: e }), y, x), b = _.headers.get("fibula-warnings");
    return b && q({ tone: "info", text: b }), _.blob();
  }
  async function d(p, x) {
    a(!1);
    const m = new AbortController();
    u({ label: x, stop: m });
    try {
      const v = await f(p, m.signal);
      if (!v) return;
      const y = document.createElement("a");
      y.href = URL.createObjectURL(v), y.download = `${n.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) || "part"}.${p}`, y.click(), setTimeout(() => URL.revokeObjectURL(y.href), 1e4);
    } catch (v) {
      m.signal.aborted || F(v);
    } finally {
      u(null);
    }
  }
  return l ? /* @__PURE__ */ i.jsxs("button", { className: "button plain small", onClick: () => l.stop.abort(), title: "Cancel the export", children: [
    l.label,
    "\u2026 \u2715"
  ] }) : /* @__PURE__ */ i.jsxs(
    "div",
    {
      className: "save-anchor",
      onBlur: (p) => {
        p.currentTarget.contains(p.relatedTarget) || a(!1);
      },
      onKeyDown: (p) => {
        if (p.key === "Escape" && a(!1), p.key !== "ArrowDown" && p.key !== "ArrowUp") return;
        const x = [...h.current?.querySelectorAll('[role="menuitem"]') ?? []], m = x.indexOf(document.activeElement);
        x[(m + (p.key === "ArrowDown" ? 1 : -1) + x.length) % x.length]?.focus(), p.preventDefault();
      },
      children: [
        /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-label": "Save this part", title: "Save as PNG, STL, OBJ, 3MF or SVG", "aria-haspopup": "menu", "aria-expanded": c, onClick: () => a(!c), children: /* @__PURE__ */ i.jsx(ln, { name: "save" }) }),
        c && /* @__PURE__ */ i.jsx("div", { className: "save-menu", role: "menu", "aria-label": "Save as", ref: h, children: Tc.map(([p, x, m]) => /* @__PURE__ */ i.jsxs("button", { role: "menuitem", onClick: () => {
          d(p, x);
        }, children: [
          /* @__PURE__ */ i.jsx("span", { children: x }),
          /* @__PURE__ */ i.jsx("span", { className: "hint", children: m })
        ] }, p)) })
      ]
    }
  );
}
const Rc = { 0: "Iso", 1: "Front", 2: "Back", 3: "Left", 4: "Right", 5: "Top", 6: "Bottom" }, ct = 24;
function hn(e) {
  K({ camera: { ...de().camera, ...Oe[e], pan: [0, 0, 0], zoom: 1 } });
}
function eo(e, t) {
  const n = g.useRef(/* @__PURE__ */ new Map()), s = g.useRef(t);
  s.current = t;
  function o() {
    const a = e.current;
    return a && s.current ? Nt(de().camera, s.current, a.clientWidth, a.clientHeight) : null;
  }
  function r(a, l, u) {
    const [h, f] = [o(), e.current];
    if (!h || !f) return;
    const d = f.getBoundingClientRect(), p = l === void 0 || u === void 0 ? [0, 0] : [l - d.left - d.width / 2, d.top + d.height / 2 - u];
    K({ camera: Ei(de().camera, h, a, p) });
  }
  function c(a, l) {
    const u = o();
    u && K({ camera: Mi(de().camera, u, a, l) });
  }
  return g.useEffect(() => {
    const a = e.current;
    if (!a) return;
    const l = (u) => {
      u.preventDefault();
      const h = u.deltaY * (u.deltaMode === 1 ? 16 : 1);
      r(Math.exp(-Math.max(-200, Math.min(200, h)) * 2e-3), u.clientX, u.clientY);
    };
    return a.addEventListener("wheel", l, { passive: !1 }), () => a.removeEventListener("wheel", l);
  }), {
    onPointerDown(a) {
      n.current.set(a.pointerId, { x: a.clientX, y: a.clientY }), a.currentTarget.setPointerCapture(a.pointerId);
    },
    onPointerMove(a) {
      const l = n.current.get(a.pointerId);
      if (!l) return;
      const u = { x: a.clientX, y: a.clientY }, [h, f] = [u.x - l.x, u.y - l.y], d = [...n.current].find(([p]) => p !== a.pointerId)?.[1];
      if (n.current.set(a.pointerId, u), d) {
        const p = (x) => Math.max(1, Math.hypot(x.x - d.x, x.y - d.y));
        c(h / 2, f / 2), r(p(u) / p(l), (u.x + d.x) / 2, (u.y + d.y) / 2);
      } else a.shiftKey || a.buttons & 6 ? c(h, f) : K({ camera: On(de().camera, h, f) });
    },
    onPointerUp(a) {
      n.current.delete(a.pointerId);
    },
    onPointerCancel(a) {
      n.current.delete(a.pointerId);
    },
    onContextMenu(a) {
      a.preventDefault();
    },
    onDoubleClick() {
      K({ camera: vt });
    },
    onKeyDown(a) {
      if (a.ctrlKey || a.metaKey || a.altKey) return;
      const l = Rc[a.key], u = { ArrowLeft: [-ct, 0], ArrowRight: [ct, 0], ArrowUp: [0, -ct], ArrowDown: [0, ct] }[a.key];
      if (l) hn(l);
      else if (u) {
        const [h = 0, f = 0] = u;
        a.shiftKey ? c(h, f) : K({ camera: On(de().camera, h, f) });
      } else if (a.key === "+" || a.key === "=") r(1.25);
      else if (a.key === "-") r(0.8);
      else if (a.key === "Home") K({ camera: vt });
      else return;
      a.preventDefault(), a.stopPropagation();
    }
  };
}
const Oc = 88;
function Lc({ pixel: e, unit: t }) {
  const n = Xe(e * Oc), s = n / e;
  return /* @__PURE__ */ i.jsx("div", { className: "scale-bar", style: { width: s }, role: "img", "aria-label": `The bar is ${ne(n)} ${Ne(t)} long`, children: /* @__PURE__ */ i.jsxs("span", { children: [
    ne(n),
    " ",
    Ne(t)
  ] }) });
}
const lt = 24, Fc = ["Right", "Back", "Top"];
function Pc({ camera: e }) {
  const { right: t, up: n, forward: s } = Rn(e), o = Ye.map((r, c) => ({ name: r, axis: c, x: t[c], y: -n[c], depth: s[c] })).sort((r, c) => c.depth - r.depth);
  return /* @__PURE__ */ i.jsx("svg", { className: "axes", width: "80", height: "80", viewBox: "-40 -40 80 80", "aria-hidden": "true", children: o.map(({ name: r, axis: c, x: a, y: l }) => /* @__PURE__ */ i.jsxs("g", { className: `axis-${r}`, onPointerDown: (u) => u.stopPropagation(), onClick: () => hn(Fc[c]), children: [
    /* @__PURE__ */ i.jsx("line", { x2: a * lt, y2: l * lt }),
    Math.hypot(a, l) > 0.25 && /* @__PURE__ */ i.jsx("text", { x: a * (lt + 9), y: l * (lt + 9), children: r })
  ] }, r)) });
}
const Ic = `#version 300 es
void main() {
    gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, 0.0, 1.0);
}
`, zc = 16, pe = 64, to = `
const uint NOTHING = 0u;
const uint SURFACE = 1u;
const uint CUT = 2u;
const uint SECTION = 3u;
const uint ADDED = 4u;
const uint REMOVED = 5u;
`, Bc = (e) => `
vec2 field(vec3 p) {
    float d = ${e}(p);
    return vec2(d, d);
}
`, Uc = (e, t) => `
vec2 field(vec3 p) {
    return vec2(${e}(p), ${t}(p));
}
`;
function Hc(e, t, n) {
  return `#version 300 es
${n ? e + n.source + Uc(t, n.name) : e + Bc(t)}
${to}
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

bool isNan(float a) {
    return (floatBitsToUint(a) & 0x7fffffffu) > 0x7f800000u;
}

vec2 octahedral(vec3 n) {
    n /= abs(n.x) + abs(n.y) + abs(n.z);
    vec2 folded = (1.0 - abs(n.yx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
    return n.z < 0.0 ? folded : n.xy;
}

const int MARCH = 0, BISECT = 1, NORMAL = 2, CHANGE = 3, OCCLUDE = 4, SHADE = 5, DONE = 6, SAMPLE = 7;
const int SAMPLES = ${zc};

void main() {
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
    if (samples) {
        int number = int(gl_FragCoord.x) + int(gl_FragCoord.y) * ${pe};
        vec3 cell = vec3(number % SAMPLES, (number / SAMPLES) % SAMPLES, number / (SAMPLES * SAMPLES));
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
const Gc = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
${to}
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
`, Wc = `#version 300 es
precision highp float;
uniform sampler2D picture;
uniform vec2 size;
out vec4 shown;
void main() {
    shown = texture(picture, gl_FragCoord.xy / size);
}
`;
async function fn(e, t, { revision: n, bounds: s, signal: o } = {}) {
  const r = "/api/projects/{project}/functions/{function_id}/shader", { functionId: c, output: a, port: l } = t, u = Q(r, { project: e, function_id: c }, { output: a, port: l, revision: n, bounds: s ? !0 : void 0 });
  return await (await se("GET", u, void 0, o)).json();
}
function ut(e) {
  return Array.isArray(e) ? e.flatMap(ut) : [Number(e)];
}
function no(e, t) {
  const n = {};
  for (const [s, o] of Object.entries(e.constants)) n[s] = Float32Array.from(o, Number);
  if (e.parameter_block) {
    const s = new Float32Array(Math.max(4, e.parameter_scalars)), o = /* @__PURE__ */ new Map();
    for (const { offset: r, width: c, function_id: a, node_id: l, value: u } of e.parameters) {
      const h = `${a}.${l}`, f = t.get(h), d = o.get(h) ?? 0;
      o.set(h, d + c);
      const p = f ? f.slice(d, d + c) : ut(u ?? 0);
      s.set(p.slice(0, c), r);
    }
    n[e.parameter_block] = s;
  }
  return { source: e.source, name: e.name, blocks: n };
}
function Vc(e, t) {
  const n = (o) => o.replace(/\bfibula_/g, `${t}_`), s = Object.fromEntries(Object.entries(e.blocks).map(([o, r]) => [n(o), r]));
  return { source: n(e.source), name: n(e.name), blocks: s };
}
const Kc = [
  [-20, -20, -20],
  [20, 20, 20]
];
async function qc(e, t, n) {
  const o = (await P.get("/api/projects/{project}/structure", { path: { project: e }, query: { limit: 200 }, ...n ? { signal: n } : {} })).resources, r = o.find((a) => a.field?.function_id === t), c = o.find((a) => a.resource_id === r?.mesh_id)?.bounds;
  return c ? { box: c, isDomain: !0 } : { box: Kc, isDomain: !1 };
}
function Xc(e, t) {
  const n = Math.round(Math.cbrt(e.length)), s = [];
  for (let r = 0; r < e.length; r++)
    for (const c of [0, 1, 2]) {
      const a = n ** c, [l, u] = [e[r], e[r + a]];
      if (Math.floor(r / a) % n === n - 1 || typeof l != "number" || typeof u != "number") continue;
      const h = Math.abs(u - l) * (n - 1) / t[c];
      Number.isFinite(h) && s.push(h);
    }
  s.sort((r, c) => r - c);
  const o = s[Math.floor(s.length * 0.97)] ?? 1;
  return o > 1e-9 ? o : 1;
}
const Te = 128, so = 24, pn = [0.25, 0.5, 1, 2], Yc = 4e3, Zc = 120;
class Jc {
  constructor(t) {
    this.canvas = t;
    const n = t.getContext("webgl2", { antialias: !1, alpha: !1, depth: !1, preserveDrawingBuffer: !0, powerPreference: "high-performance" });
    if (!n) throw new Error("WebGL 2 is missing");
    this.gl = n, n.bindVertexArray(n.createVertexArray()), this.shading = this.finish(this.begin(Gc), "shading"), this.scaling = this.finish(this.begin(Wc), "scaling");
  }
  canvas;
  gl;
  shading;
  scaling;
  buffers = /* @__PURE__ */ new Map();
  field = null;
  source = "";
  compiling = 0;
  scene = null;
  hits = null;
  samples = null;
  /** Slope of the field, or null until it is estimated for the present numbers. */
  slope = null;
  level = 0;
  tile = 0;
  spent = 0;
  perPixel = 0;
  request = 0;
  timer;
  /** Called when a picture is complete. */
  onDrawn = () => {
  };
  get isLost() {
    return this.gl.isContextLost();
  }
  /** Takes a function; the last picture stays until the function is compiled. Returns false if another one came in between. */
  async setField(t, n) {
    const s = Hc(t.source, t.name, n);
    if (s !== this.source) {
      const o = ++this.compiling, r = this.begin(s);
      if (await this.compiled(r), o !== this.compiling)
        return this.gl.deleteProgram(r), !1;
      const c = this.finish(r, "function");
      this.field && this.gl.deleteProgram(this.field.linked.program), this.field = { linked: c, compares: n !== null }, this.source = s, this.perPixel = 0;
      for (const a of this.buffers.values()) this.gl.deleteBuffer(a);
      this.buffers.clear();
    }
    return this.setBlocks({ ...t.blocks, ...n?.blocks }), !0;
  }
  /** Sets numbers of the function, without compiling. */
  setBlocks(t) {
    const { gl: n, field: s } = this;
    if (s) {
      for (const [o, r] of Object.entries(t)) {
        const c = n.getUniformBlockIndex(s.linked.program, o);
        if (c === n.INVALID_INDEX) continue;
        let a = this.buffers.get(o);
        a || (a = n.createBuffer(), this.buffers.set(o, a)), n.bindBuffer(n.UNIFORM_BUFFER, a), n.bufferData(n.UNIFORM_BUFFER, r, n.DYNAMIC_DRAW);
        const l = [...this.buffers.keys()].indexOf(o);
        n.uniformBlockBinding(s.linked.program, c, l), n.bindBufferBase(n.UNIFORM_BUFFER, l, a);
      }
      this.slope = null, this.redraw();
    }
  }
  setScene(t) {
    this.scene?.bounds !== t.bounds && (this.slope = null), this.scene = t, this.redraw();
  }
  resize(t, n) {
    this.canvas.width === t && this.canvas.height === n || (this.canvas.width = t, this.canvas.height = n, this.redraw());
  }
  dispose() {
    cancelAnimationFrame(this.request), clearTimeout(this.timer), this.compiling++, this.field && this.gl.deleteProgram(this.field.linked.program), this.gl.deleteProgram(this.shading.program), this.gl.deleteProgram(this.scaling.program), this.field = null, this.scene = null;
  }
  redraw() {
    clearTimeout(this.timer);
    const t = this.canvas.width * this.canvas.height, n = pn.findLastIndex((s) => s <= 1 && this.perPixel > 0 && this.perPixel * t * s * s < so);
    if (this.tile > 0 && this.level <= Math.max(n, 0)) return this.again();
    this.start(Math.max(n, 0));
  }
  again() {
    this.isStale = !0, this.next();
  }
  isStale = !1;
  start(t) {
    this.isStale = !1, this.level = t, this.tile = 0, this.spent = 0, this.next();
  }
  next() {
    cancelAnimationFrame(this.request), this.request = requestAnimationFrame(() => this.step());
  }
  step() {
    const { gl: t, field: n, scene: s, canvas: o } = this;
    if (!n || !s || t.isContextLost() || o.width < 2 || o.height < 2) return;
    const r = pn[this.level] ?? 1, [c, a] = [Math.max(1, Math.round(o.width * r)), Math.max(1, Math.round(o.height * r))];
    this.slope === null && (this.slope = Xc(this.sample(n.linked, s), wt(jt(s.bounds, 0.02))));
    const l = this.target(c, a), u = performance.now(), h = Math.ceil(c / Te), f = h * Math.ceil(a / Te);
    for (t.bindFramebuffer(t.FRAMEBUFFER, l.frame), t.viewport(0, 0, c, a), t.useProgram(n.linked.program), this.setView(n.linked.uniforms, s, c, a, r), t.enable(t.SCISSOR_TEST); this.tile < f; ) {
      const [x, m] = [this.tile % h, Math.floor(this.tile / h)];
      if (t.scissor(x * Te, m * Te, Te, Te), t.drawArrays(t.TRIANGLES, 0, 3), this.tile++, t.finish(), performance.now() - u > so) break;
    }
    if (t.disable(t.SCISSOR_TEST), this.tile >= f && (this.shade(s, l, r), t.readPixels(0, 0, 1, 1, t.RGBA, t.UNSIGNED_BYTE, new Uint8Array(4))), this.spent += performance.now() - u, this.tile < f) return this.next();
    if (this.perPixel = this.spent / (c * a), this.tile = 0, this.onDrawn(this.level), this.isStale) return this.redraw();
    const d = this.level + 1, p = pn[d];
    p === void 0 || this.perPixel * o.width * o.height * p * p > Yc || (clearTimeout(this.timer), this.timer = setTimeout(() => this.start(d), Zc));
  }
  /** Values of the field on a grid, x fastest. */
  sample({ program: t, uniforms: n }, { bounds: s }) {
    const { gl: o } = this;
    if (!this.samples) {
      const u = this.texture(o.RGBA32UI, pe, pe);
      this.samples = this.framebuffer(u);
    }
    o.bindFramebuffer(o.FRAMEBUFFER, this.samples), o.viewport(0, 0, pe, pe), o.useProgram(t);
    const [r, c] = jt(s, 0.02);
    o.uniform3fv(n.get("low") ?? null, r), o.uniform3fv(n.get("high") ?? null, c), o.uniform1i(n.get("samples") ?? null, 1), o.drawArrays(o.TRIANGLES, 0, 3);
    const a = new Uint32Array(pe * pe * 4);
    return o.readPixels(0, 0, pe, pe, o.RGBA_INTEGER, o.UNSIGNED_INT, a), new Float32Array(a.buffer).filter((u, h) => h % 4 === 0);
  }
  shade(t, n, s) {
    const { gl: o, canvas: r, shading: c } = this;
    o.bindFramebuffer(o.FRAMEBUFFER, n.picture), o.useProgram(c.program);
    const a = (x) => c.uniforms.get(x) ?? null;
    this.setView(c.uniforms, t, n.width, n.height, s), o.activeTexture(o.TEXTURE0), o.bindTexture(o.TEXTURE_2D, n.texture), o.uniform1i(a("hits"), 0), o.uniform1f(a("density"), s * Math.max(1, window.devicePixelRatio));
    const { frame: l, bounds: u } = t, h = Le(_e(Dn(u), l.eye), l.forward), f = Fe(u) / 2;
    o.uniform2f(a("depths"), h - f, h + f), o.uniform3fv(a("back"), t.back), o.uniform1f(a("lineShade"), t.lineShade), o.uniform1f(a("spacing"), Xe(Math.max(...wt(u)) / 4)), o.uniform1i(a("compares"), this.field?.compares ? 1 : 0);
    const d = oo(l.forward), p = [0, 0, 0];
    d !== null && (p[d] = 1), o.uniform3fv(a("gridAxis"), p), o.uniform1f(a("gridHeight"), d === null ? 0 : u[l.forward[d] < 0 ? 0 : 1][d]), o.drawArrays(o.TRIANGLES, 0, 3), o.bindFramebuffer(o.FRAMEBUFFER, null), o.viewport(0, 0, r.width, r.height), o.useProgram(this.scaling.program), o.bindTexture(o.TEXTURE_2D, n.colours), o.uniform1i(this.scaling.uniforms.get("picture") ?? null, 0), o.uniform2f(this.scaling.uniforms.get("size") ?? null, r.width, r.height), o.drawArrays(o.TRIANGLES, 0, 3);
  }
  setView(t, n, s, o, r) {
    const { gl: c } = this, a = (p) => t.get(p) ?? null, { frame: l, bounds: u, section: h } = n;
    for (const p of ["eye", "right", "up", "forward"]) c.uniform3fv(a(p), l[p]);
    const f = n.cuts ? u : jt(u, 0.12);
    c.uniform2f(a("size"), s, o), c.uniform1f(a("pixel"), l.pixel / r / Math.max(1, window.devicePixelRatio)), c.uniform3fv(a("low"), f[0]), c.uniform3fv(a("high"), f[1]);
    const d = h ? [...h.normal, h.at] : [0, 0, 0, 0];
    c.uniform4fv(a("plane"), d), c.uniform1f(a("slope"), this.slope ?? 1), c.uniform1i(a("samples"), 0), c.uniform1f(a("ground"), u[0][2]), c.uniform1i(a("hasGround"), oo(l.forward) === 2 && Math.abs(l.forward[2]) < 0.999 ? 1 : 0), c.uniform1f(a("reach"), Fe(u));
  }
  target(t, n) {
    const { gl: s } = this;
    if (this.hits?.width === t && this.hits.height === n) return this.hits;
    this.hits && (s.deleteTexture(this.hits.texture), s.deleteTexture(this.hits.colours), s.deleteFramebuffer(this.hits.frame), s.deleteFramebuffer(this.hits.picture));
    const o = this.texture(s.RGBA32UI, t, n), r = this.texture(s.RGBA8, t, n, s.LINEAR);
    return this.hits = { texture: o, colours: r, frame: this.framebuffer(o), picture: this.framebuffer(r), width: t, height: n }, this.hits;
  }
  texture(t, n, s, o = this.gl.NEAREST) {
    const { gl: r } = this, c = r.createTexture();
    r.bindTexture(r.TEXTURE_2D, c), r.texStorage2D(r.TEXTURE_2D, 1, t, n, s), r.texParameteri(r.TEXTURE_2D, r.TEXTURE_MIN_FILTER, o), r.texParameteri(r.TEXTURE_2D, r.TEXTURE_MAG_FILTER, o);
    for (const a of [r.TEXTURE_WRAP_S, r.TEXTURE_WRAP_T]) r.texParameteri(r.TEXTURE_2D, a, r.CLAMP_TO_EDGE);
    return c;
  }
  framebuffer(t) {
    const { gl: n } = this, s = n.createFramebuffer();
    return n.bindFramebuffer(n.FRAMEBUFFER, s), n.framebufferTexture2D(n.FRAMEBUFFER, n.COLOR_ATTACHMENT0, n.TEXTURE_2D, t, 0), s;
  }
  begin(t) {
    const { gl: n } = this, s = n.createProgram();
    for (const [o, r] of [
      [n.VERTEX_SHADER, Ic],
      [n.FRAGMENT_SHADER, t]
    ]) {
      const c = n.createShader(o);
      if (!c) throw new Error("WebGL made no shader");
      n.shaderSource(c, r), n.compileShader(c), n.attachShader(s, c), n.deleteShader(c);
    }
    return n.linkProgram(s), s;
  }
  /** Waits without blocking the page, where the browser can tell. */
  async compiled(t) {
    const { gl: n } = this, s = n.getExtension("KHR_parallel_shader_compile");
    if (s)
      for (; !n.isContextLost() && !n.getProgramParameter(t, s.COMPLETION_STATUS_KHR); )
        await new Promise((o) => setTimeout(o, 15));
  }
  finish(t, n) {
    const { gl: s } = this;
    if (!s.getProgramParameter(t, s.LINK_STATUS)) {
      const c = s.getAttachedShaders(t)?.map((a) => s.getShaderInfoLog(a)) ?? [];
      throw new Error(`the graphics driver did not compile the ${n}: ${[s.getProgramInfoLog(t), ...c].filter(Boolean).join(" ")}`);
    }
    const o = /* @__PURE__ */ new Map(), r = s.getProgramParameter(t, s.ACTIVE_UNIFORMS);
    for (let c = 0; c < r; c++) {
      const a = s.getActiveUniform(t, c), l = a && s.getUniformLocation(t, a.name);
      a && l && o.set(a.name, l);
    }
    return { program: t, uniforms: o };
  }
}
function oo(e) {
  for (const t of [0, 1, 2]) if (Math.abs(e[t]) > 0.9999) return t;
  return e[2] < -0.15 ? 2 : null;
}
function mn(e) {
  const t = e / 255;
  return t <= 0.04045 ? t / 12.92 : ((t + 0.055) / 1.055) ** 2.4;
}
function io() {
  const e = document.createElement("span");
  e.style.color = "var(--ground)", document.body.append(e);
  const t = getComputedStyle(e).color.match(/[\d.]+/g)?.slice(0, 3).map(Number) ?? [];
  e.remove();
  const [n = 245, s = 246, o = 248] = t, r = [mn(n), mn(s), mn(o)];
  return { back: r, lineShade: r[1] > 0.3 ? 0 : 0.17 };
}
function Qc() {
  const [e, t] = g.useState(io);
  return g.useEffect(() => {
    const n = () => t(io()), s = matchMedia("(prefers-color-scheme: dark)"), o = new MutationObserver(n);
    return s.addEventListener("change", n), o.observe(document.documentElement, { attributes: !0, attributeFilter: ["data-theme"] }), () => {
      s.removeEventListener("change", n), o.disconnect();
    };
  }, []), e;
}
function ro(e) {
  const [t, n] = g.useState({ width: 0, height: 0 });
  return g.useEffect(() => {
    const s = e.current;
    if (!s) return;
    const o = new ResizeObserver(() => n({ width: s.clientWidth, height: s.clientHeight }));
    return o.observe(s), () => o.disconnect();
  }, [e]), t;
}
const ao = "Picture of the part. Arrow keys turn it, with Shift they move it, plus and minus zoom, 0 to 6 are standard views.";
let gn = null;
function el() {
  if (gn === null) {
    const e = document.createElement("canvas").getContext("webgl2");
    gn = e !== null, e?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return gn;
}
function tl() {
  const e = H((t) => t.drafts);
  return g.useMemo(() => new Map([...e].map(([t, n]) => [t, n.numbers])), [e]);
}
function nl({ field: e, onFailed: t, onCanvas: n }) {
  const s = g.useRef(null), o = g.useRef(null), r = g.useRef(null), [c, a] = g.useState(!1), [l, u] = g.useState(0), h = H((_) => _.camera), f = H((_) => _.section), d = tl(), p = Qc(), x = ro(s), m = eo(s, e.bounds);
  g.useEffect(() => {
    const _ = o.current;
    if (!_) return;
    try {
      r.current = new Jc(_);
    } catch (N) {
      return t(String(N));
    }
    const b = r.current;
    b.onDrawn = (N) => {
      _.dataset.drawn = String(Number(_.dataset.drawn ?? 0) + 1), _.dataset.level = String(N);
    };
    const C = (N) => N.preventDefault(), M = () => u((N) => N + 1);
    return _.addEventListener("webglcontextlost", C), _.addEventListener("webglcontextrestored", M), n(_), () => {
      _.removeEventListener("webglcontextlost", C), _.removeEventListener("webglcontextrestored", M), n(null), r.current = null, b.dispose();
    };
  }, [l]);
  const v = g.useMemo(() => {
    const _ = e.before ? Vc(no(e.before, /* @__PURE__ */ new Map()), "before") : null;
    return [no(e.shader, d), _];
  }, [e.shader, e.before, d]);
  g.useEffect(() => {
    let _ = !0;
    return r.current?.setField(...v).then(
      () => _ && a(!0),
      (b) => _ && t(b instanceof Error ? b.message : String(b))
    ), () => {
      _ = !1;
    };
  }, [v, l]), g.useEffect(() => {
    const _ = Math.min(2, Math.max(1, window.devicePixelRatio));
    r.current?.resize(Math.round(x.width * _), Math.round(x.height * _));
  }, [x, l]), g.useEffect(() => {
    if (x.width < 2) return;
    const { bounds: _, cuts: b } = e, C = Nt(h, _, x.width, x.height);
    let M = null;
    if (f) {
      const { axis: N, share: w } = f, S = _[0][N] + (_[1][N] - _[0][N]) * w, j = C.forward[N] <= 1e-9 ? 1 : -1, A = [0, 0, 0];
      A[N] = j, M = { normal: A, at: j * S };
    }
    r.current?.setScene({ frame: C, bounds: _, cuts: b, section: M, ...p });
  }, [e.bounds, e.cuts, h, f, x, p, l]);
  const y = x.width < 2 ? null : Nt(h, e.bounds, x.width, x.height);
  return /* @__PURE__ */ i.jsxs("div", { ref: s, className: "solid", tabIndex: 0, role: "application", "aria-label": ao, ...m, children: [
    /* @__PURE__ */ i.jsx("canvas", { ref: o, className: c ? "" : "waits", "data-testid": "solid" }, l),
    y && /* @__PURE__ */ i.jsx(Lc, { pixel: y.pixel, unit: e.shader.unit }),
    /* @__PURE__ */ i.jsx(Pc, { camera: h })
  ] });
}
const sl = 140;
function ol({ project: e, subject: t, revision: n, onBlob: s, onRefused: o }) {
  const r = g.useRef(null), c = H((v) => v.camera), a = H((v) => v.section), l = H((v) => v.bounds), u = ro(r), [h, f] = g.useState(null), [d, p] = g.useState(!0), x = JSON.stringify(Ee(t)), m = eo(r, l ?? [[-1, -1, -1], [1, 1, 1]]);
  return g.useEffect(() => {
    if (u.width < 2) return;
    const v = new AbortController();
    p(!0);
    const y = setTimeout(() => {
      const _ = { ...Ee(t), ...il(c, a, l), size: [Math.round(u.width), Math.round(u.height)] };
      se("POST", Q("/api/projects/{project}/render", { project: e }), _, v.signal).then((b) => b.blob()).then((b) => {
        v.signal.aborted || (s(b), f((C) => (C && URL.revokeObjectURL(C), URL.createObjectURL(b))), p(!1));
      }).catch((b) => {
        v.signal.aborted || !(b instanceof Z) || (p(!1), b.code !== "unreachable" && o(b));
      });
    }, sl);
    return () => {
      clearTimeout(y), v.abort();
    };
  }, [e, x, n, c, a, l, u]), /* @__PURE__ */ i.jsx("div", { ref: r, className: "solid server", tabIndex: 0, role: "application", "aria-label": ao, "aria-busy": d, ...m, children: h ? /* @__PURE__ */ i.jsx("img", { src: h, alt: "", draggable: !1, "data-testid": "picture" }) : /* @__PURE__ */ i.jsx("div", { className: "skeleton", "aria-hidden": "true" }) });
}
function il(e, t, n) {
  const o = { orbit: [e.azimuth, e.elevation], zoom: e.zoom };
  if (!t || !n) return o;
  const [r, c] = n;
  return { ...o, section: { [Ye[t.axis]]: r[t.axis] + (c[t.axis] - r[t.axis]) * t.share } };
}
const rl = 4e3;
function xn(e) {
  return JSON.stringify(e);
}
function co(e) {
  if (!e) return null;
  const { inputs: t, outputs: n, name: s } = e;
  if (e.image !== void 0 && e.image !== null) return `${s} reads image ${e.image}. It gives colours, so it has no shape; functions that call it may have one.`;
  if (!n.some((f) => f.type === "float")) return `${s} has no float output, so it has no inside.`;
  const [o, r, c] = t, a = o?.type === "float3", l = o?.type === "float" && r?.type === "float" && c?.type === "float" && t.length >= 3, u = a ? t.slice(1) : t.slice(3), h = t.filter((f) => f.type === "float3");
  if (!a && !l && h.length === 0) return `${s} has no input for a point in space, so it has no shape.`;
  if (u.length > 0 || !(a || l)) {
    const f = (a || l ? u : t.filter((d) => d !== h[0])).map((d) => d.name);
    return `The shape of ${s} depends on ${f.join(", ")}. Open a function that calls it.`;
  }
  return null;
}
function al(e, t, n, s, o) {
  const [r, c] = g.useState({ state: "loading" }), a = g.useRef(null), l = t ? `${e} ${xn(t)}` : "", u = t?.kind === "function" || t?.kind === "port" ? co(o) : null;
  return g.useEffect(() => {
    if (e === null || !t || n === 0) return;
    const h = new AbortController(), { signal: f } = h;
    if (t.kind === "build" || t.kind === "object")
      return (a.current || r.state !== "picture") && K({ bounds: null, cuts: !1 }), a.current = null, c({ state: "picture", note: "drawn by the server" }), bn(e, t, f), () => h.abort();
    if (u !== null && t.kind === "function")
      return a.current = null, c({ state: "none", reason: u, hint: null });
    const d = { functionId: t.functionId, output: t.kind === "function" ? t.output : void 0, port: t.kind === "port" ? `${t.nodeId}.${t.port}` : void 0 };
    a.current?.key !== l && (a.current = null, K({ bounds: null, cuts: !1 }), c({ state: "loading" }));
    const p = (x) => {
      f.aborted || (a.current = x, K({ unit: x.shader.unit, bounds: x.bounds, cuts: x.cuts }), fl(x.shader.revision), c({ state: "field", field: x }));
    };
    return (async () => {
      try {
        const x = s === null ? null : await fn(e, d, { revision: s, bounds: !0, signal: f }).catch(cl), m = await fn(e, d, { signal: f });
        if (m.source.split(`
`).length > rl)
          return a.current = null, c({ state: "picture", note: "drawn by the server: the graph is too large for a live picture" }), void bn(e, t, f);
        const v = a.current;
        v && p({ ...v, shader: m, before: x });
        const y = await fn(e, d, { bounds: !0, signal: f });
        p({ key: l, shader: y, before: x, ...await ll(e, t.functionId, y, x, f) });
      } catch (x) {
        if (f.aborted || !(x instanceof Z) || x.code === "unreachable") return;
        a.current = null;
        const m = hl(x);
        c(m), m.state === "picture" && bn(e, t, f);
      }
    })(), () => h.abort();
  }, [e, l, n, s, u]), r;
}
async function bn(e, t, n) {
  try {
    const s = { ...Ee(t), heights: [0] }, o = await P.post("/api/projects/{project}/slice", { path: { project: e }, body: s, signal: n });
    K({ bounds: o.bounds, unit: o.unit });
  } catch (s) {
    if (!n.aborted && !(s instanceof Z)) throw s;
  }
}
function cl(e) {
  if (e instanceof Z && e.code !== "unreachable") return null;
  throw e;
}
async function ll(e, t, n, s, o) {
  if (n.bounds) return { bounds: s?.bounds ? ul(n.bounds, s.bounds) : n.bounds, cuts: !1, note: null };
  const r = await qc(e, t, o), c = r.isDomain ? "cut by the domain of its level set" : "it has no bounds: cut to a box of 40 units";
  return { bounds: r.box, cuts: !0, note: c };
}
function ul(e, t) {
  const n = e[0].map((o, r) => Math.min(o, t[0][r] ?? o)), s = e[1].map((o, r) => Math.max(o, t[1][r] ?? o));
  return [n, s];
}
const dl = /* @__PURE__ */ new Set(["no_formula", "unknown_route", "too_large"]);
function hl(e) {
  return e.code === "no_formula" ? { state: "picture", note: "drawn by the server: it queries a mesh or an image" } : dl.has(e.code) ? { state: "picture", note: "drawn by the server" } : { state: "none", reason: `${e.message.charAt(0).toUpperCase()}${e.message.slice(1)}.`, hint: e.refusal.hint ?? null };
}
function fl(e) {
  const { drafts: t } = de(), n = [...t].filter(([, s]) => s.revision === null || s.revision > e);
  n.length !== t.size && K({ drafts: new Map(n) });
}
function pl() {
  const e = E((S) => S.project), t = E((S) => S.revision), n = E((S) => S.functions), s = E((S) => S.overview), o = H((S) => S.mode), r = H((S) => S.since), c = H((S) => S.bounds), a = H((S) => S.cuts), l = Ln(), u = l && "functionId" in l ? n.find((S) => S.function_id === l.functionId) : void 0, h = o === "compare" && l?.kind === "function", f = al(e, l, t, h ? r : null, u), [d, p] = g.useState(null), [x, m] = g.useState(null), v = g.useRef(null), y = g.useRef(null), _ = l ? xn(l) : "";
  if (g.useEffect(() => {
    m(null), K({ mode: "solid", since: null });
  }, [e, _]), g.useEffect(() => m(null), [t]), e === null || !s) return null;
  const b = s.build_item_count > 0, C = f.state === "field" && el() && d === null, M = f.state === "none" ? f : x, N = async () => {
    const S = v.current;
    return S && C ? new Promise((j) => S.toBlob(j)) : y.current;
  }, w = !l || l.kind === "build" ? e : "functionId" in l ? u?.name ?? e : `object ${l.objectId}`;
  return /* @__PURE__ */ i.jsxs("section", { className: "preview", "aria-label": "Preview", children: [
    /* @__PURE__ */ i.jsxs("header", { className: "preview-head", children: [
      b && l?.kind !== "object" ? /* @__PURE__ */ i.jsx(gl, { name: u?.name ?? null, isBuild: l?.kind === "build" }) : /* @__PURE__ */ i.jsx("h2", { className: "clip", children: w }),
      c && !M && /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
        o !== "slice" && /* @__PURE__ */ i.jsx(xl, {}),
        /* @__PURE__ */ i.jsx(bl, {}),
        /* @__PURE__ */ i.jsx(lo, { mode: "slice", label: "Slice" }),
        u && C && /* @__PURE__ */ i.jsx(lo, { mode: "compare", label: "What changed" })
      ] }),
      l && !M && /* @__PURE__ */ i.jsx(Dc, { project: e, subject: l, name: w, bounds: c, cuts: a, picture: N })
    ] }),
    /* @__PURE__ */ i.jsxs("div", { className: "stage", children: [
      l ? M ? /* @__PURE__ */ i.jsxs("p", { className: "reason", children: [
        M.reason,
        M.hint && /* @__PURE__ */ i.jsx("span", { className: "hint", children: M.hint })
      ] }) : o === "slice" && c ? /* @__PURE__ */ i.jsx(Ac, { project: e, subject: l, revision: t, bounds: c, cuts: a }) : C ? /* @__PURE__ */ i.jsx(nl, { field: f.field, onFailed: p, onCanvas: (S) => v.current = S }) : f.state === "loading" ? /* @__PURE__ */ i.jsx("div", { className: "skeleton", "aria-hidden": "true" }) : /* @__PURE__ */ i.jsx(
        ol,
        {
          project: e,
          subject: l,
          revision: t,
          onBlob: (S) => y.current = S,
          onRefused: (S) => m({ reason: `${S.message.charAt(0).toUpperCase()}${S.message.slice(1)}.`, hint: S.refusal.hint ?? null })
        }
      ) : /* @__PURE__ */ i.jsx("p", { className: "reason", children: "Nothing to show yet." }),
      /* @__PURE__ */ i.jsx(ml, { text: M || o === "slice" ? null : f.state === "picture" ? f.note : f.state === "field" ? C ? f.field.note : "drawn by the server: this browser has no WebGL 2" : null, detail: d })
    ] }),
    c && !M && /* @__PURE__ */ i.jsx(yl, { mode: o }),
    o === "compare" && u && /* @__PURE__ */ i.jsx(Mc, { project: e, functionId: u.function_id, revision: t })
  ] });
}
function ml({ text: e, detail: t }) {
  return e === null ? null : /* @__PURE__ */ i.jsx("p", { className: "note", title: t ?? void 0, children: e });
}
function gl({ name: e, isBuild: t }) {
  return /* @__PURE__ */ i.jsxs("div", { className: "scope", role: "group", "aria-label": "Shown in the preview", children: [
    e !== null || !t ? /* @__PURE__ */ i.jsx("button", { "aria-pressed": !t, className: "clip", onClick: () => K({ build: !1 }), children: e ?? "Function" }) : /* @__PURE__ */ i.jsx("button", { "aria-pressed": !1, onClick: () => K({ build: !1 }), children: "Function" }),
    /* @__PURE__ */ i.jsx("button", { "aria-pressed": t, onClick: () => K({ build: !0 }), children: "Build" })
  ] });
}
function xl() {
  const e = H((s) => s.camera), t = Object.keys(Oe), n = t.find((s) => Math.abs(Oe[s].azimuth - e.azimuth) < 0.01 && Math.abs(Oe[s].elevation - e.elevation) < 0.01);
  return /* @__PURE__ */ i.jsxs("select", { className: "view-choice", "aria-label": "View", value: n ?? "", onChange: (s) => hn(s.target.value), children: [
    !n && /* @__PURE__ */ i.jsx("option", { value: "", children: "View" }),
    t.map((s) => /* @__PURE__ */ i.jsx("option", { children: s }, s))
  ] });
}
function bl() {
  const e = H((n) => n.section);
  return H((n) => n.mode) === "slice" ? null : /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-label": "Section", title: "Section", "aria-pressed": e !== null, onClick: () => K({ section: e ? null : { axis: 0, share: 0.5 } }), children: /* @__PURE__ */ i.jsx(ln, { name: "section" }) });
}
function lo({ mode: e, label: t }) {
  const n = H((s) => s.mode);
  return /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-label": t, title: t, "aria-pressed": n === e, onClick: () => K({ mode: n === e ? "solid" : e }), children: /* @__PURE__ */ i.jsx(ln, { name: e }) });
}
function yl({ mode: e }) {
  const t = H((l) => l.section), n = H((l) => l.height), s = H((l) => l.bounds), o = Ne(H((l) => l.unit));
  if (!s) return null;
  if (e === "slice") {
    const l = dn(s, n);
    return /* @__PURE__ */ i.jsxs("label", { className: "cut", children: [
      /* @__PURE__ */ i.jsx("span", { children: "Height" }),
      /* @__PURE__ */ i.jsx("input", { type: "range", min: 0, max: 1, step: 25e-4, value: n, "aria-valuetext": `${ne(l)} ${o}`, onChange: (u) => K({ height: Number(u.target.value) }) }),
      /* @__PURE__ */ i.jsxs("output", { children: [
        ne(l),
        " ",
        /* @__PURE__ */ i.jsx("span", { className: "unit", children: o })
      ] })
    ] });
  }
  if (!t) return null;
  const { axis: r, share: c } = t, a = Number((s[0][r] + (s[1][r] - s[0][r]) * c).toPrecision(4));
  return /* @__PURE__ */ i.jsxs("div", { className: "cut", children: [
    /* @__PURE__ */ i.jsx("div", { className: "scope", role: "group", "aria-label": "Axis of the section", children: Ye.map((l, u) => /* @__PURE__ */ i.jsx("button", { "aria-pressed": r === u, onClick: () => K({ section: { axis: u, share: c } }), children: l }, l)) }),
    /* @__PURE__ */ i.jsx(
      "input",
      {
        type: "range",
        "aria-label": "Place of the section",
        "aria-valuetext": `${Ye[r]} = ${ne(a)} ${o}`,
        min: 0,
        max: 1,
        step: 25e-4,
        value: c,
        onChange: (l) => K({ section: { axis: r, share: Number(l.target.value) } })
      }
    ),
    /* @__PURE__ */ i.jsxs("output", { children: [
      ne(a),
      " ",
      /* @__PURE__ */ i.jsx("span", { className: "unit", children: o })
    ] })
  ] });
}
const vl = 500, wl = 90;
function jl(e, t, n, s) {
  const o = (a, l) => a ? { value: a.value, error: a.error, unit: a.unit ?? l } : null, r = e.bounds, c = r ? r.value[0].map((a, l) => ({ value: (r.value[1][l] ?? a) - a, error: r.error, unit: t })) : null;
  return { volume: o(e.volume, `${t}^3`), area: o(e.area, `${t}^2`), mass: o(e.mass, "g"), wall: o(e.wall, t), box: c, warnings: n, revision: s };
}
function Nl(e, t, n, s, o, r) {
  const [c, a] = g.useState(null), [l, u] = g.useState(null), [h, f] = g.useState(null), [d, p] = g.useState(!0), x = g.useRef(null), m = xn(t), v = JSON.stringify(o);
  g.useEffect(() => a(null), [e, m]), g.useEffect(() => {
    const _ = new AbortController();
    if (x.current = _, p(!0), !o) return;
    const b = async (M) => {
      const N = ["volume", "area", "bounds", "wall", ...s === null ? [] : ["mass"]], w = r ? { bounds: o } : {}, S = { ...Ee(t), ...w, figures: N, digits: "full", ...s === null ? {} : { density: s }, ...M === null ? {} : { cell: M } }, j = await P.post("/api/projects/{project}/measure", { path: { project: e }, body: S, signal: _.signal });
      a(jl(j.figures, j.unit, j.warnings ?? [], j.revision)), f(null), p(!1);
    }, C = setTimeout(() => {
      (async () => {
        try {
          await b(Number((Fe(o) / wl).toPrecision(3))), u(Date.now()), await b(null);
        } catch (M) {
          if (_.signal.aborted || !(M instanceof Z) || M.code === "unreachable" || M.code === "timed_out") return;
          a(null), f({ text: M.message, hint: M.refusal.hint ?? null });
        } finally {
          x.current === _ && u(null);
        }
      })();
    }, vl);
    return () => {
      clearTimeout(C), _.abort();
    };
  }, [e, m, n, s, v, r]);
  const y = g.useCallback(() => {
    x.current?.abort(), u(null);
  }, []);
  return { measures: c, isStale: d, since: l, refusal: h, cancel: y };
}
const uo = "fibula-density", kl = 1500;
function Sl({ project: e, subject: t }) {
  const n = E((p) => p.revision), s = H((p) => p.bounds), o = H((p) => p.cuts), [r, c] = g.useState(() => Number(localStorage.getItem(uo)) || null), { measures: a, isStale: l, since: u, refusal: h, cancel: f } = Nl(e, t, n, r, s, o), d = _l(u);
  return h ? /* @__PURE__ */ i.jsxs("section", { className: "measures", "aria-label": "Measures", children: [
    /* @__PURE__ */ i.jsx("h2", { className: "section-title", children: "Measures" }),
    /* @__PURE__ */ i.jsx("p", { className: "quiet", children: h.text })
  ] }) : /* @__PURE__ */ i.jsxs("section", { className: "measures", "aria-label": "Measures", "aria-busy": l, children: [
    /* @__PURE__ */ i.jsxs("h2", { className: "section-title", children: [
      /* @__PURE__ */ i.jsx("span", { children: "Measures" }),
      d !== null && /* @__PURE__ */ i.jsxs("button", { className: "button plain small", onClick: f, title: "Keep the measures that are shown", children: [
        "refining, ",
        d,
        " s \u2715"
      ] })
    ] }),
    /* @__PURE__ */ i.jsxs("dl", { className: l ? "stale" : "", children: [
      /* @__PURE__ */ i.jsx(dt, { name: "Volume", figures: a ? [a.volume] : null }),
      /* @__PURE__ */ i.jsx(dt, { name: "Area", figures: a ? [a.area] : null }),
      /* @__PURE__ */ i.jsx(dt, { name: "Size", figures: a ? a.box : null }),
      /* @__PURE__ */ i.jsx(dt, { name: "Thinnest wall", figures: a ? [a.wall] : null }),
      /* @__PURE__ */ i.jsx("dt", { children: /* @__PURE__ */ i.jsx("label", { htmlFor: "density", children: "Mass" }) }),
      /* @__PURE__ */ i.jsxs("dd", { children: [
        r !== null && (a ? /* @__PURE__ */ i.jsx(fo, { figures: [a.mass] }) : /* @__PURE__ */ i.jsx(ho, {})),
        /* @__PURE__ */ i.jsx(Ml, { value: r, onChange: c })
      ] })
    ] }),
    a && a.warnings.length > 0 && /* @__PURE__ */ i.jsxs("details", { className: "warnings", children: [
      /* @__PURE__ */ i.jsxs("summary", { children: [
        a.warnings.length,
        " ",
        a.warnings.length === 1 ? "remark" : "remarks"
      ] }),
      /* @__PURE__ */ i.jsx("ul", { children: a.warnings.map((p) => /* @__PURE__ */ i.jsx("li", { children: p }, p)) })
    ] })
  ] });
}
function _l(e) {
  const [t, n] = g.useState(0);
  return g.useEffect(() => {
    if (e === null) return;
    const s = setInterval(() => n(Date.now()), 500);
    return () => clearInterval(s);
  }, [e]), e === null || t - e < kl ? null : Math.round((t - e) / 1e3);
}
function dt({ name: e, figures: t }) {
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsx("dt", { children: e }),
    /* @__PURE__ */ i.jsx("dd", { children: t === null ? /* @__PURE__ */ i.jsx(ho, {}) : /* @__PURE__ */ i.jsx(fo, { figures: t }) })
  ] });
}
function ho() {
  return /* @__PURE__ */ i.jsx("span", { className: "skeleton-text", "aria-label": "being measured" });
}
function fo({ figures: e }) {
  const [t, n] = g.useState(!1), [s, o] = g.useState(!1), r = e.filter((h) => h !== null), [c] = r;
  if (g.useEffect(() => {
    if (!s) return;
    const h = setTimeout(() => o(!1), 1200);
    return () => clearTimeout(h);
  }, [s]), !c) return /* @__PURE__ */ i.jsx("span", { className: "quiet", children: "none" });
  const a = r.map((h) => String(h.value)).join(" \xD7 "), l = r.map((h) => cn(h.value, h.error)), u = c.error !== null && c.error >= Math.abs(c.value);
  return /* @__PURE__ */ i.jsxs(
    "button",
    {
      className: "figure",
      title: `${a} ${Ne(c.unit)}: a click copies it`,
      onClick: () => {
        n(!t), navigator.clipboard?.writeText(a).then(
          () => o(!0),
          () => {
          }
        );
      },
      children: [
        s && /* @__PURE__ */ i.jsx("span", { className: "copied", children: "copied " }),
        /* @__PURE__ */ i.jsx("span", { className: "value", children: t ? a : u ? `< ${ne(Number((Math.abs(c.value) + (c.error ?? 0)).toPrecision(2)))}` : l.map((h) => h.value).join(" \xD7 ") }),
        !t && !u && l[0]?.error !== null && /* @__PURE__ */ i.jsxs("span", { className: "error", children: [
          " \xB1 ",
          l[0]?.error
        ] }),
        /* @__PURE__ */ i.jsxs("span", { className: "unit", children: [
          " ",
          Ne(c.unit)
        ] })
      ]
    }
  );
}
function Ml({ value: e, onChange: t }) {
  const [n, s] = g.useState(e === null ? "" : String(e));
  function o() {
    const r = Number(n.replace(",", ".")), c = n.trim() !== "" && Number.isFinite(r) && r > 0 ? r : null;
    c === null && s(""), localStorage.setItem(uo, c === null ? "" : String(c)), t(c);
  }
  return /* @__PURE__ */ i.jsxs("span", { className: "density", children: [
    /* @__PURE__ */ i.jsx(
      "input",
      {
        id: "density",
        className: "field",
        inputMode: "decimal",
        placeholder: "density",
        "aria-label": "Density in grams per cubic centimetre",
        value: n,
        onChange: (r) => s(r.target.value),
        onBlur: o,
        onKeyDown: (r) => r.key === "Enter" && o()
      }
    ),
    /* @__PURE__ */ i.jsx("span", { className: "unit", children: "g/cm\xB3" })
  ] });
}
const po = /^(Constant(Scalar|Vector|Matrix)|constant)[_ ]?\d*$/;
async function El(e, t, n) {
  const s = [];
  let o;
  do {
    const r = { function_id: t, limit: 200, ...o ? { cursor: o } : {} }, c = await P.get("/api/projects/{project}/parameters", { path: { project: e }, query: r, signal: n });
    s.push(...c.parameters), o = c.next_cursor ?? void 0;
  } while (o);
  return s;
}
function $l(e) {
  const t = e.filter(({ value: s }) => typeof s == "number" || Array.isArray(s) && ut(s).length === 3);
  return { named: t.filter(({ name: s }) => !po.test(s)), others: t.filter(({ name: s }) => po.test(s)) };
}
function Cl({ project: e, functionId: t }) {
  const n = E((u) => u.revision), [s, o] = g.useState(null);
  if (g.useEffect(() => o(null), [e, t]), g.useEffect(() => {
    const u = new AbortController();
    return El(e, t, u.signal).then(o, () => {
    }), () => u.abort();
  }, [e, t, n]), !s) return null;
  const { named: r, others: c } = $l(s);
  if (r.length + c.length === 0) return null;
  const a = r.length > 0 ? r : c, l = r.length > 0 ? c : [];
  return /* @__PURE__ */ i.jsxs("section", { className: "parameters", "aria-label": "Parameters", children: [
    /* @__PURE__ */ i.jsx("h2", { className: "section-title", children: "Parameters" }),
    a.map((u) => /* @__PURE__ */ i.jsx(mo, { parameter: u }, u.node_id)),
    l.length > 0 && /* @__PURE__ */ i.jsxs("details", { children: [
      /* @__PURE__ */ i.jsxs("summary", { children: [
        l.length,
        " without a name"
      ] }),
      l.map((u) => /* @__PURE__ */ i.jsx(mo, { parameter: u }, u.node_id))
    ] })
  ] });
}
function mo({ parameter: e }) {
  const t = `${e.function_id}.${e.node_id}`, n = H((l) => l.drafts.get(t)), s = ut(e.value), o = n?.numbers ?? s, r = Array.isArray(e.value);
  function c(l, u) {
    Me(t, { numbers: o.map((h, f) => f === l ? u : h), revision: null });
  }
  async function a(l, u) {
    const h = o.map((x, m) => m === l ? u : x);
    if (h.every((x, m) => x === s[m])) return Me(t, null);
    Me(t, { numbers: h, revision: null });
    const f = { set_parameter_value: { function_id: e.function_id, parameter_name: e.name, value: r ? h : h[0] } }, d = () => D().graph?.nodes.find((x) => x.node_id === e.node_id)?.parameters, p = await Y([f], { label: `set ${e.name} to ${h.map((x) => ne(x)).join(", ")}`, basis: d });
    Me(t, p ? { numbers: h, revision: p.revision } : null);
  }
  return /* @__PURE__ */ i.jsxs("div", { className: `parameter ${r ? "vector" : ""}`, children: [
    /* @__PURE__ */ i.jsx("span", { className: "clip name", title: e.name, children: e.name }),
    o.map((l, u) => {
      const h = r ? `${e.name} ${"xyz"[u]}` : e.name;
      return /* @__PURE__ */ i.jsx(Tl, { label: h, hasTrack: !r, saved: s[u] ?? 0, value: l, onChange: (f) => c(u, f), onCommit: (f) => {
        a(u, f);
      } }, u);
    })
  ] });
}
const Al = 500;
function Tl({ label: e, hasTrack: t, saved: n, value: s, onChange: o, onCommit: r }) {
  const [c, a] = g.useState(() => Zs(n)), [l, u] = g.useState(null), h = g.useRef(!1), f = g.useRef(void 0), [d, p] = c;
  g.useEffect(() => {
    (n < d || n > p || n !== 0 && Math.abs(n) < (p - d) * 0.02) && a(Zs(n));
  }, [n, d, p]), g.useEffect(() => () => clearTimeout(f.current), []);
  const x = kc(c);
  function m() {
    if (l === null) return;
    const y = Number(l.trim().replace(",", ".").replace("\u2212", "-"));
    u(null), l.trim() !== "" && Number.isFinite(y) && r(y);
  }
  function v() {
    h.current && (h.current = !1, r(s));
  }
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    t && /* @__PURE__ */ i.jsx(
      "input",
      {
        type: "range",
        "aria-label": e,
        min: d,
        max: p,
        step: "any",
        value: s,
        style: { "--share": (s - d) / (p - d) },
        onPointerDown: () => h.current = !0,
        onPointerUp: v,
        onPointerCancel: v,
        onChange: (y) => o(Js(Number(y.target.value), x)),
        onKeyDown: (y) => {
          const _ = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[y.key];
          if (_ === void 0) return;
          y.preventDefault();
          const b = Math.min(p, Math.max(d, Js(s + _ * x, x)));
          o(b), clearTimeout(f.current), f.current = setTimeout(() => r(b), Al);
        }
      }
    ),
    /* @__PURE__ */ i.jsx(
      "input",
      {
        className: "field",
        "aria-label": t ? `${e}, as a number` : e,
        inputMode: "decimal",
        title: String(s),
        value: l ?? ne(s),
        onFocus: (y) => {
          u(String(s));
          const _ = y.currentTarget;
          requestAnimationFrame(() => document.activeElement === _ && _.select());
        },
        onChange: (y) => u(y.target.value),
        onBlur: m,
        onKeyDown: (y) => {
          y.key === "Enter" && y.currentTarget.blur(), y.key === "Escape" && (u(null), y.stopPropagation());
        }
      }
    )
  ] });
}
function Dl() {
  const e = E((l) => l.project), t = E((l) => l.functions), n = E((l) => l.trail.at(-1)), s = Ln();
  if (e === null) return null;
  const o = s && "functionId" in s ? s.functionId : void 0, r = t.find((l) => l.function_id === o), c = s !== null && s.kind !== "port" && (o === void 0 || r !== void 0 && co(r) === null), a = o ?? n;
  return /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
    /* @__PURE__ */ i.jsx(pl, {}),
    a !== void 0 && /* @__PURE__ */ i.jsx(Cl, { project: e, functionId: a }),
    c && /* @__PURE__ */ i.jsx(Sl, { project: e, subject: s })
  ] });
}
function Rl() {
  const e = E((d) => d.functions), t = E((d) => d.trail), n = E((d) => d.view), s = E((d) => d.overview), o = E((d) => d.subject), r = E((d) => d.project), [c, a] = g.useState(!1), l = n === "graph" ? t.at(-1) : void 0, u = s?.objects ?? [], h = s?.resources ?? [];
  async function f(d) {
    if (a(!1), !d.trim() || r === null) return;
    const p = { name: d.trim(), inputs: [{ name: "pos", type: "float3" }], outputs: [{ name: "shape", type: "float" }], nodes: [] }, m = (await Y([{ set_function: { function_id: "$new", ...p } }], { basis: () => null }))?.ids.$new;
    m !== void 0 && await ue(m);
  }
  return /* @__PURE__ */ i.jsxs("div", { className: "outline", children: [
    /* @__PURE__ */ i.jsx(yn, { title: "Functions", count: e.length, children: /* @__PURE__ */ i.jsx("button", { className: "icon small-icon", "aria-label": "New function", title: "New function", onClick: () => a(!0), children: /* @__PURE__ */ i.jsx(X, { name: "plus", size: 14 }) }) }),
    c && /* @__PURE__ */ i.jsx(
      "form",
      {
        className: "naming",
        onSubmit: (d) => {
          d.preventDefault(), f(new FormData(d.currentTarget).get("name"));
        },
        children: /* @__PURE__ */ i.jsx("input", { className: "field", name: "name", "aria-label": "Name of the function", placeholder: "Name", autoFocus: !0, autoComplete: "off", onBlur: () => a(!1), onKeyDown: (d) => d.key === "Escape" && a(!1) })
      }
    ),
    /* @__PURE__ */ i.jsx("ul", { children: e.map((d) => /* @__PURE__ */ i.jsx("li", { children: /* @__PURE__ */ i.jsxs("button", { className: "row", "aria-current": d.function_id === l ? "page" : void 0, onClick: () => {
      ue(d.function_id);
    }, title: `${d.name}: function ${d.function_id}`, children: [
      /* @__PURE__ */ i.jsx(X, { name: "function", size: 14 }),
      /* @__PURE__ */ i.jsx("span", { className: "clip", children: d.name }),
      /* @__PURE__ */ i.jsx("span", { className: "meta", children: d.node_count })
    ] }) }, d.function_id)) }),
    u.length > 0 && /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
      /* @__PURE__ */ i.jsx(yn, { title: "Objects", count: s?.object_count ?? 0 }),
      /* @__PURE__ */ i.jsxs("ul", { children: [
        (s?.build_item_count ?? 0) > 0 && /* @__PURE__ */ i.jsx(go, { name: "Build", meta: `${s?.build_item_count}`, subject: { kind: "build" }, current: o }),
        u.map((d) => /* @__PURE__ */ i.jsx(go, { name: d.name ?? `${d.kind} ${d.object_id}`, meta: d.kind, subject: { kind: "object", objectId: d.object_id ?? 0 }, current: o }, d.object_id))
      ] })
    ] }),
    h.length > 0 && /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
      /* @__PURE__ */ i.jsx(yn, { title: "Resources", count: s?.resource_count ?? 0 }),
      /* @__PURE__ */ i.jsx("ul", { children: h.map((d) => /* @__PURE__ */ i.jsxs("li", { className: "row still", children: [
        /* @__PURE__ */ i.jsx("span", { className: "clip", children: d.name ?? `${d.kind} ${d.resource_id}` }),
        /* @__PURE__ */ i.jsx("span", { className: "meta clip", children: d.kind })
      ] }, d.resource_id)) })
    ] }),
    /* @__PURE__ */ i.jsx(Ol, {})
  ] });
}
function yn({ title: e, count: t, children: n }) {
  return /* @__PURE__ */ i.jsxs("div", { className: "section-title", children: [
    /* @__PURE__ */ i.jsxs("h2", { children: [
      e,
      " ",
      t > 0 && /* @__PURE__ */ i.jsx("span", { className: "count", children: t })
    ] }),
    n
  ] });
}
function go({ name: e, meta: t, subject: n, current: s }) {
  const o = JSON.stringify(n) === JSON.stringify(s);
  return /* @__PURE__ */ i.jsx("li", { children: /* @__PURE__ */ i.jsxs("button", { className: "row", "aria-pressed": o, onClick: () => R({ subject: n }), title: `Show ${e}`, children: [
    /* @__PURE__ */ i.jsx(X, { name: "solid", size: 14 }),
    /* @__PURE__ */ i.jsx("span", { className: "clip", children: e }),
    /* @__PURE__ */ i.jsx("span", { className: "meta clip", children: t })
  ] }) });
}
function Ol() {
  const e = E((u) => u.project), [t, n] = g.useState(null), [s, o] = g.useState("");
  async function r() {
    if (!(t !== null || e === null))
      try {
        const u = await P.get("/api/projects/{project}/functions", { path: { project: e }, query: { library: !0, limit: 200 } });
        n(u.library ?? []);
      } catch (u) {
        F(u);
      }
  }
  async function c(u) {
    const f = (await Y([{ insert_function: { name: u, function_id: "$new" } }], { basis: () => null }))?.ids.$new;
    await ee(), f !== void 0 && await ue(f);
  }
  const a = s.trim().toLowerCase(), l = (t ?? []).filter((u) => !a || `${u.name} ${u.group} ${u.about}`.toLowerCase().includes(a));
  return /* @__PURE__ */ i.jsxs("details", { className: "library", onToggle: () => {
    r();
  }, children: [
    /* @__PURE__ */ i.jsx("summary", { className: "section-title", children: "Library" }),
    /* @__PURE__ */ i.jsx("div", { className: "naming", children: /* @__PURE__ */ i.jsx("input", { className: "field", "aria-label": "Search the library", placeholder: "Search", value: s, onChange: (u) => o(u.target.value) }) }),
    /* @__PURE__ */ i.jsx("ul", { children: l.map((u) => /* @__PURE__ */ i.jsx("li", { children: /* @__PURE__ */ i.jsxs("button", { className: "row", title: `${u.signature}
${u.about}`, onClick: () => {
      c(u.name);
    }, children: [
      /* @__PURE__ */ i.jsx(X, { name: "plus", size: 12 }),
      /* @__PURE__ */ i.jsx("span", { className: "clip", children: u.name }),
      /* @__PURE__ */ i.jsx("span", { className: "meta clip", children: u.group })
    ] }) }, u.name)) })
  ] });
}
const xo = "fibula-page";
function Ll() {
  try {
    return JSON.parse(localStorage.getItem(xo) ?? "{}");
  } catch {
    return {};
  }
}
const me = He()(() => ({
  theme: "system",
  left: innerWidth > 760,
  right: innerWidth > 760,
  leftWidth: 236,
  rightWidth: innerWidth < 1200 ? 300 : 360,
  ...Ll()
}));
me.subscribe((e) => {
  localStorage.setItem(xo, JSON.stringify(e)), bo(e.theme);
});
function bo(e = me.getState().theme) {
  e === "system" ? delete document.documentElement.dataset.theme : document.documentElement.dataset.theme = e;
}
function Fl({ children: e }) {
  const [t, n] = g.useState(!1);
  return /* @__PURE__ */ i.jsxs(
    "div",
    {
      className: "drop",
      onDragOver: (s) => {
        s.dataTransfer.types.includes("Files") && (s.preventDefault(), n(!0));
      },
      onDragLeave: (s) => {
        s.currentTarget.contains(s.relatedTarget) || n(!1);
      },
      onDrop: (s) => {
        s.dataTransfer.files.length !== 0 && (s.preventDefault(), n(!1), Zn([...s.dataTransfer.files]));
      },
      children: [
        e,
        t && /* @__PURE__ */ i.jsx("div", { className: "drop-hint", children: "Drop to import: 3MF, STL, OBJ, .vm, or a knowledge graph as JSON-LD, GraphML, CSV\u2026" })
      ]
    }
  );
}
function yo(e) {
  return (t, n) => {
    const o = (D().overview?.build_item_count ?? 0) > 0 || n === void 0 ? {} : { function_id: n };
    return se("POST", Q("/api/projects/{project}/export", { project: t }), { format: e, ...o });
  };
}
const Pl = [
  { label: "3MF", hint: "functions and objects, exact", extension: "3mf", run: (e) => se("GET", Q("/api/projects/{project}/export.3mf", { project: e })) },
  { label: "STL", hint: "triangles", extension: "stl", run: yo("stl") },
  { label: "OBJ", hint: "triangles", extension: "obj", run: yo("obj") },
  { label: "SVG", hint: "picture of the graph", extension: "svg", run: Il("svg") },
  { label: "PNG", hint: "picture of the part", extension: "png", run: zl }
];
function Il(e) {
  return (t, n) => se("GET", Q("/api/projects/{project}/functions/{function_id}/picture", { project: t, function_id: n ?? 0 }, { format: e }));
}
function zl(e, t) {
  const s = (D().overview?.build_item_count ?? 0) > 0 || t === void 0 ? {} : { function_id: t };
  return se("POST", Q("/api/projects/{project}/render", { project: e }), { size: [1024, 1024], ...s });
}
function Bl() {
  const [e, t] = g.useState(!1), [n, s] = g.useState(null), o = g.useRef(null), r = E((l) => l.project), c = E((l) => l.trail.at(-1));
  g.useEffect(() => {
    e && o.current?.querySelector('[role="menuitem"]')?.focus();
  }, [e]);
  async function a(l) {
    if (t(!1), r !== null) {
      s(l.label);
      try {
        const u = await l.run(r, c), h = await u.blob();
        Ul(h, `${r.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) || "part"}.${l.extension}`);
        const f = u.headers.get("fibula-warnings");
        f && q({ tone: "info", text: f });
      } catch (u) {
        F(u);
      } finally {
        s(null);
      }
    }
  }
  return /* @__PURE__ */ i.jsxs(
    "div",
    {
      className: "menu-anchor",
      onBlur: (l) => {
        l.currentTarget.contains(l.relatedTarget) || t(!1);
      },
      onKeyDown: (l) => {
        if (l.key === "Escape" && t(!1), l.key !== "ArrowDown" && l.key !== "ArrowUp") return;
        const u = [...o.current?.querySelectorAll('[role="menuitem"]') ?? []], h = u.indexOf(document.activeElement);
        u[(h + (l.key === "ArrowDown" ? 1 : -1) + u.length) % u.length]?.focus(), l.preventDefault();
      },
      children: [
        /* @__PURE__ */ i.jsxs("button", { className: "button plain", "aria-haspopup": "menu", "aria-expanded": e, onClick: () => t(!e), disabled: n !== null, children: [
          /* @__PURE__ */ i.jsx(X, { name: "export", size: 14 }),
          /* @__PURE__ */ i.jsx("span", { className: "wide", children: n === null ? "Export" : `${n}\u2026` })
        ] }),
        e && /* @__PURE__ */ i.jsx("div", { className: "menu", role: "menu", "aria-label": "Export as", ref: o, children: Pl.map((l) => /* @__PURE__ */ i.jsxs("button", { role: "menuitem", tabIndex: -1, onClick: () => {
          a(l);
        }, children: [
          /* @__PURE__ */ i.jsx("span", { children: l.label }),
          /* @__PURE__ */ i.jsx("span", { className: "hint", children: l.hint })
        ] }, l.label)) })
      ]
    }
  );
}
function Ul(e, t) {
  const n = document.createElement("a");
  n.href = URL.createObjectURL(e), n.download = t, n.click(), setTimeout(() => URL.revokeObjectURL(n.href), 1e4);
}
const vn = "fibula-search";
function Hl() {
  window.dispatchEvent(new Event(vn));
}
function Gl() {
  const [e, t] = g.useState(!1);
  return g.useEffect(() => {
    const n = (o) => {
      if (!(o.ctrlKey || o.metaKey) || D().project === null) return;
      const r = !!o.target?.closest("input:not([readonly]), textarea"), c = o.key.toLowerCase();
      if (c === "k") t((a) => !a);
      else if (c === "j") R({ bottom: D().bottom === null ? "activity" : null });
      else if (c === "z" && !r) oe(o.shiftKey);
      else if (c === "y" && !r) oe(!0);
      else return;
      o.preventDefault();
    }, s = () => t(!0);
    return window.addEventListener("keydown", n), window.addEventListener(vn, s), () => {
      window.removeEventListener("keydown", n), window.removeEventListener(vn, s);
    };
  }, []), { search: e, closeSearch: () => t(!1) };
}
const Wl = { system: "light", light: "dark", dark: "system" }, vo = {
  connecting: "connecting\u2026",
  live: "live",
  offline: "The server does not answer; the page continues when it is back.",
  unauthorized: "needs a token"
};
function Vl() {
  const e = E((l) => l.project), t = E((l) => l.link), n = E((l) => l.revision), s = E((l) => l.view), { theme: o, left: r, right: c } = me(), a = e !== null;
  return /* @__PURE__ */ i.jsxs("header", { className: "head", children: [
    /* @__PURE__ */ i.jsxs("button", { className: "brand", onClick: xt, "aria-label": "Fibula: all projects", title: "All projects", children: [
      /* @__PURE__ */ i.jsxs("svg", { width: "18", height: "18", viewBox: "0 0 16 16", "aria-hidden": "true", children: [
        /* @__PURE__ */ i.jsx("path", { d: "M3 12c4 0 5-8 10-8", fill: "none", stroke: "currentColor", strokeWidth: "1.6" }),
        /* @__PURE__ */ i.jsx("circle", { cx: "3", cy: "12", r: "2", fill: "currentColor" }),
        /* @__PURE__ */ i.jsx("circle", { cx: "13", cy: "4", r: "2", fill: "currentColor" })
      ] }),
      /* @__PURE__ */ i.jsx("span", { className: "brand-name", children: "Fibula" })
    ] }),
    a && /* @__PURE__ */ i.jsx("h1", { className: "project clip", title: e, children: e }),
    !a && /* @__PURE__ */ i.jsx("h1", { className: "visually-hidden", children: "Fibula" }),
    a && /* @__PURE__ */ i.jsxs("span", { className: "revision mono", title: "Revision of the project", children: [
      "r",
      n
    ] }),
    a && /* @__PURE__ */ i.jsxs("div", { className: "segments", role: "group", "aria-label": "View", children: [
      /* @__PURE__ */ i.jsx("button", { "aria-pressed": s === "graph", onClick: () => R({ view: "graph" }), children: "Functions" }),
      /* @__PURE__ */ i.jsx("button", { "aria-pressed": s === "knowledge", onClick: () => R({ view: "knowledge" }), children: "Knowledge" })
    ] }),
    /* @__PURE__ */ i.jsx("span", { className: `link-state ${t}`, role: "status", children: t === "live" ? /* @__PURE__ */ i.jsx("span", { className: "visually-hidden", children: vo.live }) : /* @__PURE__ */ i.jsx("span", { className: "clip", children: vo[t] }) }),
    /* @__PURE__ */ i.jsx("span", { className: "grow" }),
    a && /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
      /* @__PURE__ */ i.jsx("button", { className: "icon", onClick: () => {
        oe();
      }, title: "Undo (Ctrl+Z)", "aria-label": "Undo", children: /* @__PURE__ */ i.jsx(X, { name: "undo" }) }),
      /* @__PURE__ */ i.jsx("button", { className: "icon", onClick: () => {
        oe(!0);
      }, title: "Redo (Ctrl+Shift+Z)", "aria-label": "Redo", children: /* @__PURE__ */ i.jsx(X, { name: "redo" }) }),
      /* @__PURE__ */ i.jsxs("button", { className: "button plain search-button", onClick: Hl, title: "Search (Ctrl+K)", children: [
        /* @__PURE__ */ i.jsx(X, { name: "search", size: 14 }),
        /* @__PURE__ */ i.jsx("span", { children: "Search" }),
        /* @__PURE__ */ i.jsx("kbd", { children: "Ctrl K" })
      ] }),
      /* @__PURE__ */ i.jsx(Bl, {})
    ] }),
    /* @__PURE__ */ i.jsx("button", { className: "icon", onClick: () => me.setState({ theme: Wl[o] }), title: `Theme: ${o}`, "aria-label": `Theme: ${o}`, children: /* @__PURE__ */ i.jsx(X, { name: o === "dark" ? "moon" : "sun" }) }),
    a && /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
      /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-pressed": r, onClick: () => me.setState({ left: !r }), title: "Outline", "aria-label": "Outline", children: /* @__PURE__ */ i.jsx(X, { name: "left" }) }),
      /* @__PURE__ */ i.jsx("button", { className: "icon", onClick: () => R({ bottom: E.getState().bottom === null ? "activity" : null }), title: "Activity, problems, history, table (Ctrl+J)", "aria-label": "Lower panel", children: /* @__PURE__ */ i.jsx(X, { name: "bottom" }) }),
      /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-pressed": c, onClick: () => me.setState({ right: !c }), title: "Part and inspector", "aria-label": "Part and inspector", children: /* @__PURE__ */ i.jsx(X, { name: "right" }) })
    ] })
  ] });
}
function Kl() {
  const e = E((t) => t.notices);
  return /* @__PURE__ */ i.jsx("div", { className: "notices", role: "log", "aria-live": "polite", "aria-label": "Messages", children: e.map((t) => /* @__PURE__ */ i.jsxs("div", { className: `notice ${t.tone}`, children: [
    /* @__PURE__ */ i.jsxs("div", { className: "notice-text", children: [
      /* @__PURE__ */ i.jsx("p", { children: t.text.slice(0, 600) }),
      t.hint && /* @__PURE__ */ i.jsx("p", { className: "hint", children: t.hint.slice(0, 400) })
    ] }),
    t.action && /* @__PURE__ */ i.jsx(
      "button",
      {
        className: "button small",
        onClick: () => {
          ft(t.id), t.action?.run();
        },
        children: t.action.label
      }
    ),
    /* @__PURE__ */ i.jsx("button", { className: "icon", "aria-label": "Dismiss", onClick: () => ft(t.id), children: /* @__PURE__ */ i.jsx(X, { name: "close", size: 12 }) })
  ] }, t.id)) });
}
const ql = 60;
function Xl({ onClose: e }) {
  const t = E((h) => h.functions), n = E((h) => h.graph), [s, o] = g.useState(""), [r, c] = g.useState(0), a = g.useRef(null), l = g.useMemo(() => {
    const f = [
      ...t.map((d) => ({ key: `f${d.function_id}`, name: d.name, hint: `function ${d.function_id}`, run: () => {
        ue(d.function_id);
      } })),
      ...(n?.nodes ?? []).map((d) => ({ key: `n${d.node_id}`, name: ce(d), hint: `${d.display_name ? `${d.node_type} \xB7 ` : ""}node ${d.node_id}`, run: () => qe(d.node_id) })),
      { key: "undo", name: "Undo", hint: "Ctrl Z", run: () => {
        oe();
      } },
      { key: "redo", name: "Redo", hint: "Ctrl Shift Z", run: () => {
        oe(!0);
      } },
      { key: "tidy", name: "Tidy up", hint: "L", run: () => {
        $t();
      } },
      { key: "activity", name: "Activity", hint: "panel", run: () => R({ bottom: "activity" }) },
      { key: "problems", name: "Problems", hint: "panel", run: () => R({ bottom: "problems" }) },
      { key: "history", name: "History", hint: "panel", run: () => R({ bottom: "history" }) },
      { key: "table", name: "Table", hint: "panel", run: () => R({ bottom: "table" }) },
      { key: "projects", name: "All projects", hint: "page", run: xt }
    ].map((d) => ({ ...d, rank: Pt(s, [d.name, d.hint]) })).filter((d) => d.rank > 0);
    return s.trim() && f.sort((d, p) => p.rank - d.rank), f.slice(0, ql);
  }, [t, n, s]);
  g.useEffect(() => c(0), [s]), g.useEffect(() => {
    a.current?.children[r]?.scrollIntoView({ block: "nearest" });
  }, [r]);
  function u(h) {
    e(), h?.run();
  }
  return /* @__PURE__ */ i.jsxs(
    "div",
    {
      className: "palette search",
      role: "dialog",
      "aria-label": "Search",
      onBlur: (h) => {
        h.currentTarget.contains(h.relatedTarget) || e();
      },
      children: [
        /* @__PURE__ */ i.jsx(
          "input",
          {
            className: "palette-search",
            autoFocus: !0,
            role: "combobox",
            "aria-expanded": "true",
            "aria-controls": "search-list",
            "aria-activedescendant": l[r] ? `search-${r}` : void 0,
            "aria-label": "Search functions, nodes and commands",
            placeholder: "Functions, nodes, commands\u2026",
            value: s,
            autoComplete: "off",
            spellCheck: !1,
            onChange: (h) => o(h.target.value),
            onKeyDown: (h) => {
              if (h.key === "ArrowDown") c((f) => Math.min(f + 1, l.length - 1));
              else if (h.key === "ArrowUp") c((f) => Math.max(f - 1, 0));
              else if (h.key === "Enter") u(l[r]);
              else if (h.key === "Escape") e();
              else return;
              h.preventDefault();
            }
          }
        ),
        /* @__PURE__ */ i.jsx("ul", { id: "search-list", role: "listbox", "aria-label": "Results", ref: a, tabIndex: -1, children: l.map((h, f) => /* @__PURE__ */ i.jsxs("li", { id: `search-${f}`, role: "option", "aria-selected": f === r, className: f === r ? "current" : "", onPointerMove: () => c(f), onPointerDown: (d) => d.preventDefault(), onClick: () => u(h), children: [
          /* @__PURE__ */ i.jsx("span", {}),
          /* @__PURE__ */ i.jsx("span", { className: "clip", children: h.name }),
          /* @__PURE__ */ i.jsx("span", { className: "hint clip", children: h.hint })
        ] }, h.key)) }),
        /* @__PURE__ */ i.jsx("p", { className: "palette-foot", children: l.length === 0 ? "Nothing has this name." : "Enter opens, Escape closes" })
      ]
    }
  );
}
const wo = 180, jo = 640, No = 16;
function ko({ side: e }) {
  const t = e === "left" ? "leftWidth" : "rightWidth", n = me((o) => o[t]), s = (o) => me.setState({ [t]: Math.max(wo, Math.min(jo, innerWidth / 2, o)) });
  return /* @__PURE__ */ i.jsx(
    "div",
    {
      className: `splitter ${e}`,
      role: "separator",
      "aria-orientation": "vertical",
      "aria-label": e === "left" ? "Width of the outline" : "Width of the inspector",
      "aria-valuenow": Math.round(n),
      "aria-valuemin": wo,
      "aria-valuemax": jo,
      tabIndex: 0,
      onPointerDown: (o) => {
        const r = o.clientX, c = o.currentTarget;
        c.setPointerCapture(o.pointerId), c.onpointermove = (a) => s(n + (e === "left" ? a.clientX - r : r - a.clientX)), c.onpointerup = () => {
          c.onpointermove = null;
        };
      },
      onKeyDown: (o) => {
        const r = e === "left" ? "ArrowRight" : "ArrowLeft";
        (o.key === "ArrowLeft" || o.key === "ArrowRight") && s(n + (o.key === r ? No : -No));
      }
    }
  );
}
function Yl() {
  const [e, t] = g.useState("");
  return /* @__PURE__ */ i.jsxs(
    "form",
    {
      className: "token",
      "aria-label": "Token",
      onSubmit: (n) => {
        n.preventDefault(), zo(e.trim()), location.reload();
      },
      children: [
        /* @__PURE__ */ i.jsx("p", { children: "This server was started with a token." }),
        /* @__PURE__ */ i.jsx("input", { className: "field", type: "password", autoFocus: !0, "aria-label": "Token", placeholder: "Token", value: e, autoComplete: "current-password", onChange: (n) => t(n.target.value) }),
        /* @__PURE__ */ i.jsx("button", { className: "button primary", disabled: e.trim() === "", children: "Open" })
      ]
    }
  );
}
function Zl() {
  const e = E((h) => h.project), t = E((h) => h.link), n = E((h) => h.view === "knowledge"), s = me(), { search: o, closeSearch: r } = Gl(), c = e !== null, a = s.left && c, l = s.right && c, u = { "--left": `${a ? s.leftWidth : 0}px`, "--right": `${l ? s.rightWidth : 0}px` };
  return /* @__PURE__ */ i.jsxs("div", { className: "app", style: u, "data-link": t, children: [
    /* @__PURE__ */ i.jsx(Vl, {}),
    a && /* @__PURE__ */ i.jsxs("nav", { className: "left", "aria-label": "Outline", children: [
      /* @__PURE__ */ i.jsx(Rl, {}),
      /* @__PURE__ */ i.jsx(ko, { side: "left" })
    ] }),
    /* @__PURE__ */ i.jsxs("main", { className: "centre", children: [
      /* @__PURE__ */ i.jsx(Fl, { children: c ? n ? /* @__PURE__ */ i.jsx(gc, { project: e }) : /* @__PURE__ */ i.jsx(Jl, {}) : /* @__PURE__ */ i.jsx(ts, {}) }),
      /* @__PURE__ */ i.jsx(Kl, {})
    ] }),
    l && /* @__PURE__ */ i.jsxs("aside", { className: "right", "aria-label": "Part and inspector", children: [
      /* @__PURE__ */ i.jsx(ko, { side: "right" }),
      n ? /* @__PURE__ */ i.jsx(Ra, { project: e }) : /* @__PURE__ */ i.jsxs(i.Fragment, { children: [
        /* @__PURE__ */ i.jsx(Dl, {}),
        /* @__PURE__ */ i.jsx(qr, {})
      ] })
    ] }),
    c && /* @__PURE__ */ i.jsx(ar, {}),
    o && /* @__PURE__ */ i.jsx(Xl, { onClose: r }),
    t === "unauthorized" && /* @__PURE__ */ i.jsx(Yl, {})
  ] });
}
function Jl() {
  const e = E((o) => o.functions), t = E((o) => o.revision), n = E((o) => o.trail);
  return E((o) => o.overview !== null) ? e.length === 0 && n.length === 0 ? /* @__PURE__ */ i.jsx(ts, { isProject: !0 }, t) : /* @__PURE__ */ i.jsx(Gr, {}) : /* @__PURE__ */ i.jsx("div", { className: "skeleton", "aria-hidden": "true" });
}
bo(), di();
const So = document.getElementById("root");
So && Oo.createRoot(So).render(
  /* @__PURE__ */ i.jsx(g.StrictMode, { children: /* @__PURE__ */ i.jsx(Zl, {}) })
);
