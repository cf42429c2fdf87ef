import { c as create$1, j as jsxRuntimeExports, r as reactExports, a as reactDomExports, H as Handle, P as Position, g as getBezierPath, B as BaseEdge, R as ReactFlowProvider, u as useReactFlow, i as index, b as Background, d as BackgroundVariant, M as MiniMap, e as clientExports } from "./vendor.js";
const useStore = create$1()(() => ({
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
  draft: null,
  probe: {},
  values: /* @__PURE__ */ new Map(),
  bottom: null,
  notices: []
}));
const get = useStore.getState;
const set = useStore.setState;
let nextNotice = 1;
function notify(notice) {
  const id = nextNotice++;
  const others = get().notices.filter((old) => old.text !== notice.text);
  set({ notices: [...others, { ...notice, id }].slice(-3) });
  if (notice.tone === "info" && !notice.action) setTimeout(() => dismiss(id), 4e3);
  return id;
}
function dismiss(id) {
  set({ notices: get().notices.filter((notice) => notice.id !== id) });
}
function notifyRefusal(refusal2, action) {
  notify({ tone: "error", text: refusal2.message, hint: refusal2.hint ?? void 0, action });
}
const PATHS = {
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
function Icon({ name, size = 16 }) {
  return /* @__PURE__ */ jsxRuntimeExports.jsx("svg", { width: size, height: size, viewBox: "0 0 16 16", fill: "none", stroke: "currentColor", strokeWidth: "1.3", strokeLinecap: "round", strokeLinejoin: "round", "aria-hidden": "true", children: /* @__PURE__ */ jsxRuntimeExports.jsx("path", { d: PATHS[name] }) });
}
function PortShape({ type }) {
  return /* @__PURE__ */ jsxRuntimeExports.jsx("svg", { className: "port-shape", width: "10", height: "10", viewBox: "0 0 10 10", style: { color: `var(--type-${type}, var(--text-3))` }, "aria-hidden": "true", children: shape(type) });
}
function shape(type) {
  switch (type) {
    case "float":
      return /* @__PURE__ */ jsxRuntimeExports.jsx("circle", { cx: "5", cy: "5", r: "3.6", fill: "currentColor" });
    case "float3":
      return /* @__PURE__ */ jsxRuntimeExports.jsx("path", { d: "M5 .6 9.400 5 5 9.400 .6 5Z", fill: "currentColor" });
    case "matrix4x4":
      return /* @__PURE__ */ jsxRuntimeExports.jsx("rect", { x: "1.300", y: "1.300", width: "7.400", height: "7.400", rx: "0.800", fill: "currentColor" });
    case "resource_id":
      return /* @__PURE__ */ jsxRuntimeExports.jsx("path", { d: "M1.300 1 9 5 1.300 9Z", fill: "currentColor" });
    case "integer":
      return /* @__PURE__ */ jsxRuntimeExports.jsx("circle", { cx: "5", cy: "5", r: "3", fill: "none", stroke: "currentColor", strokeWidth: "2" });
    default:
      return /* @__PURE__ */ jsxRuntimeExports.jsx("rect", { x: "2", y: "2", width: "6", height: "6", fill: "none", stroke: "currentColor", strokeWidth: "2" });
  }
}
class ApiError extends Error {
  constructor(status, refusal2) {
    super(refusal2.message);
    this.status = status;
    this.refusal = refusal2;
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
const TOKEN = "fibula-token";
function token() {
  return sessionStorage.getItem(TOKEN);
}
function setToken(value) {
  sessionStorage.setItem(TOKEN, value);
}
function headers(more = {}) {
  const all = new Headers({ "X-Fibula-Client": "page", Accept: "application/json", ...more });
  const secret = token();
  if (secret) all.set("Authorization", `Bearer ${secret}`);
  return all;
}
function url(route, path = {}, query = {}) {
  const values = path;
  const filled = route.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== void 0 && value !== null) search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}
function unreachable() {
  const message = "the server does not answer";
  const hint = "the page keeps what you see and continues as soon as the server is back";
  return new ApiError(0, { success: false, code: "unreachable", message, hint, details: null });
}
async function refusal(response) {
  try {
    return new ApiError(response.status, await response.json());
  } catch {
    const message = `the server answered with status ${response.status}`;
    return new ApiError(response.status, { success: false, code: "bad_answer", message, hint: null, details: null });
  }
}
async function send(method, address, init) {
  let response;
  try {
    response = await fetch(address, { ...init, method, cache: "no-store" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
  if (!response.ok) throw await refusal(response);
  return response;
}
function raw(method, address, body, signal) {
  const json = body === void 0 ? {} : { body: JSON.stringify(body) };
  const type = body === void 0 ? {} : { "Content-Type": "application/json" };
  return send(method, address, { headers: headers({ ...type, Accept: "*/*" }), signal: signal ?? null, ...json });
}
async function upload(address, file, type) {
  const response = await send("POST", address, { headers: headers({ "Content-Type": type }), body: file });
  return await response.json();
}
async function call(method, route, options) {
  const address = url(route, options.path ?? {}, options.query ?? {});
  const response = await raw(method.toUpperCase(), address, options.body, options.signal);
  return await response.json();
}
const api = {
  get: (route, options = {}) => call("get", route, options),
  post: (route, options = {}) => call("post", route, options),
  put: (route, options = {}) => call("put", route, options),
  patch: (route, options = {}) => call("patch", route, options),
  delete: (route, options = {}) => call("delete", route, options)
};
function parse(text) {
  const blocks = text.replace(/\r\n?/g, "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  const messages = [];
  for (const block of blocks) {
    const message = { event: "message", id: null, data: "" };
    let hasData = false;
    for (const line of block.split("\n")) {
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "event") message.event = value;
      if (field === "id") message.id = value;
      if (field === "data") {
        message.data += (hasData ? "\n" : "") + value;
        hasData = true;
      }
    }
    if (hasData || message.event !== "message") messages.push(message);
  }
  return { messages, rest };
}
const MOST_WAIT_MS = 4e3;
const SILENCE_MS = 4e4;
function follow(listener) {
  let last2 = null;
  let current = null;
  let stopped = false;
  async function read2(signal) {
    const more = { Accept: "text/event-stream" };
    if (last2 !== null) more["Last-Event-ID"] = last2;
    const response = await fetch("/api/events", { headers: headers(more), signal: signal.signal, cache: "no-store" });
    if (response.status === 401) {
      listener.state("unauthorized");
      return;
    }
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    listener.state("live");
    if (last2 === null) listener.resync();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (; ; ) {
      const silence = setTimeout(() => signal.abort(), SILENCE_MS);
      const { value, done } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      const parsed = parse(text + value);
      text = parsed.rest;
      for (const message of parsed.messages) {
        if (message.id !== null) last2 = message.id;
        if (message.event === "resync") listener.resync();
        else if (message.event === "change") listener.change(JSON.parse(message.data));
      }
    }
  }
  async function loop() {
    const signal = new AbortController();
    current = signal;
    let wait = 150;
    while (!stopped && current === signal) {
      try {
        await read2(signal);
        wait = 150;
      } catch {
        if (current !== signal) return;
      }
      if (stopped || current !== signal) return;
      if (signal.signal.aborted) return void loop();
      listener.state("offline");
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, MOST_WAIT_MS);
    }
  }
  function visibility() {
    if (document.hidden) {
      const old = current;
      current = null;
      old?.abort();
    } else if (current === null) {
      void loop();
    }
  }
  document.addEventListener("visibilitychange", visibility);
  if (!document.hidden) void loop();
  return () => {
    stopped = true;
    document.removeEventListener("visibilitychange", visibility);
    current?.abort();
  };
}
const END = 0;
function isSource(setting) {
  return setting !== void 0 && "source" in setting;
}
function graphOf(shown2) {
  const nodes = (shown2.nodes ?? []).map((node) => ({ ...node }));
  if (!nodes.some((node) => node.node_id === END)) nodes.push({ node_id: END, node_type: "End" });
  const { function_id, name, inputs, outputs, revision } = shown2;
  return { function_id, name, inputs, outputs, nodes, revision };
}
function nodeTitle(node) {
  return node.display_name ?? node.node_type;
}
const MEMBERS = ["node_id", "target_node_id"];
function touched(edit, functionId) {
  const found = /* @__PURE__ */ new Set();
  visit(edit, functionId, found);
  return [...found];
}
function visit(edit, functionId, found) {
  if (Array.isArray(edit)) {
    for (const part2 of edit) visit(part2, functionId, found);
    return;
  }
  if (typeof edit !== "object" || edit === null) return;
  const facts = edit;
  if (facts.function_id === functionId) {
    for (const name of MEMBERS) {
      const id = facts[name];
      if (typeof id === "number") found.add(id);
    }
  }
  for (const [name, part2] of Object.entries(facts)) {
    if (name === "parameters" || name === "value") continue;
    visit(part2, functionId, found);
  }
}
const GLOW_MS = 6e3;
const HISTORY_ROWS = 60;
function refused(error) {
  if (error instanceof ApiError) {
    if (error.code === "unauthorized") set({ link: "unauthorized" });
    else if (error.code !== "unreachable") notifyRefusal(error.refusal);
    else set({ link: "offline" });
  } else {
    notify({ tone: "error", text: String(error) });
  }
}
async function loadProjects() {
  const projects = [];
  let cursor;
  do {
    const page = await api.get("/api/projects", { query: { limit: 200, ...cursor ? { cursor } : {} } });
    projects.push(...page.projects);
    cursor = page.next_cursor ?? void 0;
  } while (cursor);
  set({ projects });
}
async function loadKinds() {
  const kinds = /* @__PURE__ */ new Map();
  let cursor;
  do {
    const page = await api.get("/api/node-types", { query: { detail: "full", limit: 200, ...cursor ? { cursor } : {} } });
    for (const kind of page.node_types) kinds.set(kind.name, kind);
    cursor = page.next_cursor ?? void 0;
  } while (cursor);
  set({ kinds });
}
async function loadFunctions(project) {
  const functions = [];
  let cursor;
  do {
    const query = { limit: 200, ...cursor ? { cursor } : {} };
    const page = await api.get("/api/projects/{project}/functions", { path: { project }, query });
    functions.push(...page.functions);
    cursor = page.next_cursor ?? void 0;
  } while (cursor);
  return functions;
}
let reading = null;
let again = false;
function refresh() {
  if (reading) {
    again = true;
    return reading;
  }
  reading = (async () => {
    try {
      do {
        again = false;
        await read();
      } while (again);
    } catch (error) {
      if (error instanceof ApiError && error.code === "unknown_project") closeProject();
      refused(error);
    } finally {
      reading = null;
    }
  })();
  return reading;
}
async function read() {
  const { project, trail } = get();
  if (project === null) return;
  const path = { project };
  const open2 = trail.at(-1);
  const graph = open2 === void 0 ? null : api.get("/api/projects/{project}/functions/{function_id}/graph", { path: { project, function_id: open2 } }).catch(missing);
  const [functions, overview, history2, shown2] = await Promise.all([
    loadFunctions(project),
    api.get("/api/projects/{project}/overview", { path }),
    api.get("/api/projects/{project}/history", { path, query: { limit: HISTORY_ROWS, changes: true } }),
    graph
  ]);
  if (get().project !== project) return;
  const ids = new Set(functions.map((known) => known.function_id));
  const kept2 = get().trail.filter((id) => ids.has(id));
  const first = kept2.length === 0 ? functions.at(-1)?.function_id : void 0;
  const next = first === void 0 ? kept2 : [first];
  set({ functions, overview, history: history2.entries, revision: history2.revision, trail: next });
  if (next.at(-1) !== open2) {
    set({ graph: null, selection: [] });
    again = true;
    return;
  }
  if (shown2) {
    const fresh = graphOf(shown2);
    const nodes = new Set(fresh.nodes.map((node) => node.node_id));
    const selection = get().selection.filter((id) => nodes.has(id));
    set({ graph: fresh, selection: selection.length === get().selection.length ? get().selection : selection });
  } else if (open2 === void 0) {
    set({ graph: null });
  }
}
function missing(error) {
  if (error instanceof ApiError && error.code === "unknown_function") return null;
  throw error;
}
async function openProject(project, functionId, view = "graph") {
  set({
    project,
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
    trail: functionId === void 0 ? [] : [functionId],
    view
  });
  again = true;
  await refresh();
}
function closeProject() {
  set({ project: null, functions: [], overview: null, graph: null, trail: [], selection: [], history: [] });
}
async function openFunction(functionId, below = false) {
  const { trail } = get();
  const known = trail.indexOf(functionId);
  const next = known >= 0 ? trail.slice(0, known + 1) : below ? [...trail, functionId] : [functionId];
  set({ trail: next, view: "graph", graph: null, places: /* @__PURE__ */ new Map(), selection: [], values: /* @__PURE__ */ new Map(), glows: /* @__PURE__ */ new Map() });
  again = true;
  await refresh();
}
function onChange(change) {
  const { project, trail, glows } = get();
  if (change.project !== project) {
    void loadProjects().catch(refused);
    return;
  }
  if (change.origin.client !== "page") {
    const open2 = trail.at(-1);
    const ids = open2 === void 0 ? [] : touched(change.edit, open2);
    if (ids.length > 0) {
      const fresh = new Map(glows);
      const glow = { who: change.origin.client, kind: change.origin.kind, at: Date.now() };
      for (const id of ids) fresh.set(id, glow);
      set({ glows: fresh });
      setTimeout(() => {
        const left = new Map(get().glows);
        for (const id of ids) if (left.get(id) === glow) left.delete(id);
        set({ glows: left });
      }, GLOW_MS);
    }
  }
  requestAnimationFrame(() => void refresh());
}
async function resync() {
  try {
    await Promise.all([get().kinds.size === 0 ? loadKinds() : null, loadProjects(), refresh()]);
  } catch (error) {
    refused(error);
  }
}
function start() {
  restoreFromAddress();
  const ended = [
    follow({ change: onChange, resync: () => void resync(), state: (link2) => set({ link: link2 }) }),
    keepAddress()
  ];
  return () => ended.forEach((end) => end());
}
function restoreFromAddress() {
  const [project, part2] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (!project) return;
  const id = part2 === void 0 ? NaN : Number(part2);
  set({ project, trail: Number.isInteger(id) && part2 !== "" ? [id] : [], view: part2 === "knowledge" ? "knowledge" : "graph" });
}
function keepAddress() {
  const write2 = () => {
    const { project, trail, view } = get();
    const part2 = view === "knowledge" ? "knowledge" : trail.at(-1);
    const hash = project === null ? "" : `#/${encodeURIComponent(project)}${part2 === void 0 ? "" : `/${part2}`}`;
    if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname);
  };
  const onHash = () => {
    const before = get();
    restoreFromAddress();
    const after = get();
    if (after.project !== null && (before.project !== after.project || before.trail.at(-1) !== after.trail.at(-1))) {
      void openProject(after.project, after.trail.at(-1), after.view);
    }
  };
  const end = useStore.subscribe(write2);
  window.addEventListener("hashchange", onHash);
  return () => {
    end();
    window.removeEventListener("hashchange", onHash);
  };
}
const MOST_REPEATS = 5;
let last = Promise.resolve();
function write(edits, options = {}) {
  const result = last.then(() => writeNow(edits, options));
  last = result.catch(() => null);
  return result;
}
async function writeNow(edits, options) {
  const { project } = get();
  if (project === null || edits.length === 0) return null;
  const basis = options.basis ?? wholeGraph;
  const before = JSON.stringify(basis());
  let expected = get().revision;
  for (let repeat = 0; ; repeat++) {
    try {
      const body = { edits, ...options.label ? { label: options.label } : {} };
      const applied = await api.post("/api/projects/{project}/edits", { path: { project }, query: { expected_revision: expected }, body });
      await refresh();
      return { revision: applied.revision, ids: applied.ids, results: applied.results };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!error.isConflict) {
        refuse(error, options);
        return null;
      }
      await refresh();
      const { revision } = get();
      const isUntouched = JSON.stringify(basis()) === before;
      if (isUntouched && revision !== expected && repeat < MOST_REPEATS) {
        expected = revision;
        continue;
      }
      const since = error.refusal.details?.since ?? [];
      notify({
        tone: "error",
        text: `Not written: it was changed in between${since.length > 0 ? `: ${since.at(-1)}` : ""}.`,
        hint: "The page shows the present state.",
        action: { label: "Write mine", run: () => void write(edits, options) }
      });
      return null;
    }
  }
}
function refuse(error, options) {
  if (error.code === "unreachable") {
    notify({ tone: "error", text: "Not written: the server does not answer.", hint: "Repeat it when the server is back." });
    refused(error);
    return;
  }
  const action = options.solve?.(error);
  if (action !== null) notifyRefusal(error.refusal, action);
}
function wholeGraph() {
  return get().graph?.nodes;
}
async function undo(redo = false, anyone = false) {
  const { project } = get();
  if (project === null) return;
  try {
    const undone = await api.post("/api/projects/{project}/undo", { path: { project }, body: { redo, anyone } });
    await refresh();
    notify({ tone: "info", text: sentence(undone.label) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const canOthers = !redo && !anyone && error.status === 422;
    const action = canOthers ? { label: "Undo the last change of anyone", run: () => void undo(false, true) } : void 0;
    if (error.code === "unreachable") refused(error);
    else notifyRefusal(error.refusal, action);
  }
}
async function revert(revision) {
  const { project } = get();
  if (project === null) return;
  try {
    const undone = await api.post("/api/projects/{project}/undo", { path: { project }, body: { revision } });
    await refresh();
    notify({ tone: "info", text: sentence(undone.label), action: { label: "Undo", run: () => void undo() } });
  } catch (error) {
    refused(error);
  }
}
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
function Activity() {
  const history2 = useStore((state) => state.history);
  if (history2.length === 0) return /* @__PURE__ */ jsxRuntimeExports.jsx("p", { className: "nothing", children: "Nothing has changed yet. What an agent does appears here." });
  const undone = new Set(history2.flatMap((item) => item.undid ?? []));
  for (const item of history2) if (item.redid) undone.delete(history2.find((one2) => one2.revision === item.redid)?.undid ?? -1);
  return /* @__PURE__ */ jsxRuntimeExports.jsx("ol", { className: "activity", children: history2.map((item) => /* @__PURE__ */ jsxRuntimeExports.jsx(Entry, { item, isUndone: undone.has(item.revision) }, item.revision)) });
}
function Entry({ item, isUndone }) {
  const changes = item.changes ?? [];
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("li", { className: isUndone ? "undone" : "", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: `client clip ${item.client === "page" ? "me" : ""}`, title: item.client, children: item.client === "page" ? "you" : item.client }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "what clip", title: [item.label, ...changes].join("\n").slice(0, 2e3), children: sentence(item.label) }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "tool mono clip", title: item.tool, children: tool(item.tool) }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("time", { dateTime: item.at, title: item.at, children: clock(item.at) }),
    /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "mono rev", children: [
      "r",
      item.revision
    ] }),
    isUndone ? /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "state", children: "reverted" }) : /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small", onClick: () => void revert(item.revision), "aria-label": `Revert ${item.label.slice(0, 120)}`, children: "Revert" })
  ] });
}
function tool(name) {
  const parts = name.split("/").filter((part2) => part2 && !part2.startsWith("{"));
  return name.includes("/") ? parts.at(-1) ?? name : name;
}
function clock(at) {
  const date = new Date(at);
  const isToday = date.toDateString() === (/* @__PURE__ */ new Date()).toDateString();
  return isToday ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }) : date.toLocaleDateString();
}
function HistoryList() {
  const revision = useStore((state) => state.revision);
  const project = useStore((state) => state.project);
  const [items, setItems] = reactExports.useState([]);
  const [cursor, setCursor] = reactExports.useState(null);
  reactExports.useEffect(() => {
    let isCurrent = true;
    void load(null).then((page) => isCurrent && page && (setItems(page.entries), setCursor(page.next_cursor ?? null)));
    return () => {
      isCurrent = false;
    };
  }, [revision, project]);
  async function restore(item) {
    if (project === null) return;
    try {
      await api.post("/api/projects/{project}/history/restore", { path: { project }, body: { revision: item.revision } });
      await refresh();
      notify({ tone: "info", text: `Restored revision ${item.revision}.`, action: { label: "Undo", run: () => void undo() } });
    } catch (error) {
      refused(error);
    }
  }
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs(
      "form",
      {
        className: "checkpoint",
        onSubmit: (event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const name = String(new FormData(form).get("name") ?? "").trim();
          if (!name || project === null) return;
          api.post("/api/projects/{project}/checkpoints", { path: { project }, body: { name } }).then(() => (form.reset(), refresh()), refused);
        },
        children: [
          /* @__PURE__ */ jsxRuntimeExports.jsx("input", { className: "field", name: "name", "aria-label": "Name of a checkpoint", placeholder: "Name the present state…", autoComplete: "off" }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button small", children: "Checkpoint" })
        ]
      }
    ),
    /* @__PURE__ */ jsxRuntimeExports.jsx("ol", { className: "activity history", children: items.map((item) => /* @__PURE__ */ jsxRuntimeExports.jsxs("li", { className: item.checkpoint ? "is-checkpoint" : "", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "mono rev", children: [
        "r",
        item.revision
      ] }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "what clip", title: item.label, children: item.checkpoint ?? sentence(item.label) }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "client clip", children: item.client === "page" ? "you" : item.client }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("time", { dateTime: item.at, children: clock(item.at) }),
      item.revision === revision ? /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "state", children: "present" }) : /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small", onClick: () => void restore(item), "aria-label": `Restore revision ${item.revision}`, children: "Restore" })
    ] }, item.revision)) }),
    cursor && /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small more-button", onClick: () => void load(cursor).then((page) => page && (setItems([...items, ...page.entries]), setCursor(page.next_cursor ?? null))), children: "Earlier changes" })
  ] });
}
async function load(cursor) {
  const { project } = get();
  if (project === null) return null;
  try {
    return await api.get("/api/projects/{project}/history", { path: { project }, query: { limit: 100, ...cursor ? { cursor } : {} } });
  } catch (error) {
    refused(error);
    return null;
  }
}
function show(nodeId, functionId) {
  const open2 = get().trail.at(-1);
  if (functionId !== void 0 && functionId !== open2) {
    void openFunction(functionId).then(() => setTimeout(() => mark(nodeId), 120));
  } else mark(nodeId);
}
function mark(nodeId) {
  set({ selection: [nodeId], view: "graph" });
  window.dispatchEvent(new CustomEvent("fibula-show", { detail: nodeId }));
}
function Problems() {
  const problems = useStore((state) => state.problems);
  const warnings = useStore((state) => state.overview?.warnings);
  if (problems.length === 0 && !warnings?.length) return /* @__PURE__ */ jsxRuntimeExports.jsx("p", { className: "nothing", children: "No problems." });
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("ul", { className: "problems", children: [
    problems.map((problem, index2) => /* @__PURE__ */ jsxRuntimeExports.jsx("li", { className: problem.tone, children: problem.nodeId === null ? /* @__PURE__ */ jsxRuntimeExports.jsx("span", { children: problem.text }) : /* @__PURE__ */ jsxRuntimeExports.jsx("button", { onClick: () => problem.nodeId !== null && show(problem.nodeId, problem.functionId ?? void 0), children: problem.text }) }, index2)),
    warnings?.map((text, index2) => /* @__PURE__ */ jsxRuntimeExports.jsx("li", { className: "warning", children: /* @__PURE__ */ jsxRuntimeExports.jsx("span", { children: text }) }, `w${index2}`))
  ] });
}
function link(functionId, source, target, replace = false, insertConversion = false) {
  return {
    create_link: {
      function_id: functionId,
      source_node_id: source.node_id,
      source_port_name: source.name,
      target_node_id: target.node_id,
      target_parameter_name: target.name,
      ...replace ? { replace } : {},
      ...insertConversion ? { insert_conversion: true } : {}
    }
  };
}
function unlink(functionId, target) {
  return { delete_link: { function_id: functionId, target_node_id: target.node_id, target_parameter_name: target.name } };
}
function setValue(functionId, target, value) {
  return { set_parameter_value: { function_id: functionId, node_id: target.node_id, parameter_name: target.name, value } };
}
function create(functionId, nodeType, alias, displayName) {
  return { create_node: { function_id: functionId, node_type: nodeType, alias, ...displayName ? { display_name: displayName } : {} } };
}
function move(functionId, nodeId, position) {
  return { move_node: { function_id: functionId, node_id: nodeId, position: position.map(Math.round) } };
}
function remove(functionId, nodeId) {
  return { delete_node: { function_id: functionId, node_id: nodeId } };
}
function isBoundary(node) {
  return node === void 0 || node.node_type === "Begin" || node.node_type === "End";
}
function copies(functionId, nodes, shift, outer) {
  const copied = new Set(nodes.map((node) => node.node_id));
  const edits = [];
  for (const node of nodes) {
    edits.push(create(functionId, node.node_type, `$copy${node.node_id}`, node.display_name));
    if (node.position) edits.push(move(functionId, `$copy${node.node_id}`, [node.position[0] + shift[0], node.position[1] + shift[1]]));
    for (const [name, setting] of Object.entries(node.parameters ?? {})) {
      if (!isSource(setting)) edits.push(setValue(functionId, { node_id: `$copy${node.node_id}`, name }, setting.value));
    }
  }
  for (const node of nodes) {
    for (const [name, setting] of Object.entries(node.parameters ?? {})) {
      if (!isSource(setting)) continue;
      const { node_id: source, port } = setting.source;
      if (!copied.has(source) && !outer) continue;
      const from = copied.has(source) ? `$copy${source}` : source;
      edits.push(link(functionId, { node_id: from, name: port }, { node_id: `$copy${node.node_id}`, name }));
    }
  }
  return edits;
}
function open$1() {
  return get().graph;
}
function nodeById(id) {
  return open$1()?.nodes.find((node) => node.node_id === id);
}
function basisOf(...ids) {
  return () => ids.map((id) => nodeById(id) && { ...nodeById(id), position: null });
}
async function commitValue(nodeId, name, value) {
  const graph = open$1();
  if (!graph) return;
  const setting = () => nodeById(nodeId)?.parameters?.[name] ?? null;
  await write([setValue(graph.function_id, { node_id: nodeId, name }, value)], { basis: setting });
  set({ draft: null });
}
function draftValue(nodeId, name, value) {
  const graph = open$1();
  if (graph) set({ draft: { functionId: graph.function_id, nodeId, name, value } });
}
function resourceChoices(refers) {
  const { functions, overview, trail } = get();
  if (refers === void 0 || refers.toLowerCase() === "function") {
    const others = functions.filter((known) => known.function_id !== trail.at(-1));
    const calls = others.map((known) => ({ id: known.function_id, name: known.name }));
    if (refers) return calls;
    return [...calls, ...resources()];
  }
  return resources().filter((known) => known.kind.replace(/\s/g, "").toLowerCase().includes(refers.replace(/[_\s]/g, "").toLowerCase()));
  function resources() {
    const objects = overview?.objects.map((object) => ({ id: object.object_id ?? 0, name: object.name ?? `${object.kind} ${object.object_id}`, kind: object.kind }));
    const others = overview?.resources.map((item) => ({ id: item.resource_id ?? 0, name: item.name ?? `${item.kind} ${item.resource_id}`, kind: item.kind }));
    return [...objects ?? [], ...others ?? []];
  }
}
async function connect(source, target, instead) {
  const graph = open$1();
  if (!graph) return;
  const id = graph.function_id;
  const before = instead ? [unlink(id, instead)] : [];
  const run = (convert) => [...before, link(id, source, target, true, convert)];
  await write(run(false), {
    basis: basisOf(Number(source.node_id), Number(target.node_id)),
    solve: (error) => {
      if (!/type/.test(error.code)) return void 0;
      return { label: "Insert the conversion", run: () => void write(run(true), { basis: basisOf(Number(source.node_id), Number(target.node_id)) }) };
    }
  });
}
async function disconnect(targets) {
  const graph = open$1();
  if (!graph) return;
  await write(targets.map((target) => unlink(graph.function_id, target)), { basis: basisOf(...targets.map((target) => Number(target.node_id))) });
}
async function addNode(kind, at, wire) {
  const graph = open$1();
  if (!graph) return;
  const id = graph.function_id;
  const edits = [create(id, kind.name, "$new")];
  if (kind.calls !== void 0) edits.push(setValue(id, { node_id: "$new", name: "functionID" }, kind.calls));
  if (graph.nodes.some((node) => node.position)) edits.push(move(id, "$new", [at.x, at.y]));
  const end = wire?.end;
  if (wire?.from && end) edits.push(link(id, wire.from, { node_id: "$new", name: end }, false, wire.convert));
  if (wire?.to && end) edits.push(link(id, { node_id: "$new", name: end }, wire.to, true, wire.convert));
  const done = await write(edits, { basis: () => null });
  const created = done?.ids["$new"];
  if (created !== void 0) set({ selection: [created] });
}
async function moveNodes(moved) {
  const graph = open$1();
  if (!graph) return;
  const { places } = get();
  const all = new Map([...places, ...moved]);
  const edits = graph.nodes.flatMap((node) => {
    const place = all.get(node.node_id);
    const isMoved = moved.has(node.node_id) || node.position === void 0;
    return place && isMoved ? [move(graph.function_id, node.node_id, [place.x, place.y])] : [];
  });
  set({ places: all });
  await write(edits, { label: moved.size === 1 ? "move a node" : `move ${moved.size} nodes`, basis: () => null });
}
async function tidy() {
  const graph = open$1();
  if (!graph) return;
  const edits = graph.nodes.filter((node) => node.position).map((node) => ({ move_node: { function_id: graph.function_id, node_id: node.node_id, position: null } }));
  await write(edits, { label: "tidy up", basis: () => null });
}
async function removeNodes(ids, reconnect = false) {
  const graph = open$1();
  if (!graph) return;
  const removed = ids.filter((id) => !isBoundary(nodeById(id)));
  if (removed.length === 0) {
    if (ids.length > 0) notify({ tone: "info", text: "Begin and End are the inputs and outputs of the function; they cannot be deleted." });
    return;
  }
  const edits = removed.map((id) => reconnect ? { bypass_node: { function_id: graph.function_id, node_id: id } } : remove(graph.function_id, id));
  await write(edits, { basis: basisOf(...removed) });
}
async function muteNode(id) {
  const graph = open$1();
  const node = nodeById(id);
  if (!graph || !node || isBoundary(node)) return;
  await write([{ bypass_node: { function_id: graph.function_id, node_id: id, keep: true } }], { label: `mute ${nodeTitle(node)}`, basis: basisOf(id) });
}
async function swapKind(id, nodeType) {
  const graph = open$1();
  const node = nodeById(id);
  if (!graph || !node || isBoundary(node)) return;
  await write([{ replace_node: { function_id: graph.function_id, node_id: id, node_type: nodeType } }], { basis: basisOf(id) });
}
async function insertIntoWire(id, target, position) {
  const graph = open$1();
  if (!graph) return false;
  const insertion = { function_id: graph.function_id, node_id: id, target_node_id: target.node_id, target_parameter_name: target.name };
  const edits = [{ insert_into_link: insertion }, move(graph.function_id, id, [position.x, position.y])];
  const done = await write(edits, { label: "insert into a link", basis: basisOf(id, Number(target.node_id)) });
  return done !== null;
}
async function rename(id, name) {
  const graph = open$1();
  const node = nodeById(id);
  if (!graph || !node || name === (node.display_name ?? "")) return;
  await write([{ rename_node: { function_id: graph.function_id, node_id: id, display_name: name === "" ? null : name } }], { basis: basisOf(id) });
}
async function extract(ids, name) {
  const graph = open$1();
  if (!graph) return;
  const nodes = ids.filter((id) => !isBoundary(nodeById(id)));
  await write([{ extract_function: { function_id: graph.function_id, node_ids: nodes, name } }], { basis: basisOf(...nodes) });
}
let clipboard = [];
function copy(ids) {
  clipboard = ids.flatMap((id) => {
    const node = nodeById(id);
    return node && !isBoundary(node) ? [structuredClone(node)] : [];
  });
  if (clipboard.length > 0) notify({ tone: "info", text: `Copied ${clipboard.length === 1 ? "a node" : `${clipboard.length} nodes`}` });
}
const SHIFT = [32, 32];
async function insert(nodes, outer) {
  const graph = open$1();
  if (!graph || nodes.length === 0) return;
  const done = await write(copies(graph.function_id, nodes, SHIFT, outer), { label: outer ? "duplicate nodes" : "paste nodes", basis: () => null });
  if (done) set({ selection: nodes.flatMap((node) => done.ids[`$copy${node.node_id}`] ?? []) });
}
function paste() {
  return insert(clipboard, false);
}
function duplicate(ids) {
  const nodes = ids.flatMap((id) => nodeById(id) ?? []).filter((node) => !isBoundary(node));
  return insert(nodes, true);
}
const HEAD = 28;
const ROW = 24;
const FOOT = 4;
const CHARACTER = 6.7;
const LEAST$1 = 148;
const MOST$3 = 264;
function hasField(node, parameter) {
  return !isSource(node.parameters?.[parameter.name]);
}
function cardSize(node, { parameters, ports }) {
  const rows = Math.max(parameters.length, ports.length);
  let width = 44 + length(nodeTitle(node)) * (CHARACTER + 0.6);
  for (let row = 0; row < rows; row++) {
    const parameter = parameters[row];
    const port = ports[row];
    let need = 32;
    if (parameter) need += length(parameter.name) * CHARACTER + (hasField(node, parameter) ? 72 : 0);
    if (port && port.name !== parameter?.name) need += length(port.name) * CHARACTER + 16;
    if (port) need += 44;
    width = Math.max(width, need);
  }
  width = Math.min(MOST$3, Math.max(LEAST$1, Math.ceil(width / 4) * 4));
  const at = (_, row) => HEAD + row * ROW + ROW / 2;
  return { width, height: HEAD + Math.max(rows, 0) * ROW + FOOT, inputs: parameters.map(at), outputs: ports.map(at) };
}
function length(text) {
  return Math.min(text.length, 32);
}
const SPACING = [48, 20];
async function layout(project, graph, sizes) {
  const boxes = [...sizes].map(([node_id, size]) => ({
    node_id,
    size: [size.width, size.height],
    inputs: size.inputs,
    outputs: size.outputs
  }));
  const address = url("/api/projects/{project}/functions/{function_id}/layout", { project, function_id: graph.function_id });
  const response = await raw("POST", address, { sizes: boxes, spacing: SPACING });
  const { positions } = await response.json();
  return new Map(Object.entries(positions).map(([id, [x, y]]) => [Number(id), { x, y }]));
}
function placed(graph, laid) {
  const fixed = graph.nodes.filter((node) => node.position !== void 0);
  let dx = 0;
  let dy = 0;
  for (const node of fixed) {
    const at = laid.get(node.node_id);
    if (!at || !node.position) continue;
    dx += (node.position[0] - at.x) / fixed.length;
    dy += (node.position[1] - at.y) / fixed.length;
  }
  return new Map(
    graph.nodes.map((node, index2) => {
      const at = laid.get(node.node_id) ?? { x: index2 * 40, y: index2 * 40 };
      const place = node.position ? { x: node.position[0], y: node.position[1] } : { x: at.x + dx, y: at.y + dy };
      return [node.node_id, place];
    })
  );
}
const CALLS = /* @__PURE__ */ new Set(["FunctionCall", "FunctionGradient", "NormalizeDistanceField"]);
function signatures(graph, kinds, functions) {
  const nodes = new Map(graph.nodes.map((node) => [node.node_id, node]));
  const found = /* @__PURE__ */ new Map();
  for (const id of inOrder(graph)) {
    const node = nodes.get(id);
    if (node) found.set(id, signature(node, graph, kinds, functions, found, nodes));
  }
  return found;
}
function inOrder(graph) {
  const waiting = /* @__PURE__ */ new Map();
  const targets = /* @__PURE__ */ new Map();
  for (const node of graph.nodes) {
    let count2 = 0;
    for (const setting of Object.values(node.parameters ?? {})) {
      if (!isSource(setting)) continue;
      count2++;
      const list = targets.get(setting.source.node_id);
      if (list) list.push(node.node_id);
      else targets.set(setting.source.node_id, [node.node_id]);
    }
    waiting.set(node.node_id, count2);
  }
  const order = [...waiting].filter(([, count2]) => count2 === 0).map(([id]) => id);
  for (let at = 0; at < order.length; at++) {
    for (const target of targets.get(order[at]) ?? []) {
      const left = (waiting.get(target) ?? 0) - 1;
      waiting.set(target, left);
      if (left === 0) order.push(target);
    }
  }
  return order;
}
function signature(node, graph, kinds, functions, found, nodes) {
  if (node.node_type === "Begin") return { parameters: [], ports: graph.inputs };
  if (node.node_type === "End") return { parameters: graph.outputs.map((port) => ({ ...port, hasDefault: false })), ports: [] };
  const kind = kinds.get(node.node_type);
  if (!kind) return { parameters: [], ports: [] };
  const own = kind.parameters ?? [];
  const overloads = kind.overloads ?? [];
  if (CALLS.has(node.node_type)) return callSignature(node, kind, own, overloads, functions, nodes);
  const chosen = (node.overload === void 0 ? void 0 : overloads[node.overload]) ?? overloads.find((rule) => agrees(rule, own, node, found)) ?? overloads[0];
  const parameters = own.map((parameter, index2) => described(parameter, chosen?.inputs[index2] ?? "float"));
  const ports = (kind.ports ?? []).map((name, index2) => ({ name, type: chosen?.outputs[index2] ?? "float" }));
  return { parameters, ports };
}
function described(parameter, type) {
  const hasDefault = parameter.default !== void 0 && parameter.default !== null;
  return { name: parameter.name, type, hasDefault, default: parameter.default, ...parameter.refers ? { refers: parameter.refers } : {} };
}
function callSignature(node, kind, own, overloads, functions, nodes) {
  const fixedCount = node.node_type === "FunctionCall" ? 1 : 4;
  const types = overloads[0]?.inputs ?? [];
  const fixed = own.slice(0, fixedCount).map((parameter, index2) => described(parameter, types[index2] ?? "resource_id"));
  const id = calledFunction(node, nodes);
  const callee = functions.find((known) => known.function_id === id) ?? node.callee;
  const inputs = (callee?.inputs ?? []).map((port) => ({ ...port, hasDefault: false }));
  const fixedPorts = (kind.ports ?? []).map((name, index2) => ({ name, type: overloads[0]?.outputs[index2] ?? "float" }));
  return { parameters: [...fixed, ...inputs], ports: node.node_type === "FunctionCall" ? callee?.outputs ?? [] : fixedPorts };
}
function calledFunction(node, nodes) {
  const setting = node.parameters?.functionID;
  if (!setting) return null;
  if (!isSource(setting)) return typeof setting.value === "number" ? setting.value : null;
  const source = nodes.get(setting.source.node_id);
  for (const held of Object.values(source?.parameters ?? {})) {
    if (!isSource(held) && typeof held.value === "number") return held.value;
  }
  return null;
}
function agrees(rule, own, node, found) {
  return own.every((parameter, index2) => {
    const setting = node.parameters?.[parameter.name];
    if (!setting) return true;
    const type = rule.inputs[index2] ?? "";
    if (isSource(setting)) {
      const port = found.get(setting.source.node_id)?.ports.find((known) => known.name === setting.source.port);
      return port === void 0 || port.type === type;
    }
    return fits(setting.value, type);
  });
}
function fits(value, type) {
  switch (type) {
    case "float":
      return typeof value === "number" || typeof value === "string" && /^-?(NaN|Infinity)$/.test(value);
    case "integer":
    case "resource_id":
      return Number.isInteger(value);
    case "float3":
      return Array.isArray(value) && value.length === 3;
    case "matrix4x4":
      return Array.isArray(value) && (value.length === 16 || value.length === 4);
    default:
      return typeof value === "string";
  }
}
function needed(graph) {
  const nodes = new Map(graph.nodes.map((node) => [node.node_id, node]));
  const reached = /* @__PURE__ */ new Set([0]);
  const queue = [0];
  for (let id = queue.pop(); id !== void 0; id = queue.pop()) {
    for (const setting of Object.values(nodes.get(id)?.parameters ?? {})) {
      if (!isSource(setting) || reached.has(setting.source.node_id)) continue;
      reached.add(setting.source.node_id);
      queue.push(setting.source.node_id);
    }
  }
  return reached;
}
function unset(node, signature2) {
  return signature2.parameters.filter((parameter) => !parameter.hasDefault && node.parameters?.[parameter.name] === void 0);
}
function sceneOf(graph) {
  const { kinds, functions } = get();
  const found = signatures(graph, kinds, functions);
  const sizes = new Map(graph.nodes.map((node) => [node.node_id, cardSize(node, found.get(node.node_id) ?? { parameters: [], ports: [] })]));
  return { graph, signatures: found, sizes };
}
function useScene() {
  const graph = useStore((state) => state.graph);
  const kinds = useStore((state) => state.kinds);
  const functions = useStore((state) => state.functions);
  const project = useStore((state) => state.project);
  const scene = reactExports.useMemo(() => graph && kinds.size > 0 ? sceneOf(graph) : null, [graph, kinds, functions]);
  const laid = reactExports.useRef(null);
  reactExports.useEffect(() => {
    if (!scene || project === null) return;
    const key = layoutKey(project, scene);
    if (laid.current?.key === key) {
      set({ places: placed(scene.graph, laid.current.positions) });
      return;
    }
    let isCurrent = true;
    const known = scene.graph.nodes.every((node) => node.position);
    if (known) {
      set({ places: placed(scene.graph, /* @__PURE__ */ new Map()) });
      return;
    }
    layout(project, scene.graph, scene.sizes).then((positions) => {
      if (!isCurrent || get().graph?.function_id !== scene.graph.function_id) return;
      laid.current = { key, positions };
      set({ places: placed(scene.graph, positions) });
    }, refused);
    return () => {
      isCurrent = false;
    };
  }, [scene, project]);
  return scene;
}
function layoutKey(project, { graph, sizes }) {
  const nodes = graph.nodes.map((node) => {
    const size = sizes.get(node.node_id);
    const links = Object.entries(node.parameters ?? {}).map(([name, setting]) => isSource(setting) ? `${name}<${setting.source.node_id}.${setting.source.port}` : "");
    return `${node.node_id}:${size?.width}x${size?.height}:${links.join()}`;
  });
  return `${project}/${graph.function_id}/${nodes.join(";")}`;
}
function short(value, digits = 6) {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(digits)));
}
function shown(value, digits = 4) {
  if (typeof value === "number") return short(value, digits);
  if (Array.isArray(value)) {
    if (value.length > 4) return "4 × 4";
    return value.map((part2) => shown(part2, Math.min(digits, 3))).join(", ");
  }
  if (value === null || value === void 0) return "";
  return String(value);
}
function stepOf(value) {
  const size = Math.abs(value);
  if (size < 1e-9) return 0.1;
  return 10 ** Math.max(-6, Math.floor(Math.log10(size)) - 1);
}
function toStep(value, step) {
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  return Number((Math.round(value / step) * step).toFixed(Math.min(digits, 12)));
}
function parseNumber(text) {
  const plain = text.trim().replace(/\s/g, "").replace(/^([-+]?\d+),(\d+)$/, "$1.$2").replace("−", "-");
  if (plain === "" || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return null;
  return Number(plain);
}
function parseNumbers(text) {
  const parts = text.replace(/[[\]()]/g, " ").split(/[\s,;]+/).filter(Boolean);
  const numbers = parts.map(parseNumber);
  return numbers.every((number) => number !== null) ? numbers : null;
}
function ValueField(props) {
  if (props.type === "resource_id" && props.choices) return /* @__PURE__ */ jsxRuntimeExports.jsx(ChoiceField, { ...props, choices: props.choices });
  if (props.type === "float" || props.type === "integer") return /* @__PURE__ */ jsxRuntimeExports.jsx(NumberField, { ...props });
  return /* @__PURE__ */ jsxRuntimeExports.jsx(TextField, { ...props });
}
const QUIET_MS = 450;
const DRAG_THRESHOLD = 3;
function NumberField({ label, type, value, placeholder, unit, onCommit, onDraft }) {
  const number = typeof value === "number" ? value : null;
  const [draft, setDraft] = reactExports.useState(null);
  const [text, setText] = reactExports.useState(null);
  const input = reactExports.useRef(null);
  const drag = reactExports.useRef(null);
  const timer = reactExports.useRef(void 0);
  const pending = reactExports.useRef(null);
  const commitNow = reactExports.useRef(() => {
  });
  commitNow.current = () => {
    clearTimeout(timer.current);
    const last2 = pending.current;
    pending.current = null;
    if (last2 !== null && last2 !== number) onCommit(last2);
    setDraft(null);
  };
  reactExports.useEffect(() => () => commitNow.current(), []);
  const current = draft ?? number;
  function change(next) {
    const exact = type === "integer" ? Math.round(next) : next;
    pending.current = exact;
    setDraft(exact);
    onDraft?.(exact);
  }
  function onPointerDown(event) {
    if (event.button !== 0 || text !== null) return;
    event.stopPropagation();
    const from = current ?? 0;
    drag.current = { x: event.clientX, from, step: type === "integer" ? 1 : stepOf(from), moved: false };
    event.currentTarget.setPointerCapture(event.pointerId);
  }
  function onPointerMove(event) {
    const start2 = drag.current;
    if (!start2) return;
    const far = event.clientX - start2.x;
    if (!start2.moved && Math.abs(far) < DRAG_THRESHOLD) return;
    start2.moved = true;
    const step = start2.step * (event.shiftKey ? 0.1 : event.altKey ? 10 : 1);
    change(toStep(start2.from + Math.round(far / 2) * step, step));
  }
  function onPointerUp() {
    const start2 = drag.current;
    drag.current = null;
    if (!start2) return;
    if (start2.moved) commitNow.current();
    else edit();
  }
  function edit() {
    reactDomExports.flushSync(() => setText(current === null ? "" : String(current)));
    input.current?.select();
  }
  function finish() {
    if (text === null) return commitNow.current();
    const read2 = parseNumber(text);
    setText(null);
    if (read2 !== null && read2 !== number) onCommit(type === "integer" ? Math.round(read2) : read2);
  }
  function onKeyDown(event) {
    if (event.key === "Enter") {
      if (text === null) edit();
      else finish();
    } else if (event.key === "Escape") {
      setText(null);
      pending.current = null;
      setDraft(null);
      input.current?.blur();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const from = (text === null ? current : parseNumber(text)) ?? 0;
      const step = (type === "integer" ? 1 : stepOf(from)) * (event.shiftKey ? 10 : 1);
      setText(null);
      change(toStep(from + (event.key === "ArrowUp" ? step : -step), step));
      clearTimeout(timer.current);
      timer.current = setTimeout(() => commitNow.current(), QUIET_MS);
      event.preventDefault();
    } else if (text === null && /^[-\d.]$/.test(event.key) && !event.ctrlKey && !event.metaKey) {
      setText(event.key);
      event.preventDefault();
    }
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  }
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "value-field nodrag nopan", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx(
      "input",
      {
        ref: input,
        className: `number ${text === null ? "rests" : ""}`,
        role: "spinbutton",
        "aria-label": label,
        ...current === null ? {} : { "aria-valuenow": current },
        "aria-valuetext": current === null ? "not set" : `${current}${unit ? ` ${unit}` : ""}`,
        readOnly: text === null,
        value: text ?? (current === null ? "" : short(current)),
        placeholder: placeholder ?? "–",
        title: current === null ? void 0 : String(current),
        inputMode: "decimal",
        autoComplete: "off",
        spellCheck: false,
        onChange: (event) => setText(event.target.value),
        onPointerDown,
        onPointerMove,
        onPointerUp,
        onPointerCancel: onPointerUp,
        onDoubleClick: (event) => event.stopPropagation(),
        onBlur: finish,
        onKeyDown
      }
    ),
    unit && current !== null && /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "unit", children: unit })
  ] });
}
function TextField({ label, type, value, placeholder, onCommit }) {
  const [text, setText] = reactExports.useState(null);
  const isString = type === "string";
  const rest = isString ? String(value ?? "") : Array.isArray(value) ? shown(value) : "";
  const full = isString ? rest : Array.isArray(value) ? value.flat().join(", ") : "";
  const count2 = type === "float3" ? 3 : 16;
  function finish() {
    if (text === null || text === full) return setText(null);
    if (isString) onCommit(text);
    else {
      const numbers = parseNumbers(text);
      if (numbers?.length === count2) onCommit(numbers);
    }
    setText(null);
  }
  return /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "value-field nodrag nopan", children: /* @__PURE__ */ jsxRuntimeExports.jsx(
    "input",
    {
      className: "text",
      "aria-label": label,
      value: text ?? rest,
      title: full,
      placeholder: placeholder ?? (isString ? "" : type === "float3" ? "x, y, z" : "16 numbers"),
      autoComplete: "off",
      spellCheck: false,
      onFocus: (event) => {
        setText(full);
        const field = event.currentTarget;
        requestAnimationFrame(() => field.select());
      },
      onChange: (event) => setText(event.target.value),
      onBlur: finish,
      onDoubleClick: (event) => event.stopPropagation(),
      onKeyDown: (event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") setText(null);
        event.stopPropagation();
      }
    }
  ) });
}
function ChoiceField({ label, value, choices, onCommit }) {
  const known = choices.some((choice) => choice.id === value);
  return /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "value-field nodrag nopan", children: /* @__PURE__ */ jsxRuntimeExports.jsxs("select", { "aria-label": label, value: typeof value === "number" ? value : "", onChange: (event) => onCommit(Number(event.target.value)), onKeyDown: (event) => event.stopPropagation(), children: [
    !known && /* @__PURE__ */ jsxRuntimeExports.jsx("option", { value: typeof value === "number" ? value : "", children: typeof value === "number" ? String(value) : "choose" }),
    choices.map((choice) => /* @__PURE__ */ jsxRuntimeExports.jsx("option", { value: choice.id, children: choice.name.slice(0, 80) }, choice.id))
  ] }) });
}
function Table() {
  const graph = useStore((state) => state.graph);
  const kinds = useStore((state) => state.kinds);
  const values = useStore((state) => state.values);
  if (!graph || kinds.size === 0) return /* @__PURE__ */ jsxRuntimeExports.jsx("p", { className: "nothing", children: "No function is open." });
  const { signatures: signatures2 } = sceneOf(graph);
  const sources = graph.nodes.flatMap((node) => (signatures2.get(node.node_id)?.ports ?? []).map((port) => ({ node, port })));
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("table", { className: "nodes", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("caption", { className: "visually-hidden", children: [
      "Nodes of ",
      graph.name
    ] }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("thead", { children: /* @__PURE__ */ jsxRuntimeExports.jsxs("tr", { children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("th", { scope: "col", children: "Node" }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("th", { scope: "col", children: "Input" }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("th", { scope: "col", children: "Value" }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("th", { scope: "col", children: "From" }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("th", { scope: "col", children: "Results" }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("th", { scope: "col", children: /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "visually-hidden", children: "Actions" }) })
    ] }) }),
    graph.nodes.map((node) => {
      const { parameters, ports } = signatures2.get(node.node_id) ?? { parameters: [], ports: [] };
      const rows = Math.max(1, parameters.length);
      const results = ports.map((port) => {
        const value = values.get(`${node.node_id}:${port.name}`);
        return value === void 0 ? port.name : `${port.name} = ${shown(value, 6)}`;
      });
      return /* @__PURE__ */ jsxRuntimeExports.jsx("tbody", { children: Array.from({ length: rows }, (_, row) => {
        const parameter = parameters[row];
        const setting = parameter && node.parameters?.[parameter.name];
        return /* @__PURE__ */ jsxRuntimeExports.jsxs("tr", { children: [
          row === 0 && /* @__PURE__ */ jsxRuntimeExports.jsxs("th", { scope: "rowgroup", rowSpan: rows, children: [
            /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "clip", onClick: () => show(node.node_id), title: "Show it in the graph", children: nodeTitle(node) }),
            /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "hint mono", children: [
              node.display_name ? `${node.node_type} ` : "",
              node.node_id
            ] })
          ] }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("td", { className: "clip", children: parameter?.name }),
          /* @__PURE__ */ jsxRuntimeExports.jsxs("td", { children: [
            parameter && !isSource(setting) && !isBoundary(node) && /* @__PURE__ */ jsxRuntimeExports.jsx(
              ValueField,
              {
                label: `${parameter.name} of ${nodeTitle(node)}`,
                type: parameter.type,
                value: setting?.value,
                placeholder: parameter.hasDefault ? shown(parameter.default) : "not set",
                ...parameter.type === "resource_id" ? { choices: resourceChoices(parameter.refers) } : {},
                onCommit: (value) => void commitValue(node.node_id, parameter.name, value)
              }
            ),
            parameter && isSource(setting) && /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "mono", children: shown(values.get(`${setting.source.node_id}:${setting.source.port}`), 6) })
          ] }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("td", { children: parameter && /* @__PURE__ */ jsxRuntimeExports.jsx(SourceChoice, { node, name: parameter.name, sources }) }),
          row === 0 && /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
            /* @__PURE__ */ jsxRuntimeExports.jsx("td", { rowSpan: rows, className: "results mono", children: results.join("\n") }),
            /* @__PURE__ */ jsxRuntimeExports.jsx("td", { rowSpan: rows, children: !isBoundary(node) && /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small", onClick: () => void removeNodes([node.node_id]), "aria-label": `Delete ${nodeTitle(node)} (${node.node_id})`, children: "Delete" }) })
          ] })
        ] }, row);
      }) }, node.node_id);
    })
  ] });
}
function SourceChoice({ node, name, sources }) {
  const setting = node.parameters?.[name];
  const value = isSource(setting) ? `${setting.source.node_id}.${setting.source.port}` : "";
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(
    "select",
    {
      "aria-label": `source of ${name} of ${nodeTitle(node)}`,
      value,
      onChange: (event) => {
        const target = { node_id: node.node_id, name };
        const chosen = event.target.value;
        if (chosen === value) return;
        if (chosen === "") void disconnect([target]);
        else void connect({ node_id: Number(chosen.slice(0, chosen.indexOf("."))), name: chosen.slice(chosen.indexOf(".") + 1) }, target);
      },
      children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx("option", { value: "", children: "no link" }),
        sources.filter((source) => source.node.node_id !== node.node_id).map((source) => /* @__PURE__ */ jsxRuntimeExports.jsx("option", { value: `${source.node.node_id}.${source.port.name}`, children: `${nodeTitle(source.node).slice(0, 40)} ${source.node.node_id} · ${source.port.name} (${source.port.type})` }, `${source.node.node_id}.${source.port.name}`))
      ]
    }
  );
}
const TABS = [
  { id: "activity", label: "Activity" },
  { id: "problems", label: "Problems" },
  { id: "history", label: "History" },
  { id: "table", label: "Table" }
];
function Bottom() {
  const tab = useStore((state) => state.bottom);
  const problems = useStore((state) => state.problems);
  const warnings = useStore((state) => state.overview?.warnings.length ?? 0);
  const last2 = useStore((state) => state.history[0]);
  const errors = problems.filter((problem) => problem.tone === "error").length;
  const count2 = problems.length + warnings;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("section", { className: `bottom ${tab ? "open" : ""}`, "aria-label": "Activity, problems, history and table", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "tabs", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx(
        "div",
        {
          role: "tablist",
          "aria-label": "Lower panel",
          onKeyDown: (event) => {
            const at = TABS.findIndex((one2) => one2.id === tab);
            const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
            if (step === 0) return;
            const next = TABS[(at + step + TABS.length) % TABS.length];
            if (next) set({ bottom: next.id });
            requestAnimationFrame(() => document.getElementById(`tab-${next?.id}`)?.focus());
          },
          children: TABS.map((one2, index2) => /* @__PURE__ */ jsxRuntimeExports.jsxs(
            "button",
            {
              id: `tab-${one2.id}`,
              role: "tab",
              "aria-selected": tab === one2.id,
              "aria-controls": tab === one2.id ? "lower-panel" : void 0,
              tabIndex: tab === one2.id || tab === null && index2 === 0 ? 0 : -1,
              onClick: () => set({ bottom: tab === one2.id ? null : one2.id }),
              children: [
                one2.label,
                one2.id === "problems" && count2 > 0 && /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: `pill ${errors > 0 ? "bad" : ""}`, children: count2 })
              ]
            },
            one2.id
          ))
        }
      ),
      tab === null && last2 && /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "last clip", children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "client", children: last2.client }),
        " ",
        last2.label
      ] }),
      tab !== null && /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", "aria-label": "Close the lower panel", onClick: () => set({ bottom: null }), children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "down", size: 14 }) })
    ] }),
    tab !== null && /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "bottom-body", id: "lower-panel", role: "tabpanel", "aria-labelledby": `tab-${tab}`, tabIndex: 0, children: [
      tab === "activity" && /* @__PURE__ */ jsxRuntimeExports.jsx(Activity, {}),
      tab === "problems" && /* @__PURE__ */ jsxRuntimeExports.jsx(Problems, {}),
      tab === "history" && /* @__PURE__ */ jsxRuntimeExports.jsx(HistoryList, {}),
      tab === "table" && /* @__PURE__ */ jsxRuntimeExports.jsx(Table, {})
    ] })
  ] });
}
const PARTS = {
  "3mf": "model/3mf",
  stl: "application/octet-stream",
  obj: "application/octet-stream",
  vm: "application/octet-stream"
};
async function importFiles(files) {
  for (const file of files) {
    try {
      await importFile(file);
    } catch (error) {
      refused(error);
    }
  }
}
async function importFile(file) {
  const extension = file.name.slice(file.name.lastIndexOf(".") + 1).toLowerCase();
  const project = get().project ?? await createProject(file.name.replace(/\.[^.]+$/, ""));
  const media = PARTS[extension];
  if (media) {
    const imported = await upload(url("/api/projects/{project}/import", { project }), file, media);
    await open(project);
    const counts = [count(imported.function_count, "function"), count(imported.resource_count, "resource")].filter(Boolean).join(" and ");
    notify({ tone: "info", text: `Imported ${counts || "the file"} from ${file.name}.`, action: { label: "Undo", run: () => void undo() } });
  } else {
    const response = await raw("POST", url("/api/graph/{project}/import", { project }), { content: await file.text() });
    const imported = await response.json();
    await open(project);
    set({ view: "knowledge" });
    const nodes = typeof imported.nodes === "number" ? imported.nodes : void 0;
    notify({ tone: "info", text: `Imported ${nodes === void 0 ? "knowledge" : count(nodes, "node")} from ${file.name}.`, action: { label: "Undo", run: () => void undo() } });
  }
}
function count(number, name) {
  if (number === 0) return "";
  return number === 1 ? `1 ${name}` : `${number} ${name}s`;
}
async function createProject(wanted) {
  const base = wanted.trim().slice(0, 60) || "part";
  const taken = new Set(get().projects?.map((known) => known.project));
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base} ${number}`;
  await api.post("/api/projects", { body: { project: name } });
  await loadProjects();
  return name;
}
async function open(project) {
  await loadProjects();
  if (get().project === project) await refresh();
  else await openProject(project);
}
const GYROID = [
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
async function example(name, fill) {
  try {
    if (get().project === null) await openProject(await createProject(name));
    await fill();
    await refresh();
  } catch (error) {
    refused(error);
  }
}
async function gyroid() {
  const project = get().project ?? "";
  await api.post("/api/projects/{project}/functions", { path: { project }, body: { name: "Gyroid box", expression: GYROID } });
}
async function adder() {
  const edits = [
    { set_function: { function_id: "$adder", name: "Adder", inputs: [], outputs: [{ name: "sum", type: "float" }], nodes: [] } },
    { create_node: { node_type: "ConstantScalar", alias: "$a", display_name: "a" } },
    { create_node: { node_type: "ConstantScalar", alias: "$b", display_name: "b" } },
    { create_node: { node_type: "Addition", alias: "$add" } },
    { set_parameter_value: { node_id: "$a", parameter_name: "value", value: 5 } },
    { set_parameter_value: { node_id: "$b", parameter_name: "value", value: 10 } },
    { create_link: { source_node_id: "$a", source_port_name: "value", target_node_id: "$add", target_parameter_name: "A" } },
    { create_link: { source_node_id: "$b", source_port_name: "value", target_node_id: "$add", target_parameter_name: "B" } },
    { create_link: { source_node_id: "$add", source_port_name: "result", target_node_id: 0, target_parameter_name: "sum" } }
  ];
  await write(edits, { label: "create the adder", basis: () => null });
}
function Empty({ isProject = false }) {
  const projects = useStore((state) => state.projects);
  const file = reactExports.useRef(null);
  return /* @__PURE__ */ jsxRuntimeExports.jsx("div", { className: "empty", children: /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "empty-inner", children: [
    !isProject && projects && projects.length > 0 && /* @__PURE__ */ jsxRuntimeExports.jsxs("section", { "aria-labelledby": "projects-title", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("h2", { id: "projects-title", children: "Projects" }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("ul", { className: "project-list", children: projects.map((known) => /* @__PURE__ */ jsxRuntimeExports.jsx("li", { children: /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { onClick: () => void openProject(known.project), children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: known.project }),
        /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "hint", children: [
          known.functions,
          " ",
          known.functions === 1 ? "function" : "functions",
          " · r",
          known.revision
        ] })
      ] }) }, known.project)) })
    ] }),
    /* @__PURE__ */ jsxRuntimeExports.jsxs("section", { "aria-labelledby": "begin-title", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("h2", { id: "begin-title", children: isProject ? "This project is empty. Begin with" : "Begin with" }),
      /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "starters", children: [
        /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { onClick: () => void example("Gyroid box", gyroid), children: [
          /* @__PURE__ */ jsxRuntimeExports.jsx(GyroidPicture, {}),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { children: "A gyroid box" }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "hint", children: "A part from one expression" })
        ] }),
        /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { onClick: () => void example("Adder", adder), children: [
          /* @__PURE__ */ jsxRuntimeExports.jsx(AdderPicture, {}),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { children: "An adder" }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "hint", children: "Three nodes, 5 + 10" })
        ] }),
        /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { onClick: () => file.current?.click(), children: [
          /* @__PURE__ */ jsxRuntimeExports.jsx(ImportPicture, {}),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { children: "A file" }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "hint", children: "3MF, STL, JSON-LD… or drop it here" })
        ] }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("input", { ref: file, type: "file", hidden: true, multiple: true, onChange: (event) => void importFiles([...event.target.files ?? []]) })
      ] })
    ] }),
    /* @__PURE__ */ jsxRuntimeExports.jsxs("section", { "aria-labelledby": "connect-title", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("h2", { id: "connect-title", children: "Connect an agent" }),
      /* @__PURE__ */ jsxRuntimeExports.jsx(Line, { label: "Claude Code", text: `claude mcp add --transport http fibula ${location.origin}/mcp` }),
      /* @__PURE__ */ jsxRuntimeExports.jsx(Line, { label: "Any MCP client", text: `${location.origin}/mcp` }),
      /* @__PURE__ */ jsxRuntimeExports.jsx(Line, { label: "Programs", text: `curl ${location.origin}/api/projects` }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("p", { className: "hint", children: "What an agent does appears here while it does it." })
    ] })
  ] }) });
}
function Line({ label, text }) {
  const [copied, setCopied] = reactExports.useState(false);
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "line", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "line-label", children: label }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("code", { className: "clip", title: text, children: text }),
    /* @__PURE__ */ jsxRuntimeExports.jsx(
      "button",
      {
        className: "icon",
        "aria-label": `Copy the line for ${label}`,
        title: "Copy",
        onClick: () => {
          void navigator.clipboard?.writeText(text).then(() => {
            setCopied(true);
            setTimeout(() => setCopied(false), 1500);
          });
        },
        children: copied ? /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "copied", children: "✓" }) : /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "copy", size: 14 })
      }
    )
  ] });
}
function GyroidPicture() {
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("svg", { viewBox: "0 0 96 56", "aria-hidden": "true", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("path", { d: "M48 6 72 17v22L48 50 24 39V17Z" }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("path", { d: "M24 17l24 11 24-11M48 28v22" }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("path", { className: "accent", d: "M27 24c5-3 6 8 11 5s4 10 9 8M49 37c5-4 4-9 9-7s6-8 12-5" })
  ] });
}
function AdderPicture() {
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("svg", { viewBox: "0 0 96 56", "aria-hidden": "true", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("path", { d: "M12 9h22v13H12zM12 34h22v13H12zM60 20h24v16H60z" }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("path", { className: "accent", d: "M34 15.500c14 0 12 9 26 9M34 40.500c14 0 12-9 26-9" })
  ] });
}
function ImportPicture() {
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("svg", { viewBox: "0 0 96 56", "aria-hidden": "true", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("path", { d: "M34 34v12h28V34" }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("path", { className: "accent", d: "M48 10v26m0 0 8-8m-8 8-8-8" })
  ] });
}
async function candidates(nodeId, name, isSource2) {
  const { project, graph } = get();
  if (project === null || !graph) return null;
  const end = `${nodeId}.${name}`;
  const query = isSource2 ? { from: end } : { to: end };
  try {
    const address = url("/api/projects/{project}/functions/{function_id}/links/compatible", { project, function_id: graph.function_id }, query);
    const answer = await (await raw("GET", address)).json();
    const side = isSource2 ? "in" : "out";
    const fits2 = answer.ends.filter((one2) => !one2.reason).map((one2) => selector(one2, side));
    const style = `.connecting .react-flow__handle:not(.connectingfrom){opacity:.25}${fits2.length > 0 ? `${fits2.join()}{opacity:1 !important}` : ""}`;
    return {
      ends: answer.ends,
      kinds: new Map(answer.node_types.map((one2) => [one2.node_type ?? "", one2])),
      functions: new Map(answer.functions.map((one2) => [one2.function_id ?? -1, one2])),
      style
    };
  } catch {
    return null;
  }
}
function selector(end, side) {
  return `.connecting .react-flow__handle[data-nodeid="${end.node_id}"][data-handleid="${CSS.escape(`${side}:${end.name}`)}"]`;
}
function score(query, names) {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return 1;
  let best = 0;
  names.forEach((name, index2) => {
    if (!name) return;
    best = Math.max(best, one(wanted, name.toLowerCase()) - index2 * 0.5);
  });
  return best;
}
function one(wanted, name) {
  if (name === wanted) return 100;
  if (name.startsWith(wanted)) return 80 - Math.min(20, name.length - wanted.length);
  const at = name.indexOf(wanted);
  if (at > 0) return 50 - Math.min(20, at);
  let letter = 0;
  for (const character of name) if (character === wanted[letter]) letter++;
  return letter === wanted.length && wanted.length > 1 ? 12 : 0;
}
const WIDTH = 320;
const HEIGHT = 400;
const EXCLUDED = /* @__PURE__ */ new Set(["Begin", "End"]);
function Palette({ wanted, onPick, onClose }) {
  const kinds = useStore((state) => state.kinds);
  const functions = useStore((state) => state.functions);
  const open2 = useStore((state) => state.trail.at(-1));
  const [query, setQuery] = reactExports.useState("");
  const [at, setAt] = reactExports.useState(0);
  const [fits2, setFits] = reactExports.useState(null);
  const list = reactExports.useRef(null);
  const { wire } = wanted;
  reactExports.useEffect(() => {
    const end = wire?.from ?? wire?.to;
    if (end) void candidates(Number(end.node_id), end.name, wire?.from !== void 0).then(setFits);
  }, [wire]);
  const rows = reactExports.useMemo(() => {
    const found = [];
    for (const kind of kinds.values()) {
      if (EXCLUDED.has(kind.name)) continue;
      const rank = score(query, [kind.name, ...kind.aliases ?? [], kind.element, kind.family, kind.summary]);
      if (rank === 0) continue;
      const fit = fits2?.kinds.get(kind.name);
      const types = kind.overloads?.[0]?.outputs;
      found.push({
        key: kind.name,
        kind,
        name: kind.name,
        hint: kind.signature ?? "",
        group: kind.family ?? "",
        type: types?.[0] ?? "float",
        reason: fit?.reason ?? null,
        rank,
        end: fit?.name ?? void 0,
        convert: !!fit?.conversion
      });
    }
    const call2 = kinds.get("FunctionCall");
    if (call2 && wanted.mode === "add") {
      for (const known of functions) {
        if (known.function_id === open2) continue;
        const rank = score(query, [known.name]);
        if (rank === 0) continue;
        const fit = fits2?.functions.get(known.function_id);
        const ports = (list2) => list2.map((port) => port.name).join(", ");
        found.push({
          key: `f${known.function_id}`,
          kind: call2,
          calls: known.function_id,
          name: known.name,
          hint: `(${ports(known.inputs)}) -> (${ports(known.outputs)})`,
          group: "functions of this project",
          type: known.outputs[0]?.type ?? "float",
          reason: fit?.reason ?? null,
          rank,
          end: fit?.name ?? void 0,
          convert: !!fit?.conversion
        });
      }
    }
    if (query.trim()) found.sort((a, b) => Number(a.reason !== null) - Number(b.reason !== null) || b.rank - a.rank || a.name.localeCompare(b.name));
    return found;
  }, [kinds, functions, open2, query, fits2, wanted.mode]);
  reactExports.useEffect(() => setAt(0), [query]);
  reactExports.useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  function pick(row) {
    if (row && row.reason === null) onPick(row);
  }
  const left = Math.max(8, Math.min(wanted.screen.x - 24, innerWidth - WIDTH - 8));
  const top = Math.max(8, Math.min(wanted.screen.y - 20, innerHeight - HEIGHT - 8));
  const current = rows[at];
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(
    "div",
    {
      className: "palette",
      role: "dialog",
      "aria-label": wanted.mode === "swap" ? "Swap for another kind" : "Add a node",
      style: { left, top, width: WIDTH },
      onBlur: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) onClose();
      },
      children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx(
          "input",
          {
            className: "palette-search",
            autoFocus: true,
            role: "combobox",
            "aria-expanded": "true",
            "aria-controls": "palette-list",
            "aria-activedescendant": current ? `palette-${at}` : void 0,
            "aria-label": "Search node types and functions",
            placeholder: wanted.mode === "swap" ? "Swap for…" : wire ? "What the wire leads to…" : "Add a node…",
            value: query,
            autoComplete: "off",
            spellCheck: false,
            onChange: (event) => setQuery(event.target.value),
            onKeyDown: (event) => {
              if (event.key === "ArrowDown") setAt((old) => Math.min(old + 1, rows.length - 1));
              else if (event.key === "ArrowUp") setAt((old) => Math.max(old - 1, 0));
              else if (event.key === "Enter") pick(current);
              else if (event.key === "Escape") onClose();
              else return;
              event.preventDefault();
              event.stopPropagation();
            }
          }
        ),
        /* @__PURE__ */ jsxRuntimeExports.jsx("ul", { id: "palette-list", role: "listbox", "aria-label": "Node types", ref: list, tabIndex: -1, children: rows.map((row, index2) => /* @__PURE__ */ jsxRuntimeExports.jsxs(
          "li",
          {
            id: `palette-${index2}`,
            role: "option",
            "aria-selected": index2 === at,
            "aria-disabled": row.reason !== null,
            className: index2 === at ? "current" : "",
            title: row.reason ?? row.kind.summary ?? void 0,
            onPointerMove: () => setAt(index2),
            onPointerDown: (event) => event.preventDefault(),
            onClick: () => pick(row),
            children: [
              /* @__PURE__ */ jsxRuntimeExports.jsx(PortShape, { type: row.type }),
              /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: row.name }),
              /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "hint clip", children: query.trim() || wire ? row.hint : row.group })
            ]
          },
          row.key
        )) }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("p", { className: "palette-foot clip", "aria-live": "polite", children: rows.length === 0 ? "Nothing has this name." : current?.reason ?? (current?.convert ? "A conversion is inserted." : current?.kind.summary ?? "") })
      ]
    }
  );
}
function Breadcrumbs() {
  const trail = useStore((state) => state.trail);
  const functions = useStore((state) => state.functions);
  if (trail.length < 2) return null;
  const name = (id) => functions.find((known) => known.function_id === id)?.name ?? String(id);
  return /* @__PURE__ */ jsxRuntimeExports.jsx("nav", { className: "breadcrumbs", "aria-label": "Calls", children: trail.map((id, at) => /* @__PURE__ */ jsxRuntimeExports.jsxs(reactExports.Fragment, { children: [
    at > 0 && /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "chevron", size: 12 }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small clip", "aria-current": at === trail.length - 1 ? "page" : void 0, onClick: () => void openFunction(id), children: name(id) })
  ] }, id)) });
}
const kept = /* @__PURE__ */ new Map();
function elements(scene, places, drag, selection, wires, hovered, functions) {
  if (!scene || !scene.graph.nodes.some((node) => places.has(node.node_id))) return { nodes: [], edges: [] };
  const { graph, signatures: signatures2, sizes } = scene;
  const selected = new Set(selection);
  const byId = new Map(graph.nodes.map((node) => [node.node_id, node]));
  const isNeeded = needed(graph);
  const used = /* @__PURE__ */ new Map();
  const links = [];
  for (const node of graph.nodes) {
    for (const [name, setting] of Object.entries(node.parameters ?? {})) {
      if (!isSource(setting)) continue;
      const { node_id: source, port } = setting.source;
      links.push({ id: `${node.node_id}:${name}`, source, port, target: node.node_id, name });
      const ports = used.get(source) ?? /* @__PURE__ */ new Set();
      used.set(source, ports.add(port));
    }
  }
  const path = hovered === null ? /* @__PURE__ */ new Set() : upstream(hovered, links);
  const nodes = graph.nodes.flatMap((node) => {
    const place = drag.get(node.node_id) ?? places.get(node.node_id);
    const size = sizes.get(node.node_id);
    const signature2 = signatures2.get(node.node_id);
    if (!place || !size || !signature2) return [];
    const called = calledFunction(node, byId);
    const missing2 = isNeeded.has(node.node_id) ? unset(node, signature2).map((parameter) => parameter.name) : [];
    const callee = called === null ? null : functions.find((known) => known.function_id === called)?.name ?? null;
    const family = get().kinds.get(node.node_type)?.family ?? "boundary";
    const linkedPorts = used.get(node.node_id) ?? /* @__PURE__ */ new Set();
    const basis = JSON.stringify([node, signature2, callee, missing2, [...linkedPorts]]);
    const key = `${graph.function_id}:${node.node_id}`;
    let data = kept.get(key);
    if (data?.basis !== basis) {
      data = { basis, data: { node, signature: signature2, family, callee, missing: missing2, linkedPorts } };
      kept.set(key, data);
    }
    const label = `${callee ?? node.display_name ?? node.node_type}, node ${node.node_id}`;
    return [
      {
        id: String(node.node_id),
        type: "card",
        position: place,
        data: data.data,
        width: size.width,
        height: size.height,
        measured: { width: size.width, height: size.height },
        selected: selected.has(node.node_id),
        ariaLabel: label.slice(0, 200)
      }
    ];
  });
  const shown2 = new Set(nodes.map((node) => node.id));
  const edges = links.flatMap((link2) => {
    if (!shown2.has(String(link2.source)) || !shown2.has(String(link2.target))) return [];
    const type = signatures2.get(link2.source)?.ports.find((port) => port.name === link2.port)?.type ?? "float";
    return [
      {
        id: link2.id,
        type: "wire",
        source: String(link2.source),
        sourceHandle: `out:${link2.port}`,
        target: String(link2.target),
        targetHandle: `in:${link2.name}`,
        selected: wires.has(link2.id),
        reconnectable: true,
        data: { type, isOnPath: path.has(link2.id) },
        ariaLabel: `link from ${link2.source}.${link2.port} to ${link2.target}.${link2.name}`.slice(0, 200)
      }
    ];
  });
  return { nodes, edges };
}
function upstream(id, links) {
  const found = /* @__PURE__ */ new Set([id]);
  const queue = links.filter((link2) => link2.id === id).map((link2) => link2.source);
  const seen = new Set(queue);
  for (let node = queue.pop(); node !== void 0; node = queue.pop()) {
    for (const link2 of links) {
      if (link2.target !== node) continue;
      found.add(link2.id);
      if (!seen.has(link2.source)) {
        seen.add(link2.source);
        queue.push(link2.source);
      }
    }
  }
  return found;
}
const SAMPLES = 24;
function wireAt(node, nodes, edges) {
  const byId = new Map(nodes.map((one2) => [one2.id, one2]));
  const { x, y } = node.position;
  const [width, height] = [node.width ?? 0, node.height ?? 0];
  for (const edge of edges) {
    const source = byId.get(edge.source);
    const target = byId.get(edge.target);
    if (!source || !target || edge.source === node.id || edge.target === node.id) continue;
    const from = { x: source.position.x + (source.width ?? 0), y: source.position.y + rowOf(source, edge.sourceHandle, true) };
    const to = { x: target.position.x, y: target.position.y + rowOf(target, edge.targetHandle, false) };
    for (let step = 1; step < SAMPLES; step++) {
      const t = step / SAMPLES;
      const ease = t * t * (3 - 2 * t);
      const at = { x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * ease };
      if (at.x > x && at.x < x + width && at.y > y && at.y < y + height) return edge;
    }
  }
  return null;
}
function rowOf(node, handle2, isOutput) {
  const { ports, parameters } = node.data.signature;
  const names = isOutput ? ports : parameters;
  const name = (handle2 ?? "").slice(isOutput ? 4 : 3);
  return 40 + Math.max(0, names.findIndex((one2) => one2.name === name)) * 24;
}
const NodeCard = reactExports.memo(function NodeCard2({ data, selected }) {
  const { node, signature: signature2, family, callee, missing: missing2, linkedPorts } = data;
  const glow = useStore((state) => state.glows.get(node.node_id));
  const rows = Math.max(signature2.parameters.length, signature2.ports.length);
  const title = callee ?? nodeTitle(node);
  const subtitle = callee || node.display_name ? node.node_type : null;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: `card family-${family.toLowerCase()} ${selected ? "selected" : ""} ${glow ? `glow ${glow.kind}` : ""}`, children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "card-head", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "card-title clip", title: subtitle ? `${subtitle} · node ${node.node_id}` : `node ${node.node_id}`, children: title }),
      missing2.length > 0 && /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "badge", role: "img", "aria-label": `not set: ${missing2.join(", ")}`, title: `Not set: ${missing2.join(", ")}`, children: missing2.length })
    ] }),
    glow && /* @__PURE__ */ jsxRuntimeExports.jsx(Who, { glow }),
    Array.from({ length: rows }, (_, row) => {
      const parameter = signature2.parameters[row];
      const port = signature2.ports[row];
      const top = HEAD + row * ROW;
      return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "card-row", style: { top, height: ROW }, children: [
        parameter && /* @__PURE__ */ jsxRuntimeExports.jsx(Input, { node, parameter, isMissing: missing2.includes(parameter.name) }),
        port && /* @__PURE__ */ jsxRuntimeExports.jsx(Output, { node, port, isNamed: port.name !== parameter?.name, isLinked: linkedPorts.has(port.name) })
      ] }, row);
    })
  ] });
});
function isConstant(node) {
  return node.node_type === "ConstantScalar";
}
function Who({ glow }) {
  return /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "who clip", title: `changed by ${glow.who}`, children: glow.who });
}
function Input({ node, parameter, isMissing }) {
  const setting = node.parameters?.[parameter.name];
  const isLinked = isSource(setting);
  const value = setting && !isSource(setting) ? setting.value : void 0;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx(Handle, { type: "target", position: Position.Left, id: `in:${parameter.name}`, className: isMissing ? "missing" : "", title: `${parameter.name}: ${parameter.type}`, children: /* @__PURE__ */ jsxRuntimeExports.jsx(PortShape, { type: parameter.type }) }),
    !isConstant(node) && /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "port-name clip", title: parameter.name, children: parameter.name }),
    node.node_type === "End" && isLinked && /* @__PURE__ */ jsxRuntimeExports.jsx(Result, { source: `${setting.source.node_id}:${setting.source.port}`, name: parameter.name }),
    !isLinked && node.node_type !== "End" && /* @__PURE__ */ jsxRuntimeExports.jsx(
      ValueField,
      {
        label: `${parameter.name} of ${nodeTitle(node)}`,
        type: parameter.type,
        value,
        placeholder: parameter.hasDefault ? shown(parameter.default) : "–",
        ...parameter.type === "resource_id" ? { choices: resourceChoices(parameter.refers) } : {},
        onCommit: (next) => commitValue(node.node_id, parameter.name, next),
        onDraft: (next) => draftValue(node.node_id, parameter.name, next)
      }
    )
  ] });
}
function Result({ source, name }) {
  const value = useStore((state) => state.values.get(source));
  if (value === void 0) return null;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "grow" }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("output", { className: "live result mono clip", title: `${name} = ${shown(value, 15)} at the probe point`, children: shown(value) })
  ] });
}
function Output({ node, port, isNamed, isLinked }) {
  const value = useStore((state) => state.values.get(`${node.node_id}:${port.name}`));
  const hidesValue = isConstant(node);
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
    !hidesValue && /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "grow" }),
    value !== void 0 && !hidesValue && port.type !== "matrix4x4" && /* @__PURE__ */ jsxRuntimeExports.jsx("output", { className: "live mono clip", title: `${port.name} = ${shown(value, 15)} at the probe point`, children: shown(value) }),
    isNamed && (value === void 0 || hidesValue) && /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "port-name out clip", title: port.name, children: port.name }),
    /* @__PURE__ */ jsxRuntimeExports.jsx(Handle, { type: "source", position: Position.Right, id: `out:${port.name}`, className: isLinked ? "linked" : "", title: `${port.name}: ${port.type}`, children: /* @__PURE__ */ jsxRuntimeExports.jsx(PortShape, { type: port.type }) })
  ] });
}
const ZERO = {
  float: 0,
  float3: [0, 0, 0],
  integer: 0,
  matrix4x4: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
  string: ""
};
function probeValue(port, probe) {
  const given = probe[port.name];
  const isVector = port.type === "float3";
  return given !== void 0 && Array.isArray(given) === (isVector || port.type === "matrix4x4") ? given : ZERO[port.type];
}
function useProbe(scene) {
  const probe = useStore((state) => state.probe);
  const revision = useStore((state) => state.revision);
  reactExports.useEffect(() => {
    const { project } = get();
    if (!scene || project === null) return;
    const { graph } = scene;
    const problems = missingInputs(scene);
    if (problems.length > 0 || graph.outputs.length === 0 || graph.inputs.some((port) => port.type === "resource_id")) {
      set({ values: /* @__PURE__ */ new Map(), problems });
      return;
    }
    const cancel = new AbortController();
    const inputs = Object.fromEntries(graph.inputs.map((port) => [port.name, probeValue(port, probe)]));
    const body = { arguments: inputs, trace: true };
    api.post("/api/projects/{project}/functions/{function_id}/evaluate", { path: { project, function_id: graph.function_id }, body, signal: cancel.signal }).then((evaluated) => {
      const values = /* @__PURE__ */ new Map();
      for (const node of evaluated.trace ?? []) {
        for (const [name, value] of Object.entries(node.outputs)) values.set(`${node.node_id}:${name}`, value);
      }
      const warnings = evaluated.warnings.map((text) => ({ functionId: graph.function_id, nodeId: null, port: null, tone: "warning", text }));
      set({ values, problems: warnings });
    }).catch((error) => {
      if (cancel.signal.aborted || !(error instanceof ApiError) || error.code === "unreachable") return;
      const details = error.refusal.details;
      const problem = { functionId: graph.function_id, nodeId: details?.node_id ?? null, port: null, tone: "error", text: error.message };
      set({ values: /* @__PURE__ */ new Map(), problems: [problem] });
    });
    return () => cancel.abort();
  }, [scene, probe, revision]);
}
function missingInputs({ graph, signatures: signatures2 }) {
  const isNeeded = needed(graph);
  return graph.nodes.flatMap((node) => {
    const signature2 = signatures2.get(node.node_id);
    if (!signature2 || !isNeeded.has(node.node_id)) return [];
    return unset(node, signature2).map((parameter) => {
      const name = node.node_type === "End" ? `output ${parameter.name}` : `${parameter.name} of ${node.display_name ?? node.node_type} (node ${node.node_id})`;
      return { functionId: graph.function_id, nodeId: node.node_id, port: parameter.name, tone: "error", text: `${name} has neither a value nor a link` };
    });
  });
}
const EDITABLE = /* @__PURE__ */ new Set(["float", "float3", "integer"]);
function Probe() {
  const inputs = useStore((state) => state.graph?.inputs);
  const probe = useStore((state) => state.probe);
  const fields = inputs?.filter((port) => EDITABLE.has(port.type)) ?? [];
  if (fields.length === 0) return null;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "probe", role: "group", "aria-label": "Probe point: inputs for the values at the ports", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "probe-label", children: "Values at" }),
    fields.slice(0, 4).map((port) => /* @__PURE__ */ jsxRuntimeExports.jsxs("label", { children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: port.name }),
      /* @__PURE__ */ jsxRuntimeExports.jsx(ValueField, { label: `probe ${port.name}`, type: port.type, value: probeValue(port, probe), onCommit: (value) => set({ probe: { ...probe, [port.name]: value } }) })
    ] }, port.name))
  ] });
}
function Toolbar({ onAdd, onFit }) {
  const selection = useStore((state) => state.selection);
  const graph = useStore((state) => state.graph);
  const [name, setName] = reactExports.useState(null);
  const own = selection.filter((id) => !isBoundary(graph?.nodes.find((node) => node.node_id === id)));
  const [first] = own;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "toolbar", role: "toolbar", "aria-label": "Graph", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", title: "Add a node (Space)", "aria-label": "Add a node", onClick: onAdd, children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "plus" }) }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", title: "Tidy up (L)", "aria-label": "Tidy up", onClick: () => void tidy(), children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "layout" }) }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", title: "Show everything (F)", "aria-label": "Show everything", onClick: onFit, children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "fit" }) })
    ] }),
    first !== void 0 && /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "selection-bar", role: "toolbar", "aria-label": "Selection", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "count", children: own.length === 1 ? "1 node" : `${own.length} nodes` }),
      own.length === 1 && /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small", title: "Another kind, same links (S)", onClick: () => window.dispatchEvent(new CustomEvent("fibula-swap", { detail: first })), children: "Swap" }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small", title: "Take it out of the flow (M)", onClick: () => void muteNode(first), children: "Mute" })
      ] }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small", title: "Ctrl+D", onClick: () => void duplicate(own), children: "Duplicate" }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small", title: "Ctrl+C", onClick: () => copy(own), children: "Copy" }),
      name === null ? /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small", onClick: () => setName("Part"), children: "Extract" }) : /* @__PURE__ */ jsxRuntimeExports.jsx(
        "form",
        {
          onSubmit: (event) => {
            event.preventDefault();
            setName(null);
            if (name.trim()) void extract(own, name.trim());
          },
          children: /* @__PURE__ */ jsxRuntimeExports.jsx("input", { className: "field", "aria-label": "Name of the new function", autoFocus: true, value: name, onChange: (event) => setName(event.target.value), onFocus: (event) => event.target.select(), onBlur: () => setName(null), onKeyDown: (event) => event.key === "Escape" && setName(null) })
        }
      ),
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain small", title: "Delete; Shift+Delete joins the links", onClick: (event) => void removeNodes(own, event.shiftKey), children: "Delete" })
    ] })
  ] });
}
function useCanvasKeys(verbs) {
  const latest = reactExports.useRef(verbs);
  latest.current = verbs;
  reactExports.useEffect(() => {
    const onKey = (event) => {
      if (isTyping(event.target) || event.defaultPrevented || get().graph === null) return;
      if (handle(event, latest.current)) event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
function isTyping(target) {
  const element = target;
  return !!element?.closest('input, textarea, select, [contenteditable], [role="dialog"]');
}
function isOnControl(event) {
  return !!event.target?.closest('button, a, summary, [role="tab"], [role="slider"], [role="separator"]');
}
function handle(event, verbs) {
  const { selection, graph } = get();
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (command) {
    switch (key) {
      case "c":
        if (selection.length === 0 || getSelection()?.toString()) return false;
        copy(selection);
        return true;
      case "v":
        void paste();
        return true;
      case "d":
        void duplicate(selection);
        return true;
      case "a":
        set({ selection: graph?.nodes.map((node) => node.node_id) ?? [] });
        return true;
      default:
        return false;
    }
  }
  if (isOnControl(event)) return false;
  const [first] = selection;
  switch (key) {
    case " ":
      verbs.openPalette();
      return true;
    case "Delete":
    case "Backspace":
      if (verbs.wires.size > 0 && selection.length === 0) {
        void disconnect([...verbs.wires].map(wireEnd));
        verbs.clearWires();
      } else void removeNodes(selection, event.shiftKey);
      return selection.length > 0 || verbs.wires.size > 0;
    case "m":
      if (first !== void 0) void muteNode(first);
      return true;
    case "s":
      if (first !== void 0 && !isBoundary(graph?.nodes.find((node) => node.node_id === first))) verbs.openSwap(first);
      return true;
    case "f":
      verbs.fit();
      return true;
    case "l":
      void tidy();
      return true;
    case "Escape":
      set({ selection: [] });
      verbs.clearWires();
      return true;
    case "o": {
      const node = graph?.nodes.find((one2) => one2.node_id === first);
      const called = node && graph ? calledFunction(node, new Map(graph.nodes.map((one2) => [one2.node_id, one2]))) : null;
      if (called !== null && called !== void 0) void openFunction(called, true);
      return true;
    }
    case "u": {
      const above = get().trail.at(-2);
      if (above !== void 0) void openFunction(above);
      return true;
    }
    default:
      return false;
  }
}
function wireEnd(id) {
  const colon = id.indexOf(":");
  return { node_id: Number(id.slice(0, colon)), name: id.slice(colon + 1) };
}
const HANDLE_RADIUS = 9;
const Wire = reactExports.memo(function Wire2({ id, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, selected }) {
  const [path] = getBezierPath({ sourceX: sourceX - HANDLE_RADIUS, sourceY, targetX: targetX + HANDLE_RADIUS, targetY, sourcePosition, targetPosition, curvature: 0.28 });
  const className = `wire ${selected ? "selected" : ""} ${data?.isOnPath ? "on-path" : ""}`;
  return /* @__PURE__ */ jsxRuntimeExports.jsx(BaseEdge, { id, path, className, interactionWidth: 14, style: { stroke: `var(--type-${data?.type ?? "float"}, var(--text-3))` } });
});
const NODE_TYPES = { card: NodeCard };
const EDGE_TYPES = { wire: Wire };
const FIT = { padding: 0.16, maxZoom: 1.1, minZoom: 0.2 };
function GraphView() {
  return /* @__PURE__ */ jsxRuntimeExports.jsx(ReactFlowProvider, { children: /* @__PURE__ */ jsxRuntimeExports.jsx(Canvas, {}) });
}
function Canvas() {
  const scene = useScene();
  useProbe(scene);
  const flow = useReactFlow();
  const places = useStore((state) => state.places);
  const selection = useStore((state) => state.selection);
  const [drag, setDrag] = reactExports.useState(/* @__PURE__ */ new Map());
  const [wires, setWires] = reactExports.useState(/* @__PURE__ */ new Set());
  const [hovered, setHovered] = reactExports.useState(null);
  const [palette, setPalette] = reactExports.useState(null);
  const [fitting, setFitting] = reactExports.useState(null);
  const pointer = reactExports.useRef({ x: 0, y: 0 });
  const frame = reactExports.useRef(null);
  const { nodes, edges } = reactExports.useMemo(() => elements(scene, places, drag, selection, wires, hovered, get().functions), [scene, places, drag, selection, wires, hovered]);
  const functionId = scene?.graph.function_id;
  const isPlaced = nodes.length > 0;
  const isMoved = reactExports.useRef(false);
  reactExports.useEffect(() => {
    isMoved.current = false;
  }, [functionId]);
  reactExports.useEffect(() => {
    if (isPlaced && !isMoved.current) requestAnimationFrame(() => begin(flow, frame.current));
  }, [functionId, isPlaced, places, flow]);
  reactExports.useEffect(() => {
    const watch = new ResizeObserver(() => !isMoved.current && begin(flow, frame.current));
    if (frame.current) watch.observe(frame.current);
    return () => watch.disconnect();
  }, [flow]);
  reactExports.useEffect(() => setWires(/* @__PURE__ */ new Set()), [functionId]);
  const openPalette = reactExports.useCallback((wanted = {}) => {
    const box = frame.current?.getBoundingClientRect();
    const at = wanted.screen ?? (pointer.current.x > 0 ? pointer.current : { x: (box?.left ?? 0) + (box?.width ?? 0) / 2, y: (box?.top ?? 0) + 120 });
    setPalette({ mode: "add", ...wanted, screen: at });
  }, []);
  useCanvasKeys({
    wires,
    clearWires: () => setWires(/* @__PURE__ */ new Set()),
    openPalette: () => openPalette(),
    openSwap: (nodeId) => openPalette({ mode: "swap", nodeId }),
    fit: () => void flow.fitView(FIT)
  });
  reactExports.useEffect(() => {
    const onSwap = (event) => openPalette({ mode: "swap", nodeId: event.detail });
    const onShow = (event) => void flow.fitView({ nodes: [{ id: String(event.detail) }], maxZoom: 1.1, minZoom: 0.4, duration: 140 });
    window.addEventListener("fibula-swap", onSwap);
    window.addEventListener("fibula-show", onShow);
    return () => {
      window.removeEventListener("fibula-swap", onSwap);
      window.removeEventListener("fibula-show", onShow);
    };
  }, [flow, openPalette]);
  function onNodesChange(changes) {
    let selected = null;
    for (const change of changes) {
      if (change.type === "select") {
        selected ??= new Set(get().selection);
        if (change.selected) selected.add(Number(change.id));
        else selected.delete(Number(change.id));
      }
    }
    const moved = changes.flatMap((change) => change.type === "position" && change.position ? [[Number(change.id), change.position]] : []);
    if (moved.length > 0) setDrag((old) => new Map([...old, ...moved]));
    const stepped = changes.some((change) => change.type === "position" && change.dragging === false);
    if (stepped && moved.length > 0 && !isDragging.current) void moveNodes(new Map(moved)).then(() => setDrag(/* @__PURE__ */ new Map()));
    if (selected) set({ selection: [...selected] });
  }
  const isDragging = reactExports.useRef(false);
  async function onDragStop(_, node, all) {
    isDragging.current = false;
    const moved = new Map(all.map((one2) => [Number(one2.id), one2.position]));
    const wasMoved = [...moved].some(([id, at]) => {
      const before = places.get(id);
      return !before || Math.hypot(before.x - at.x, before.y - at.y) > 1;
    });
    if (!wasMoved) return setDrag(/* @__PURE__ */ new Map());
    const wire = all.length === 1 && scene && isLoose(Number(node.id)) ? wireAt(node, nodes, edges) : null;
    const end = wire && targetOf(wire);
    const isInserted = end ? await insertIntoWire(Number(node.id), end, node.position) : false;
    if (!isInserted) await moveNodes(moved);
    setDrag(/* @__PURE__ */ new Map());
  }
  function isLoose(id) {
    return !edges.some((edge) => edge.source === String(id) || edge.target === String(id));
  }
  function targetOf(edge) {
    return { node_id: Number(edge.target), name: (edge.targetHandle ?? "").slice(3) };
  }
  function ends(connection) {
    const source = { node_id: Number(connection.source), name: (connection.sourceHandle ?? "").slice(4) };
    const target = { node_id: Number(connection.target), name: (connection.targetHandle ?? "").slice(3) };
    return { source, target };
  }
  function onConnectEnd(event, state) {
    setFitting(null);
    if (state.isValid !== null || !state.fromHandle || state.toNode) return;
    const screen = "clientX" in event ? { x: event.clientX, y: event.clientY } : pointer.current;
    const id = state.fromHandle.id ?? "";
    const end = { node_id: Number(state.fromNode?.id), name: id.slice(id.indexOf(":") + 1) };
    openPalette({ screen, wire: state.fromHandle.type === "source" ? { from: end } : { to: end } });
  }
  function onEdgesChange(changes) {
    const next = new Set(wires);
    for (const change of changes) {
      if (change.type !== "select") continue;
      if (change.selected) next.add(change.id);
      else next.delete(change.id);
    }
    setWires(next);
  }
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(
    "div",
    {
      className: `graph ${fitting ? "connecting" : ""}`,
      ref: frame,
      onPointerDownCapture: () => {
        isMoved.current = true;
      },
      onPointerMove: (event) => {
        pointer.current = { x: event.clientX, y: event.clientY };
      },
      onDoubleClick: (event) => {
        if (event.target.classList.contains("react-flow__pane")) openPalette({ screen: { x: event.clientX, y: event.clientY } });
      },
      children: [
        fitting && /* @__PURE__ */ jsxRuntimeExports.jsx("style", { children: fitting.style }),
        /* @__PURE__ */ jsxRuntimeExports.jsxs(
          index,
          {
            nodes,
            edges,
            nodeTypes: NODE_TYPES,
            edgeTypes: EDGE_TYPES,
            onNodesChange,
            onEdgesChange,
            onMoveStart: (event) => {
              if (event) isMoved.current = true;
            },
            onNodeDragStart: () => {
              isDragging.current = true;
            },
            onNodeDragStop: (event, node, all) => void onDragStop(event, node, all),
            onConnectStart: (_, params) => {
              const id = params.handleId ?? "";
              void candidates(Number(params.nodeId), id.slice(id.indexOf(":") + 1), params.handleType === "source").then(setFitting);
            },
            onConnect: (connection) => {
              const { source, target } = ends(connection);
              void connect(source, target);
            },
            onConnectEnd,
            onReconnect: (edge, connection) => {
              const { source, target } = ends(connection);
              const old = targetOf(edge);
              const isSameEnd = old.node_id === target.node_id && old.name === target.name;
              void connect(source, target, isSameEnd ? void 0 : old);
            },
            onReconnectEnd: (_, edge, __, state) => {
              if (!state.toNode && !state.toHandle) void disconnect([targetOf(edge)]);
            },
            onEdgeMouseEnter: (_, edge) => setHovered(edge.id),
            onEdgeMouseLeave: () => setHovered(null),
            onNodeDoubleClick: (_, node) => {
              const called = scene && calledFunction(node.data.node, new Map(scene.graph.nodes.map((one2) => [one2.node_id, one2])));
              if (called !== null) void openFunction(called, true);
            },
            connectionRadius: 24,
            deleteKeyCode: null,
            selectionKeyCode: "Shift",
            panActivationKeyCode: null,
            multiSelectionKeyCode: ["Shift", "Control", "Meta"],
            zoomOnDoubleClick: false,
            minZoom: 0.1,
            maxZoom: 2.5,
            onlyRenderVisibleElements: nodes.length > 150,
            proOptions: { hideAttribution: true },
            "aria-label": "Function graph",
            children: [
              /* @__PURE__ */ jsxRuntimeExports.jsx(Background, { variant: BackgroundVariant.Dots, gap: 24, size: 1.2, color: "var(--grid)" }),
              nodes.length > 14 && /* @__PURE__ */ jsxRuntimeExports.jsx(MiniMap, { pannable: true, zoomable: true, ariaLabel: "Overview of the graph", className: "minimap", nodeBorderRadius: 8, nodeColor: "var(--line-strong)", maskColor: "var(--mask)", style: { width: 140, height: 88 } })
            ]
          }
        ),
        /* @__PURE__ */ jsxRuntimeExports.jsx(Breadcrumbs, {}),
        /* @__PURE__ */ jsxRuntimeExports.jsx(Toolbar, { onAdd: () => openPalette({ screen: belowToolbar(frame.current) }), onFit: () => void flow.fitView(FIT) }),
        /* @__PURE__ */ jsxRuntimeExports.jsx(Probe, {}),
        palette && /* @__PURE__ */ jsxRuntimeExports.jsx(
          Palette,
          {
            wanted: palette,
            onClose: () => {
              setPalette(null);
              frame.current?.querySelector(".react-flow__pane")?.focus();
            },
            onPick: (pick) => {
              setPalette(null);
              if (palette.mode === "swap" && palette.nodeId !== void 0) void swapKind(palette.nodeId, pick.kind.name);
              else {
                const at = flow.screenToFlowPosition(palette.screen);
                void addNode({ name: pick.kind.name, ...pick.calls === void 0 ? {} : { calls: pick.calls } }, at, palette.wire ? { ...palette.wire, end: pick.end, convert: pick.convert } : void 0);
              }
            }
          }
        )
      ]
    }
  );
}
const READABLE = 0.62;
function begin(flow, frame) {
  const box = flow.getNodesBounds(flow.getNodes());
  const { width, height } = frame?.getBoundingClientRect() ?? { width: 0, height: 0 };
  if (box.width === 0) return;
  const zoom = Math.min(width * 0.86 / box.width, height * 0.86 / box.height);
  if (zoom >= READABLE || width === 0) void flow.fitView(FIT);
  else {
    const y = box.height * READABLE < height - 120 ? (height - box.height * READABLE) / 2 : 72;
    void flow.setViewport({ x: 32 - box.x * READABLE, y: y - box.y * READABLE, zoom: READABLE });
  }
}
function belowToolbar(frame) {
  const box = frame?.getBoundingClientRect();
  return { x: (box?.left ?? 0) + 16, y: (box?.top ?? 0) + 56 };
}
function Markdown({ text }) {
  const parts = text.split("`");
  return /* @__PURE__ */ jsxRuntimeExports.jsx("p", { children: parts.map((part2, index2) => index2 % 2 === 1 ? /* @__PURE__ */ jsxRuntimeExports.jsx("code", { children: part2 }, index2) : part2) });
}
function useNamed() {
  const graph = useStore((state) => state.graph);
  return (graph?.nodes ?? []).flatMap((node) => {
    if (node.node_type !== "ConstantScalar" || !node.display_name) return [];
    const setting = node.parameters?.value;
    if (!setting || !("value" in setting) || typeof setting.value !== "number") return [];
    return [{ name: node.display_name, node_id: node.node_id, parameter: "value", value: setting.value }];
  });
}
const MOST$2 = 40;
const SYMBOLS = { micron: "µm", millimeter: "mm", centimeter: "cm", meter: "m", inch: "in", foot: "ft" };
function Parameters() {
  const named = useNamed();
  const unit = useStore((state) => state.overview?.unit);
  if (named.length === 0) return null;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("section", { "aria-label": "Parameters", className: "parameters", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "section-title", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("h2", { children: "Parameters" }),
      unit && /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "meta", children: SYMBOLS[unit] ?? unit })
    ] }),
    named.slice(0, MOST$2).map((one2) => /* @__PURE__ */ jsxRuntimeExports.jsx(Slider, { named: one2 }, one2.node_id)),
    named.length > MOST$2 && /* @__PURE__ */ jsxRuntimeExports.jsxs("p", { className: "hint more", children: [
      named.length - MOST$2,
      " more are in the table."
    ] })
  ] });
}
function rangeOf(value) {
  if (value === 0) return [-1, 1];
  const round = 10 ** Math.floor(Math.log10(Math.abs(value)));
  const far = Math.ceil(2 * Math.abs(value) / round) * round;
  return value > 0 ? [0, far] : [-far, 0];
}
function Slider({ named }) {
  const [range, setRange] = reactExports.useState(() => rangeOf(named.value));
  const [draft, setDraft] = reactExports.useState(null);
  const timer = reactExports.useRef(void 0);
  const [low, high] = range;
  const current = draft ?? named.value;
  reactExports.useEffect(() => {
    if (named.value < low || named.value > high) setRange(rangeOf(named.value));
  }, [named.value, low, high]);
  const step = stepOf(Math.max(Math.abs(low), Math.abs(high)));
  function change(value) {
    setDraft(value);
    draftValue(named.node_id, named.parameter, value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void commit(value), 400);
  }
  async function commit(value) {
    clearTimeout(timer.current);
    const { graph } = get();
    if (graph && value !== named.value) {
      const setting = () => get().graph?.nodes.find((node) => node.node_id === named.node_id)?.parameters?.[named.parameter] ?? null;
      await write([setValue(graph.function_id, { node_id: named.node_id, name: named.parameter }, value)], { basis: setting });
    }
    set({ draft: null });
    setDraft(null);
  }
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "slider", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "slider-name clip", onClick: () => show(named.node_id), title: `${named.name}: show its node`, children: named.name }),
    /* @__PURE__ */ jsxRuntimeExports.jsx(
      "input",
      {
        type: "range",
        "aria-label": named.name,
        "aria-valuetext": short(current),
        min: low,
        max: high,
        step,
        value: current,
        onChange: (event) => change(toStep(Number(event.target.value), step)),
        onPointerUp: () => draft !== null && void commit(draft)
      }
    ),
    /* @__PURE__ */ jsxRuntimeExports.jsx(ValueField, { label: `value of ${named.name}`, type: "float", value: current, onCommit: (value) => void commit(value), onDraft: (value) => draftValue(named.node_id, named.parameter, value) })
  ] });
}
function Inspector() {
  const graph = useStore((state) => state.graph);
  const selection = useStore((state) => state.selection);
  const node = selection.length === 1 ? graph?.nodes.find((known) => known.node_id === selection[0]) : void 0;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "inspector", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx(Parameters, {}),
    node ? /* @__PURE__ */ jsxRuntimeExports.jsx(NodePanel, { node }, node.node_id) : /* @__PURE__ */ jsxRuntimeExports.jsx(FunctionPanel, {})
  ] });
}
function NodePanel({ node }) {
  const graph = useStore((state) => state.graph);
  const kind = useStore((state) => state.kinds.get(node.node_type));
  const values = useStore((state) => state.values);
  if (!graph) return null;
  const signature2 = sceneOf(graph).signatures.get(node.node_id) ?? { parameters: [], ports: [] };
  const isBoundary2 = node.node_type === "Begin" || node.node_type === "End";
  const byId = new Map(graph.nodes.map((one2) => [one2.node_id, one2]));
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("section", { "aria-label": "Selected node", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "inspector-head", children: [
      isBoundary2 ? /* @__PURE__ */ jsxRuntimeExports.jsx("h2", { children: node.node_type === "Begin" ? "Inputs" : "Outputs" }) : /* @__PURE__ */ jsxRuntimeExports.jsx(NameField, { node }),
      /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "meta", children: [
        node.node_type,
        " · ",
        /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "mono", children: node.node_id })
      ] })
    ] }),
    signature2.parameters.length > 0 && /* @__PURE__ */ jsxRuntimeExports.jsx("dl", { className: "ports", children: signature2.parameters.map((parameter) => {
      const setting = node.parameters?.[parameter.name];
      const source = isSource(setting) ? byId.get(setting.source.node_id) : void 0;
      return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { children: [
        /* @__PURE__ */ jsxRuntimeExports.jsxs("dt", { children: [
          /* @__PURE__ */ jsxRuntimeExports.jsx(PortShape, { type: parameter.type }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", title: `${parameter.name}: ${parameter.type}`, children: parameter.name })
        ] }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("dd", { children: isSource(setting) ? /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { className: "source clip", onClick: () => show(setting.source.node_id), title: "Show the source", children: [
          source ? nodeTitle(source) : setting.source.node_id,
          /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "hint", children: [
            " ",
            setting.source.port
          ] }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "mono live-value", children: shown(values.get(`${setting.source.node_id}:${setting.source.port}`)) })
        ] }) : isBoundary2 ? /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "hint", children: "no link" }) : /* @__PURE__ */ jsxRuntimeExports.jsx(
          ValueField,
          {
            label: `${parameter.name}`,
            type: parameter.type,
            value: setting?.value,
            placeholder: parameter.hasDefault ? shown(parameter.default) : "not set",
            ...parameter.type === "resource_id" ? { choices: resourceChoices(parameter.refers) } : {},
            onCommit: (value) => void commitValue(node.node_id, parameter.name, value),
            onDraft: (value) => draftValue(node.node_id, parameter.name, value)
          }
        ) })
      ] }, parameter.name);
    }) }),
    signature2.ports.length > 0 && /* @__PURE__ */ jsxRuntimeExports.jsx("dl", { className: "ports results", children: signature2.ports.map((port) => /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { children: [
      /* @__PURE__ */ jsxRuntimeExports.jsxs("dt", { children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx(PortShape, { type: port.type }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", title: `${port.name}: ${port.type}`, children: port.name })
      ] }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("dd", { children: /* @__PURE__ */ jsxRuntimeExports.jsx(Value, { value: values.get(`${node.node_id}:${port.name}`) }) })
    ] }, port.name)) }),
    kind && /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "docs", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx(Markdown, { text: kind.description ?? kind.summary ?? "" }),
      kind.signature && /* @__PURE__ */ jsxRuntimeExports.jsx("p", { className: "mono signature", children: kind.signature })
    ] })
  ] });
}
function Value({ value }) {
  const [copied, setCopied] = reactExports.useState(false);
  if (value === void 0) return /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "hint", children: "–" });
  const full = Array.isArray(value) ? value.flat().join(", ") : String(value);
  return /* @__PURE__ */ jsxRuntimeExports.jsx(
    "button",
    {
      className: "value mono clip",
      title: `${full} (click to copy)`,
      onClick: () => {
        void navigator.clipboard?.writeText(full).then(() => setCopied(true));
        setTimeout(() => setCopied(false), 1200);
      },
      children: copied ? "copied" : shown(value, 6)
    }
  );
}
function NameField({ node }) {
  const [text, setText] = reactExports.useState(node.display_name ?? "");
  reactExports.useEffect(() => setText(node.display_name ?? ""), [node.display_name]);
  return /* @__PURE__ */ jsxRuntimeExports.jsx(
    "input",
    {
      className: "field name",
      "aria-label": "Name of the node",
      placeholder: node.node_type,
      value: text,
      autoComplete: "off",
      maxLength: 200,
      onChange: (event) => setText(event.target.value),
      onBlur: () => void rename(node.node_id, text.trim()),
      onKeyDown: (event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") setText(node.display_name ?? "");
      }
    }
  );
}
function FunctionPanel() {
  const graph = useStore((state) => state.graph);
  const selection = useStore((state) => state.selection);
  const count2 = selection.length;
  if (!graph) return null;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("section", { "aria-label": "Function", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "inspector-head", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("h2", { className: "clip", title: graph.name, children: count2 > 1 ? `${count2} nodes selected` : graph.name }),
      /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "meta", children: [
        "function · ",
        /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "mono", children: graph.function_id })
      ] })
    ] }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("dl", { className: "ports", children: [...graph.inputs.map((port) => ({ port, side: "input" })), ...graph.outputs.map((port) => ({ port, side: "output" }))].map(({ port, side }) => /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { children: [
      /* @__PURE__ */ jsxRuntimeExports.jsxs("dt", { children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx(PortShape, { type: port.type }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: port.name })
      ] }),
      /* @__PURE__ */ jsxRuntimeExports.jsxs("dd", { className: "hint", children: [
        side,
        ", ",
        port.type
      ] })
    ] }, `${side}${port.name}`)) })
  ] });
}
function Outline() {
  const functions = useStore((state) => state.functions);
  const trail = useStore((state) => state.trail);
  const view = useStore((state) => state.view);
  const overview = useStore((state) => state.overview);
  const subject = useStore((state) => state.subject);
  const project = useStore((state) => state.project);
  const [isNaming, setNaming] = reactExports.useState(false);
  const open2 = view === "graph" ? trail.at(-1) : void 0;
  const objects = overview?.objects ?? [];
  const others = overview?.resources ?? [];
  async function create2(name) {
    setNaming(false);
    if (!name.trim() || project === null) return;
    const nodes = { name: name.trim(), inputs: [{ name: "pos", type: "float3" }], outputs: [{ name: "shape", type: "float" }], nodes: [] };
    const done = await write([{ set_function: { function_id: "$new", ...nodes } }], { basis: () => null });
    const id = done?.ids["$new"];
    if (id !== void 0) await openFunction(id);
  }
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "outline", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx(Section, { title: "Functions", count: functions.length, children: /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon small-icon", "aria-label": "New function", title: "New function", onClick: () => setNaming(true), children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "plus", size: 14 }) }) }),
    isNaming && /* @__PURE__ */ jsxRuntimeExports.jsx(
      "form",
      {
        className: "naming",
        onSubmit: (event) => {
          event.preventDefault();
          void create2(new FormData(event.currentTarget).get("name"));
        },
        children: /* @__PURE__ */ jsxRuntimeExports.jsx("input", { className: "field", name: "name", "aria-label": "Name of the function", placeholder: "Name", autoFocus: true, autoComplete: "off", onBlur: () => setNaming(false), onKeyDown: (event) => event.key === "Escape" && setNaming(false) })
      }
    ),
    /* @__PURE__ */ jsxRuntimeExports.jsx("ul", { children: functions.map((known) => /* @__PURE__ */ jsxRuntimeExports.jsx("li", { children: /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { className: "row", "aria-current": known.function_id === open2 ? "page" : void 0, onClick: () => void openFunction(known.function_id), title: `${known.name}: function ${known.function_id}`, children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "function", size: 14 }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: known.name }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "meta", children: known.node_count })
    ] }) }, known.function_id)) }),
    objects.length > 0 && /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx(Section, { title: "Objects", count: overview?.object_count ?? 0 }),
      /* @__PURE__ */ jsxRuntimeExports.jsxs("ul", { children: [
        (overview?.build_item_count ?? 0) > 0 && /* @__PURE__ */ jsxRuntimeExports.jsx(Row, { name: "Build", meta: `${overview?.build_item_count}`, subject: { kind: "build" }, current: subject }),
        objects.map((object) => /* @__PURE__ */ jsxRuntimeExports.jsx(Row, { name: object.name ?? `${object.kind} ${object.object_id}`, meta: object.kind, subject: { kind: "object", objectId: object.object_id ?? 0 }, current: subject }, object.object_id))
      ] })
    ] }),
    others.length > 0 && /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx(Section, { title: "Resources", count: overview?.resource_count ?? 0 }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("ul", { children: others.map((resource) => /* @__PURE__ */ jsxRuntimeExports.jsxs("li", { className: "row still", children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: resource.name ?? `${resource.kind} ${resource.resource_id}` }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "meta clip", children: resource.kind })
      ] }, resource.resource_id)) })
    ] }),
    /* @__PURE__ */ jsxRuntimeExports.jsx(LibrarySection, {})
  ] });
}
function Section({ title, count: count2, children }) {
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "section-title", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("h2", { children: [
      title,
      " ",
      count2 > 0 && /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "count", children: count2 })
    ] }),
    children
  ] });
}
function Row({ name, meta, subject, current }) {
  const isCurrent = JSON.stringify(subject) === JSON.stringify(current);
  return /* @__PURE__ */ jsxRuntimeExports.jsx("li", { children: /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { className: "row", "aria-pressed": isCurrent, onClick: () => set({ subject }), title: `Show ${name}`, children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "solid", size: 14 }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: name }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "meta clip", children: meta })
  ] }) });
}
function LibrarySection() {
  const project = useStore((state) => state.project);
  const [library, setLibrary] = reactExports.useState(null);
  const [query, setQuery] = reactExports.useState("");
  async function load2() {
    if (library !== null || project === null) return;
    try {
      const listed = await api.get("/api/projects/{project}/functions", { path: { project }, query: { library: true, limit: 200 } });
      setLibrary(listed.library ?? []);
    } catch (error) {
      refused(error);
    }
  }
  async function insert2(name) {
    const done = await write([{ insert_function: { name, function_id: "$new" } }], { basis: () => null });
    const id = done?.ids["$new"];
    await refresh();
    if (id !== void 0) await openFunction(id);
  }
  const wanted = query.trim().toLowerCase();
  const found = (library ?? []).filter((one2) => !wanted || `${one2.name} ${one2.group} ${one2.about}`.toLowerCase().includes(wanted));
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("details", { className: "library", onToggle: () => void load2(), children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("summary", { className: "section-title", children: "Library" }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("div", { className: "naming", children: /* @__PURE__ */ jsxRuntimeExports.jsx("input", { className: "field", "aria-label": "Search the library", placeholder: "Search", value: query, onChange: (event) => setQuery(event.target.value) }) }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("ul", { children: found.map((one2) => /* @__PURE__ */ jsxRuntimeExports.jsx("li", { children: /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { className: "row", title: `${one2.signature}
${one2.about}`, onClick: () => void insert2(one2.name), children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "plus", size: 12 }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: one2.name }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "meta clip", children: one2.group })
    ] }) }, one2.name)) })
  ] });
}
const KEY = "fibula-page";
function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}
const usePrefs = create$1()(() => ({
  theme: "system",
  left: innerWidth > 760,
  right: innerWidth > 760,
  leftWidth: 236,
  rightWidth: innerWidth < 1200 ? 300 : 360,
  ...stored()
}));
usePrefs.subscribe((prefs) => {
  localStorage.setItem(KEY, JSON.stringify(prefs));
  applyTheme(prefs.theme);
});
function applyTheme(theme = usePrefs.getState().theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
function DropZone({ children }) {
  const [isOver, setOver] = reactExports.useState(false);
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(
    "div",
    {
      className: "drop",
      onDragOver: (event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOver(false);
      },
      onDrop: (event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        setOver(false);
        void importFiles([...event.dataTransfer.files]);
      },
      children: [
        children,
        isOver && /* @__PURE__ */ jsxRuntimeExports.jsx("div", { className: "drop-hint", children: "Drop to import: 3MF, STL, OBJ, .vm, or a knowledge graph as JSON-LD, GraphML, CSV…" })
      ]
    }
  );
}
function mesh(format) {
  return (project, functionId) => {
    const hasBuild = (get().overview?.build_item_count ?? 0) > 0;
    const subject = hasBuild || functionId === void 0 ? {} : { function_id: functionId };
    return raw("POST", url("/api/projects/{project}/export", { project }), { format, ...subject });
  };
}
const FORMATS = [
  { label: "3MF", hint: "functions and objects, exact", extension: "3mf", run: (project) => raw("GET", url("/api/projects/{project}/export.3mf", { project })) },
  { label: "STL", hint: "triangles", extension: "stl", run: mesh("stl") },
  { label: "OBJ", hint: "triangles", extension: "obj", run: mesh("obj") },
  { label: "SVG", hint: "picture of the graph", extension: "svg", run: picture("svg") },
  { label: "PNG", hint: "picture of the part", extension: "png", run: part }
];
function picture(format) {
  return (project, functionId) => raw("GET", url("/api/projects/{project}/functions/{function_id}/picture", { project, function_id: functionId ?? 0 }, { format }));
}
function part(project, functionId) {
  const hasBuild = (get().overview?.build_item_count ?? 0) > 0;
  const subject = hasBuild || functionId === void 0 ? {} : { function_id: functionId };
  return raw("POST", url("/api/projects/{project}/render", { project }), { size: [1024, 1024], ...subject });
}
function ExportMenu() {
  const [isOpen, setOpen] = reactExports.useState(false);
  const [busy, setBusy] = reactExports.useState(null);
  const menu = reactExports.useRef(null);
  const project = useStore((state) => state.project);
  const functionId = useStore((state) => state.trail.at(-1));
  reactExports.useEffect(() => {
    if (isOpen) menu.current?.querySelector('[role="menuitem"]')?.focus();
  }, [isOpen]);
  async function run(format) {
    setOpen(false);
    if (project === null) return;
    setBusy(format.label);
    try {
      const response = await format.run(project, functionId);
      const blob = await response.blob();
      save(blob, `${project.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) || "part"}.${format.extension}`);
      const warnings = response.headers.get("fibula-warnings");
      if (warnings) notify({ tone: "info", text: warnings });
    } catch (error) {
      refused(error);
    } finally {
      setBusy(null);
    }
  }
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(
    "div",
    {
      className: "menu-anchor",
      onBlur: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      },
      onKeyDown: (event) => {
        if (event.key === "Escape") setOpen(false);
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        const items = [...menu.current?.querySelectorAll('[role="menuitem"]') ?? []];
        const at = items.indexOf(document.activeElement);
        items[(at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length]?.focus();
        event.preventDefault();
      },
      children: [
        /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { className: "button plain", "aria-haspopup": "menu", "aria-expanded": isOpen, onClick: () => setOpen(!isOpen), disabled: busy !== null, children: [
          /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "export", size: 14 }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "wide", children: busy === null ? "Export" : `${busy}…` })
        ] }),
        isOpen && /* @__PURE__ */ jsxRuntimeExports.jsx("div", { className: "menu", role: "menu", "aria-label": "Export as", ref: menu, children: FORMATS.map((format) => /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { role: "menuitem", tabIndex: -1, onClick: () => void run(format), children: [
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { children: format.label }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "hint", children: format.hint })
        ] }, format.label)) })
      ]
    }
  );
}
function save(blob, name) {
  const link2 = document.createElement("a");
  link2.href = URL.createObjectURL(blob);
  link2.download = name;
  link2.click();
  setTimeout(() => URL.revokeObjectURL(link2.href), 1e4);
}
const SEARCH = "fibula-search";
function openSearch() {
  window.dispatchEvent(new Event(SEARCH));
}
function useShortcuts() {
  const [search, setSearch] = reactExports.useState(false);
  reactExports.useEffect(() => {
    const onKey = (event) => {
      if (!(event.ctrlKey || event.metaKey) || get().project === null) return;
      const isText = !!event.target?.closest("input:not([readonly]), textarea");
      const key = event.key.toLowerCase();
      if (key === "k") setSearch((old) => !old);
      else if (key === "j") set({ bottom: get().bottom === null ? "activity" : null });
      else if (key === "z" && !isText) void undo(event.shiftKey);
      else if (key === "y" && !isText) void undo(true);
      else return;
      event.preventDefault();
    };
    const onSearch = () => setSearch(true);
    window.addEventListener("keydown", onKey);
    window.addEventListener(SEARCH, onSearch);
    return () => {
      window.removeEventListener("keydown", onKey);
      window.removeEventListener(SEARCH, onSearch);
    };
  }, []);
  return { search, closeSearch: () => setSearch(false) };
}
const NEXT = { system: "light", light: "dark", dark: "system" };
const LINKS = {
  connecting: "connecting…",
  live: "live",
  offline: "The server does not answer; the page continues when it is back.",
  unauthorized: "needs a token"
};
function Header() {
  const project = useStore((state) => state.project);
  const link2 = useStore((state) => state.link);
  const revision = useStore((state) => state.revision);
  const { theme, left, right } = usePrefs();
  const isOpen = project !== null;
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("header", { className: "head", children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { className: "brand", onClick: closeProject, "aria-label": "Fibula: all projects", title: "All projects", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsxs("svg", { width: "18", height: "18", viewBox: "0 0 16 16", "aria-hidden": "true", children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx("path", { d: "M3 12c4 0 5-8 10-8", fill: "none", stroke: "currentColor", strokeWidth: "1.6" }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("circle", { cx: "3", cy: "12", r: "2", fill: "currentColor" }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("circle", { cx: "13", cy: "4", r: "2", fill: "currentColor" })
      ] }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "brand-name", children: "Fibula" })
    ] }),
    isOpen && /* @__PURE__ */ jsxRuntimeExports.jsx("h1", { className: "project clip", title: project, children: project }),
    !isOpen && /* @__PURE__ */ jsxRuntimeExports.jsx("h1", { className: "visually-hidden", children: "Fibula" }),
    isOpen && /* @__PURE__ */ jsxRuntimeExports.jsxs("span", { className: "revision mono", title: "Revision of the project", children: [
      "r",
      revision
    ] }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: `link-state ${link2}`, role: "status", children: link2 === "live" ? /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "visually-hidden", children: LINKS.live }) : /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: LINKS[link2] }) }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "grow" }),
    isOpen && /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", onClick: () => void undo(), title: "Undo (Ctrl+Z)", "aria-label": "Undo", children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "undo" }) }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", onClick: () => void undo(true), title: "Redo (Ctrl+Shift+Z)", "aria-label": "Redo", children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "redo" }) }),
      /* @__PURE__ */ jsxRuntimeExports.jsxs("button", { className: "button plain search-button", onClick: openSearch, title: "Search (Ctrl+K)", children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "search", size: 14 }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("span", { children: "Search" }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("kbd", { children: "Ctrl K" })
      ] }),
      /* @__PURE__ */ jsxRuntimeExports.jsx(ExportMenu, {})
    ] }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", onClick: () => usePrefs.setState({ theme: NEXT[theme] }), title: `Theme: ${theme}`, "aria-label": `Theme: ${theme}`, children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: theme === "dark" ? "moon" : "sun" }) }),
    isOpen && /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", "aria-pressed": left, onClick: () => usePrefs.setState({ left: !left }), title: "Outline", "aria-label": "Outline", children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "left" }) }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", onClick: () => set({ bottom: useStore.getState().bottom === null ? "activity" : null }), title: "Activity, problems, history, table (Ctrl+J)", "aria-label": "Lower panel", children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "bottom" }) }),
      /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", "aria-pressed": right, onClick: () => usePrefs.setState({ right: !right }), title: "Part and inspector", "aria-label": "Part and inspector", children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "right" }) })
    ] })
  ] });
}
function Notices() {
  const notices = useStore((state) => state.notices);
  return /* @__PURE__ */ jsxRuntimeExports.jsx("div", { className: "notices", role: "log", "aria-live": "polite", "aria-label": "Messages", children: notices.map((notice) => /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: `notice ${notice.tone}`, children: [
    /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "notice-text", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx("p", { children: notice.text.slice(0, 600) }),
      notice.hint && /* @__PURE__ */ jsxRuntimeExports.jsx("p", { className: "hint", children: notice.hint.slice(0, 400) })
    ] }),
    notice.action && /* @__PURE__ */ jsxRuntimeExports.jsx(
      "button",
      {
        className: "button small",
        onClick: () => {
          dismiss(notice.id);
          notice.action?.run();
        },
        children: notice.action.label
      }
    ),
    /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "icon", "aria-label": "Dismiss", onClick: () => dismiss(notice.id), children: /* @__PURE__ */ jsxRuntimeExports.jsx(Icon, { name: "close", size: 12 }) })
  ] }, notice.id)) });
}
const MOST$1 = 60;
function Search({ onClose }) {
  const functions = useStore((state) => state.functions);
  const graph = useStore((state) => state.graph);
  const [query, setQuery] = reactExports.useState("");
  const [at, setAt] = reactExports.useState(0);
  const list = reactExports.useRef(null);
  const rows = reactExports.useMemo(() => {
    const all = [
      ...functions.map((known) => ({ key: `f${known.function_id}`, name: known.name, hint: `function ${known.function_id}`, run: () => void openFunction(known.function_id) })),
      ...(graph?.nodes ?? []).map((node) => ({ key: `n${node.node_id}`, name: nodeTitle(node), hint: `${node.display_name ? `${node.node_type} · ` : ""}node ${node.node_id}`, run: () => show(node.node_id) })),
      { key: "undo", name: "Undo", hint: "Ctrl Z", run: () => void undo() },
      { key: "redo", name: "Redo", hint: "Ctrl Shift Z", run: () => void undo(true) },
      { key: "tidy", name: "Tidy up", hint: "L", run: () => void tidy() },
      { key: "activity", name: "Activity", hint: "panel", run: () => set({ bottom: "activity" }) },
      { key: "problems", name: "Problems", hint: "panel", run: () => set({ bottom: "problems" }) },
      { key: "history", name: "History", hint: "panel", run: () => set({ bottom: "history" }) },
      { key: "table", name: "Table", hint: "panel", run: () => set({ bottom: "table" }) },
      { key: "projects", name: "All projects", hint: "page", run: closeProject }
    ];
    const ranked = all.map((one2) => ({ ...one2, rank: score(query, [one2.name, one2.hint]) })).filter((one2) => one2.rank > 0);
    if (query.trim()) ranked.sort((a, b) => b.rank - a.rank);
    return ranked.slice(0, MOST$1);
  }, [functions, graph, query]);
  reactExports.useEffect(() => setAt(0), [query]);
  reactExports.useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  function pick(row) {
    onClose();
    row?.run();
  }
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(
    "div",
    {
      className: "palette search",
      role: "dialog",
      "aria-label": "Search",
      onBlur: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) onClose();
      },
      children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx(
          "input",
          {
            className: "palette-search",
            autoFocus: true,
            role: "combobox",
            "aria-expanded": "true",
            "aria-controls": "search-list",
            "aria-activedescendant": rows[at] ? `search-${at}` : void 0,
            "aria-label": "Search functions, nodes and commands",
            placeholder: "Functions, nodes, commands…",
            value: query,
            autoComplete: "off",
            spellCheck: false,
            onChange: (event) => setQuery(event.target.value),
            onKeyDown: (event) => {
              if (event.key === "ArrowDown") setAt((old) => Math.min(old + 1, rows.length - 1));
              else if (event.key === "ArrowUp") setAt((old) => Math.max(old - 1, 0));
              else if (event.key === "Enter") pick(rows[at]);
              else if (event.key === "Escape") onClose();
              else return;
              event.preventDefault();
            }
          }
        ),
        /* @__PURE__ */ jsxRuntimeExports.jsx("ul", { id: "search-list", role: "listbox", "aria-label": "Results", ref: list, tabIndex: -1, children: rows.map((row, index2) => /* @__PURE__ */ jsxRuntimeExports.jsxs("li", { id: `search-${index2}`, role: "option", "aria-selected": index2 === at, className: index2 === at ? "current" : "", onPointerMove: () => setAt(index2), onPointerDown: (event) => event.preventDefault(), onClick: () => pick(row), children: [
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", {}),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "clip", children: row.name }),
          /* @__PURE__ */ jsxRuntimeExports.jsx("span", { className: "hint clip", children: row.hint })
        ] }, row.key)) }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("p", { className: "palette-foot", children: rows.length === 0 ? "Nothing has this name." : "Enter opens, Escape closes" })
      ]
    }
  );
}
const LEAST = 180;
const MOST = 640;
const STEP = 16;
function Splitter({ side }) {
  const name = side === "left" ? "leftWidth" : "rightWidth";
  const width = usePrefs((prefs) => prefs[name]);
  const resize = (next) => usePrefs.setState({ [name]: Math.max(LEAST, Math.min(MOST, innerWidth / 2, next)) });
  return /* @__PURE__ */ jsxRuntimeExports.jsx(
    "div",
    {
      className: `splitter ${side}`,
      role: "separator",
      "aria-orientation": "vertical",
      "aria-label": side === "left" ? "Width of the outline" : "Width of the inspector",
      "aria-valuenow": Math.round(width),
      "aria-valuemin": LEAST,
      "aria-valuemax": MOST,
      tabIndex: 0,
      onPointerDown: (event) => {
        const from = event.clientX;
        const target = event.currentTarget;
        target.setPointerCapture(event.pointerId);
        target.onpointermove = (move2) => resize(width + (side === "left" ? move2.clientX - from : from - move2.clientX));
        target.onpointerup = () => {
          target.onpointermove = null;
        };
      },
      onKeyDown: (event) => {
        const grows = side === "left" ? "ArrowRight" : "ArrowLeft";
        if (event.key === "ArrowLeft" || event.key === "ArrowRight") resize(width + (event.key === grows ? STEP : -STEP));
      }
    }
  );
}
function Token() {
  const [text, setText] = reactExports.useState("");
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(
    "form",
    {
      className: "token",
      "aria-label": "Token",
      onSubmit: (event) => {
        event.preventDefault();
        setToken(text.trim());
        location.reload();
      },
      children: [
        /* @__PURE__ */ jsxRuntimeExports.jsx("p", { children: "This server was started with a token." }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("input", { className: "field", type: "password", autoFocus: true, "aria-label": "Token", placeholder: "Token", value: text, autoComplete: "current-password", onChange: (event) => setText(event.target.value) }),
        /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button primary", disabled: text.trim() === "", children: "Open" })
      ]
    }
  );
}
function App() {
  const project = useStore((state) => state.project);
  const link2 = useStore((state) => state.link);
  const prefs = usePrefs();
  const { search, closeSearch } = useShortcuts();
  const isOpen = project !== null;
  const left = prefs.left && isOpen;
  const right = prefs.right && isOpen;
  const style = { "--left": `${left ? prefs.leftWidth : 0}px`, "--right": `${right ? prefs.rightWidth : 0}px` };
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: "app", style, "data-link": link2, children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx(Header, {}),
    left && /* @__PURE__ */ jsxRuntimeExports.jsxs("nav", { className: "left", "aria-label": "Outline", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx(Outline, {}),
      /* @__PURE__ */ jsxRuntimeExports.jsx(Splitter, { side: "left" })
    ] }),
    /* @__PURE__ */ jsxRuntimeExports.jsxs("main", { className: "centre", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx(DropZone, { children: isOpen ? /* @__PURE__ */ jsxRuntimeExports.jsx(Centre, {}) : /* @__PURE__ */ jsxRuntimeExports.jsx(Empty, {}) }),
      /* @__PURE__ */ jsxRuntimeExports.jsx(Notices, {})
    ] }),
    right && /* @__PURE__ */ jsxRuntimeExports.jsxs("aside", { className: "right", "aria-label": "Part and inspector", children: [
      /* @__PURE__ */ jsxRuntimeExports.jsx(Splitter, { side: "right" }),
      /* @__PURE__ */ jsxRuntimeExports.jsx(Inspector, {})
    ] }),
    isOpen && /* @__PURE__ */ jsxRuntimeExports.jsx(Bottom, {}),
    search && /* @__PURE__ */ jsxRuntimeExports.jsx(Search, { onClose: closeSearch }),
    link2 === "unauthorized" && /* @__PURE__ */ jsxRuntimeExports.jsx(Token, {})
  ] });
}
function Centre() {
  const functions = useStore((state) => state.functions);
  const revision = useStore((state) => state.revision);
  const trail = useStore((state) => state.trail);
  const hasProject = useStore((state) => state.overview !== null);
  if (!hasProject) return /* @__PURE__ */ jsxRuntimeExports.jsx("div", { className: "skeleton", "aria-hidden": "true" });
  if (functions.length === 0 && trail.length === 0) return /* @__PURE__ */ jsxRuntimeExports.jsx(Empty, { isProject: true }, revision);
  return /* @__PURE__ */ jsxRuntimeExports.jsx(GraphView, {});
}
applyTheme();
start();
const root = document.getElementById("root");
if (root) {
  clientExports.createRoot(root).render(
    /* @__PURE__ */ jsxRuntimeExports.jsx(reactExports.StrictMode, { children: /* @__PURE__ */ jsxRuntimeExports.jsx(App, {}) })
  );
}
