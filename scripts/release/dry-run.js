// Shows the result of a release in a temporary copy of the repository: the new versions, the change logs, and the
// contents of the archives. Publishes nothing.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = new URL("../..", import.meta.url).pathname;
const copy = mkdtempSync(join(tmpdir(), "anyscheme-release-"));
const run = (command, args) =>
  execFileSync(command, args, { cwd: copy, stdio: ["ignore", "pipe", "inherit"] });
const pnpm = (...args) =>
  process.env.npm_execpath?.includes("pnpm")
    ? run(process.execPath, [process.env.npm_execpath, ...args])
    : run("npx", ["--yes", "pnpm@10.34.9", ...args]);
const manifests = () =>
  readdirSync(join(copy, "packages")).map((folder) =>
    JSON.parse(readFileSync(join(copy, "packages", folder, "package.json"), "utf8")),
  );

try {
  cpSync(root, copy, {
    recursive: true,
    filter: (path) =>
      !/^(?:node_modules|\.git|\.servers|\.screenshots|\.stage|\.runtimes|coverage)$/.test(basename(path)),
  });
  // Changesets uses git to find the commit that added each changeset.
  const git = (...args) =>
    run("git", ["-c", "user.name=release", "-c", "user.email=release@localhost", ...args]);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "before the release");
  pnpm("install", "--offline", "--ignore-scripts");
  const before = new Map(manifests().map(({ name, version }) => [name, version]));
  pnpm("release:version");

  for (const { name, version } of manifests()) console.log(`${name}: ${before.get(name)} -> ${version}`);
  console.log(`\nchanged: ${git("diff", "--name-only").toString().trim().split("\n").join(", ")}`);
  console.log(`\n${readFileSync(join(copy, "packages/core/CHANGELOG.md"), "utf8").trim()}\n`);
  const archives = join(copy, "archives");
  pnpm("-r", "--filter", "./packages/*", "pack", "--pack-destination", archives);
  for (const archive of readdirSync(archives)) {
    const path = join(archives, archive);
    const files = run("tar", ["-tzf", path]).toString().trim().split("\n").length;
    console.log(`${archive}: ${files} files, ${Math.ceil(statSync(path).size / 1024)} KiB`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
