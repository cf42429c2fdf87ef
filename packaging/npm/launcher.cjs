#!/usr/bin/env node
// Runs the program from the package of this platform, with the same arguments and streams, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const suffix = process.platform === "win32" ? ".exe" : "";

let program;
try {
  program = require.resolve(`@fibula/${platform}/fibula${suffix}`);
} catch {
  const known = Object.keys(require("./package.json").optionalDependencies);
  console.error(
    known.includes(`@fibula/${platform}`)
      ? `fibula: the package @fibula/${platform}, which contains the program, is not installed; ` +
          "install fibula again without --omit=optional, on this platform"
      : `fibula: there is no program for ${platform}, only for ${known.join(", ").replaceAll("@fibula/", "")}; ` +
          "build it from source with cargo",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`fibula: cannot run ${program}: ${error.message}`);
  process.exit(1);
});

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) process.on(signal, () => child.kill(signal));

child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const handled of signals) process.removeAllListeners(handled);
  process.kill(process.pid, signal);
});
