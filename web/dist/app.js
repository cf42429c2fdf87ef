import { c as create, j as jsxRuntimeExports, a as clientExports, r as reactExports } from "./vendor.js";
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
  let last = null;
  let current = null;
  let stopped = false;
  async function read2(signal) {
    const more = { Accept: "text/event-stream" };
    if (last !== null) more["Last-Event-ID"] = last;
    const response = await fetch("/api/events", { headers: headers(more), signal: signal.signal, cache: "no-store" });
    if (response.status === 401) {
      listener.state("unauthorized");
      return;
    }
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    listener.state("live");
    if (last === null) listener.resync();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (; ; ) {
      const silence = setTimeout(() => signal.abort(), SILENCE_MS);
      const { value, done } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      const parsed = parse(text + value);
      text = parsed.rest;
      for (const message of parsed.messages) {
        if (message.id !== null) last = message.id;
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
function graphOf(shown) {
  const nodes = (shown.nodes ?? []).map((node) => ({ ...node }));
  if (!nodes.some((node) => node.node_id === END)) nodes.push({ node_id: END, node_type: "End" });
  const { function_id, name, inputs, outputs, revision } = shown;
  return { function_id, name, inputs, outputs, nodes, revision };
}
const MEMBERS = ["node_id", "target_node_id"];
function touched(edit, functionId) {
  const found = /* @__PURE__ */ new Set();
  visit(edit, functionId, found);
  return [...found];
}
function visit(edit, functionId, found) {
  if (Array.isArray(edit)) {
    for (const part of edit) visit(part, functionId, found);
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
  for (const [name, part] of Object.entries(facts)) {
    if (name === "parameters" || name === "value") continue;
    visit(part, functionId, found);
  }
}
const useStore = create()(() => ({
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
  probe: null,
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
  const open = trail.at(-1);
  const graph = open === void 0 ? null : api.get("/api/projects/{project}/functions/{function_id}/graph", { path: { project, function_id: open } }).catch(missing);
  const [functions, overview, history2, shown] = await Promise.all([
    loadFunctions(project),
    api.get("/api/projects/{project}/overview", { path }),
    api.get("/api/projects/{project}/history", { path, query: { limit: HISTORY_ROWS, changes: true } }),
    graph
  ]);
  if (get().project !== project) return;
  const ids = new Set(functions.map((known) => known.function_id));
  const kept = get().trail.filter((id) => ids.has(id));
  const first = kept.length === 0 ? functions.at(-1)?.function_id : void 0;
  const next = first === void 0 ? kept : [first];
  set({ functions, overview, history: history2.entries, revision: history2.revision, trail: next });
  if (next.at(-1) !== open) {
    set({ graph: null, selection: [] });
    again = true;
    return;
  }
  if (shown) {
    const fresh = graphOf(shown);
    const nodes = new Set(fresh.nodes.map((node) => node.node_id));
    const selection = get().selection.filter((id) => nodes.has(id));
    set({ graph: fresh, selection: selection.length === get().selection.length ? get().selection : selection });
  } else if (open === void 0) {
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
    const open = trail.at(-1);
    const ids = open === void 0 ? [] : touched(change.edit, open);
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
    if (get().kinds.size === 0) await loadKinds();
    await loadProjects();
    const { project, projects } = get();
    if (project !== null && !projects?.some((known) => known.project === project)) closeProject();
    await refresh();
  } catch (error) {
    refused(error);
  }
}
function start() {
  restoreFromAddress();
  const ended = [
    follow({ change: onChange, resync: () => void resync(), state: (link) => set({ link }) }),
    keepAddress()
  ];
  return () => ended.forEach((end) => end());
}
function restoreFromAddress() {
  const [project, part] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (!project) return;
  const id = part === void 0 ? NaN : Number(part);
  set({ project, trail: Number.isInteger(id) && part !== "" ? [id] : [], view: part === "knowledge" ? "knowledge" : "graph" });
}
function keepAddress() {
  const write = () => {
    const { project, trail, view } = get();
    const part = view === "knowledge" ? "knowledge" : trail.at(-1);
    const hash = project === null ? "" : `#/${encodeURIComponent(project)}${part === void 0 ? "" : `/${part}`}`;
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
  const end = useStore.subscribe(write);
  window.addEventListener("hashchange", onHash);
  return () => {
    end();
    window.removeEventListener("hashchange", onHash);
  };
}
function Outline() {
  const { projects, project, functions, trail } = useStore();
  return /* @__PURE__ */ jsxRuntimeExports.jsxs(jsxRuntimeExports.Fragment, { children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("ul", { children: projects?.map((known) => /* @__PURE__ */ jsxRuntimeExports.jsx("li", { children: /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain clip", "aria-current": known.project === project, onClick: () => void openProject(known.project), children: known.project }) }, known.project)) }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("ul", { children: functions.map((known) => /* @__PURE__ */ jsxRuntimeExports.jsx("li", { children: /* @__PURE__ */ jsxRuntimeExports.jsx("button", { className: "button plain clip", "aria-current": known.function_id === trail.at(-1), onClick: () => void openFunction(known.function_id), children: known.name }) }, known.function_id)) })
  ] });
}
function App() {
  const hasProject = useStore((state) => state.project !== null);
  return /* @__PURE__ */ jsxRuntimeExports.jsxs("div", { className: `app ${hasProject ? "" : "no-right"}`, children: [
    /* @__PURE__ */ jsxRuntimeExports.jsx("header", { className: "head", children: /* @__PURE__ */ jsxRuntimeExports.jsx("h1", { style: { fontSize: 13, fontWeight: 600 }, children: "Fibula" }) }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("nav", { className: "left", "aria-label": "Outline", children: /* @__PURE__ */ jsxRuntimeExports.jsx(Outline, {}) }),
    /* @__PURE__ */ jsxRuntimeExports.jsx("main", { className: "centre" })
  ] });
}
start();
const root = document.getElementById("root");
if (root) {
  clientExports.createRoot(root).render(
    /* @__PURE__ */ jsxRuntimeExports.jsx(reactExports.StrictMode, { children: /* @__PURE__ */ jsxRuntimeExports.jsx(App, {}) })
  );
}
