// Packs built programs for release: archives, npm packages, MCP bundles, and server.json for the MCP Registry.
//
//   node packaging/pack.mjs --repository OWNER/NAME --programs FOLDER --out FOLDER
//
// FOLDER of programs contains fibula-TARGET/fibula[.exe] for some of the targets below; targets without a program are
// reported and left out. Needs npm, tar and zip.
//
//   OUT/release/    archives and bundles, and SHA256SUMS of them
//   OUT/npm/        folders of the npm packages, and their tarballs
//   OUT/mcpb/       folders of the bundles
//   OUT/server.json

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

// `os` and `cpu` are process.platform and process.arch of Node, which npm and MCP bundles use too.
const platforms = [
  { target: "x86_64-unknown-linux-musl", os: "linux", cpu: "x64" },
  { target: "aarch64-unknown-linux-musl", os: "linux", cpu: "arm64" },
  { target: "x86_64-apple-darwin", os: "darwin", cpu: "x64" },
  { target: "aarch64-apple-darwin", os: "darwin", cpu: "arm64" },
  { target: "x86_64-pc-windows-msvc", os: "win32", cpu: "x64" },
];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const licenses = ["LICENSE-APACHE", "LICENSE-MIT"];
// The program contains fonts, whose licences go with it.
const programLicenses = [...licenses, "crates/drawing/fonts/LICENSE-DejaVu", "crates/drawing/fonts/LICENSE-Noto"];

const { values: options } = parseArgs({
  options: { repository: { type: "string" }, programs: { type: "string" }, out: { type: "string" } },
});
if (!options.repository?.match(/^[\w.-]+\/[\w.-]+$/) || !options.programs || !options.out) {
  fail("usage: pack.mjs --repository OWNER/NAME --programs FOLDER --out FOLDER");
}
const out = resolve(options.out);
const release = join(out, "release");
const url = `https://github.com/${options.repository}`;
const registryName = `io.github.${options.repository}`;

const manifest = readFileSync(join(root, "Cargo.toml"), "utf8");
const version = cargoField("workspace.package", "version");
const license = cargoField("workspace.package", "license");
const description = cargoField("package", "description");

const packed = platforms.filter(({ target, os }) => existsSync(programOf(target, os)));
for (const folder of readdirSync(options.programs)) {
  if (!platforms.some(({ target }) => folder === `fibula-${target}`)) fail(`${folder} is not named fibula-TARGET with a known target`);
}
if (packed.length === 0) fail(`no program in ${options.programs}`);
for (const { target } of platforms.filter((platform) => !packed.includes(platform))) console.log(`absent: ${target}`);

rmSync(out, { recursive: true, force: true });
mkdirSync(release, { recursive: true });
const bundles = packed.map((platform) => {
  packArchive(platform);
  packPlatformPackage(platform);
  return packBundle(platform);
});
packLauncher();
const sums = readdirSync(release).map((file) => `${sha256(join(release, file))}  ${file}\n`);
writeFileSync(join(release, "SHA256SUMS"), sums.join(""));
writeJson(join(out, "server.json"), serverJson());
console.log(`packed ${version} for ${packed.map(({ target }) => target).join(", ")}`);

function packArchive({ target, os }) {
  const name = `fibula-${version}-${target}`;
  const folder = join(out, "archives", name);
  copyInto(folder, [programOf(target, os), ...programLicenses, "README.md"]);
  if (os === "win32") zip(join(out, "archives"), join(release, `${name}.zip`), name);
  else run("tar", ["-czf", join(release, `${name}.tar.gz`), "-C", join(out, "archives"), name]);
  rmSync(join(out, "archives"), { recursive: true });
}

// The package that the launcher resolves; `preferUnplugged` keeps Yarn from leaving the program inside a zip file.
function packPlatformPackage({ target, os, cpu }) {
  const folder = join(out, "npm", `${os}-${cpu}`);
  copyInto(folder, [programOf(target, os), ...programLicenses]);
  writeFileSync(join(folder, "README.md"), `The program of the package [fibula](https://www.npmjs.com/package/fibula) for ${os}-${cpu}.\n`);
  npmPack(folder, {
    name: `@fibula/${os}-${cpu}`,
    description: `Fibula for ${os}-${cpu}`,
    os: [os],
    cpu: [cpu],
    preferUnplugged: true,
  });
}

function packLauncher() {
  const folder = join(out, "npm", "fibula");
  copyInto(folder, ["packaging/npm/launcher.cjs", "packaging/npm/README.md", ...licenses]);
  npmPack(folder, {
    name: "fibula",
    description,
    keywords: ["mcp", "mcp-server", "node-graph", "sdf", "3mf"],
    // The MCP Registry reads here that the package belongs to the server.
    mcpName: registryName,
    bin: { fibula: "launcher.cjs" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(packed.map(({ os, cpu }) => [`@fibula/${os}-${cpu}`, version])),
  });
}

function npmPack(folder, { name, ...fields }) {
  writeJson(join(folder, "package.json"), {
    name,
    version,
    license,
    repository: { type: "git", url: `git+${url}.git` },
    publishConfig: { access: "public" },
    ...fields,
  });
  run("npm", ["pack", "--silent", "--pack-destination", join(out, "npm"), folder]);
}

// The store is the one that all commands use, so that `fibula serve` shows what the client does; the folder for files is
// asked for, since clients start servers in folders of no meaning to the user.
function packBundle({ target, os, cpu }) {
  const folder = join(out, "mcpb", `${os}-${cpu}`);
  const program = basename(programOf(target, os));
  copyInto(folder, [programOf(target, os), ...programLicenses]);
  writeJson(join(folder, "manifest.json"), {
    manifest_version: "0.3",
    name: "fibula",
    display_name: "Fibula",
    version,
    description,
    author: { name: "The Fibula authors" },
    repository: { type: "git", url: `${url}.git` },
    documentation: `${url}/blob/v${version}/docs/tools.md`,
    license,
    server: {
      type: "binary",
      entry_point: program,
      mcp_config: { command: `\${__dirname}/${program}`, args: ["mcp", "--root", "${user_config.files}"], env: {} },
    },
    tools_generated: true,
    user_config: {
      files: {
        type: "directory",
        title: "Folder for files",
        description: "Fibula imports files from this folder and writes meshes, pictures and 3MF files into it.",
        required: true,
      },
    },
    compatibility: { platforms: [os] },
  });
  const file = `fibula-${version}-${os}-${cpu}.mcpb`;
  zip(folder, join(release, file), ".");
  return file;
}

function serverJson() {
  const stdio = { type: "stdio" };
  const packageArguments = [{ type: "positional", value: "mcp" }];
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: registryName,
    title: "Fibula",
    description,
    version,
    repository: { url, source: "github" },
    packages: [
      { registryType: "npm", identifier: "fibula", version, runtimeHint: "npx", packageArguments, transport: stdio },
      { registryType: "pypi", identifier: "fibula", version, runtimeHint: "uvx", packageArguments, transport: stdio },
      ...bundles.map((file) => ({
        registryType: "mcpb",
        identifier: `${url}/releases/download/v${version}/${file}`,
        fileSha256: sha256(join(release, file)),
        transport: stdio,
      })),
    ],
  };
}

function programOf(target, os) {
  return resolve(options.programs, `fibula-${target}`, os === "win32" ? "fibula.exe" : "fibula");
}

// Artifacts of GitHub Actions lose the permission to execute; it is set here.
function copyInto(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const file of files) {
    const copy = join(folder, basename(file));
    copyFileSync(resolve(root, file), copy);
    chmodSync(copy, /^(fibula(\.exe)?|launcher\.cjs)$/.test(basename(file)) ? 0o755 : 0o644);
  }
}

function cargoField(section, field) {
  const text = manifest.split(/^\[/m).find((part) => part.startsWith(`${section}]`));
  return text?.match(new RegExp(`^${field} = "(.*)"$`, "m"))?.[1] ?? fail(`Cargo.toml has no ${field} in [${section}]`);
}

function zip(from, file, what) {
  run("zip", ["-q", "-r", "-X", file, what], from);
}

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

function sha256(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function fail(message) {
  console.error(`pack.mjs: ${message}`);
  process.exit(1);
}
