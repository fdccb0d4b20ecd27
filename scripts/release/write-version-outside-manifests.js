// Writes the version of the packages to the places outside their manifests. `pnpm release:version` runs this script
// after changesets.
import { readFileSync, writeFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync("packages/core/package.json", "utf8"));

/** The files that contain the version outside the manifests, each with the text that precedes the version. */
const places = {
  "packages/cli/man/anyscheme.1": '"anyscheme ',
  "packages/scheme-http/src/request/http-request-head.ts": '"anyscheme/',
  "packages/scheme-http/test/plan.test.ts": "user-agent: anyscheme/",
};

for (const [path, before] of Object.entries(places)) {
  const text = readFileSync(path, "utf8");
  const [start, ...rest] = text.split(before);
  if (rest.length === 0) throw new Error(`${path} has no ${before} any more`);
  writeFileSync(
    path,
    [start, ...rest.map((part) => part.replace(/^[\w.+-]+?(?=["\\ ]|$)/, version))].join(before),
  );
}
