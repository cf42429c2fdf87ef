// Checks what pack.mjs and docs/install.md contain. Used by test.sh.
//
//   node check.mjs mcp COMMAND [ARGUMENT...]   initialises the server and lists its tools over standard input and output
//   node check.mjs bundle FOLDER FILES         does so with the command of an unpacked bundle, and FILES as its folder
//   node check.mjs registry OUT                compares server.json with the files that it refers to
//   node check.mjs docs FILE                   compares the install links of a page with the settings beside them

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";

const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

const checks = {
  async mcp(command, ...args) {
    const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    const exit = new Promise((resolve, reject) => server.on("exit", resolve).on("error", reject));
    const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "check", version: "1" };
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
    const answers = {};
    for await (const line of createInterface(server.stdout)) {
      const message = JSON.parse(line);
      if (!("id" in message)) continue;
      answers[message.id] = message.result;
      if (message.id === 1) {
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/list" });
      } else {
        server.stdin.end();
      }
    }
    assert.equal(await exit, 0, "the server ends with status 0 at the end of its input");
    assert.equal(answers[1]?.serverInfo.name, "fibula");
    assert(answers[2]?.tools.some(({ name }) => name === "evaluate"), "there is a tool `evaluate`");
  },

  bundle(folder, files) {
    const { server, user_config } = readJson(join(folder, "manifest.json"));
    assert.deepEqual(Object.keys(user_config), ["files"]);
    const replace = (text) => text.replace("${__dirname}", folder).replace("${user_config.files}", files);
    return checks.mcp(replace(server.mcp_config.command), ...server.mcp_config.args.map(replace));
  },

  // The rules are those of the schema of 2025-12-11 and of the registry that concern us.
  registry(out) {
    const server = readJson(join(out, "server.json"));
    const npm = readJson(join(out, "npm/fibula/package.json"));
    assert.match(server.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert(server.description.length <= 100, "the description has at most 100 characters");
    assert.equal(npm.mcpName, server.name);
    for (const { registryType, identifier, version, fileSha256 } of server.packages) {
      if (registryType === "mcpb") {
        assert.match(identifier, /^https:\/\/github\.com\/.*\/releases\/download\//);
        const bundle = readFileSync(join(out, "release", basename(identifier)));
        assert.equal(fileSha256, createHash("sha256").update(bundle).digest("hex"));
      } else {
        assert.deepEqual([identifier, version], [npm.name, npm.version]);
      }
    }
  },

  docs(file) {
    let links = 0;
    for (const section of readFileSync(file, "utf8").split(/^## /m)) {
      const blocks = [...section.matchAll(/^```json\n(.*?)^```/gms)].map(([, text]) => JSON.parse(text));
      const servers = blocks.flatMap((block) => Object.values(block)).map((group) => group.fibula);
      const shown = (server, where) => {
        assert(servers.some((other) => isSame(other, server)), `${where} has a server that its section shows as JSON`);
        links += 1;
      };
      for (const [link] of section.matchAll(/\b(vscode|cursor|lmstudio|goose|https):[^\s)`]+/g)) {
        const url = new URL(link);
        const query = url.searchParams;
        if (url.protocol === "https:") {
          if (!/\/install(-mcp)?$/.test(url.pathname)) continue;
          assert.equal(query.get("name"), "fibula");
          const config = query.get("config");
          const text = config.startsWith("{") ? config : Buffer.from(config, "base64").toString();
          shown(JSON.parse(text), link);
        } else if (url.protocol === "vscode:") {
          const { name, ...server } = JSON.parse(decodeURIComponent(url.search.slice(1)));
          assert.equal(name, "fibula");
          shown(server, link);
        } else {
          assert.equal(query.get("name"), "fibula");
          if (url.protocol === "goose:") {
            const args = query.getAll("arg").map((arg) => JSON.stringify(arg));
            assert(section.includes(`    cmd: ${query.get("cmd")}\n    args: [${args.join(", ")}]\n`), link);
          } else {
            shown(JSON.parse(Buffer.from(query.get("config"), "base64")), link);
          }
        }
      }
      for (const [, text] of section.matchAll(/--add-mcp '(.*)'/g)) {
        const { name, ...server } = JSON.parse(text);
        assert.equal(name, "fibula");
        shown(server, "--add-mcp");
      }
    }
    assert(links > 0, "there are links");
  },
};

function isSame(left, right) {
  try {
    assert.deepEqual(left, right);
    return true;
  } catch {
    return false;
  }
}

const [check, ...args] = process.argv.slice(2);
await checks[check](...args);
