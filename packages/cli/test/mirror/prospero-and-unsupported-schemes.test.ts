import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProsperoTestServer } from "@anyscheme/servers";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";
import { runBuiltCommand } from "../run-built-command.ts";
import { readFolderContents } from "./read-folder-contents.ts";

it("get -r of a Prospero directory copies its files", async () => {
  await using server = await startProsperoTestServer({
    objects: { "/pub/a.txt": "a", "/pub/sub/b.txt": "b" },
  });
  const target = join(createTemporaryFolder(), "t");
  const url = `prospero://127.0.0.1:${server.port}//pub`;
  const { exitCode, stderr } = await runCommandInProcess([
    "get",
    "-r",
    url,
    "-o",
    target,
    "--allow-port",
    `prospero:${server.port}`,
  ]);
  expect({ exitCode, stderr, tree: readFolderContents(target) }).toEqual({
    exitCode: 0,
    stderr: `${url}: 2 saved, 0 up to date, 0 skipped, 0 external, 0 failed\n`,
    tree: { "a.txt": "a", "sub/b.txt": "b" },
  });
});

it.each(["http://127.0.0.1/", "wais://127.0.0.1/fruit?apple", "telnet://127.0.0.1/", "x-any:thing"])(
  "get -r of %s exits with the code for an unsupported operation, before a connection",
  async (url) => {
    const scheme = url.slice(0, url.indexOf(":"));
    const added = join(createTemporaryFolder(), "scheme.mjs");
    writeFileSync(
      added,
      `import { createGenericSyntax } from "@anyscheme/core/syntax";
      const fail = () => { throw new Error("called"); };
      export default { name: "x-any", syntax: createGenericSyntax({ schemes: ["x-any"] }), plan: fail, access: fail };`,
    );
    const { exitCode, stderr } = await runBuiltCommand(["get", "-r", "--scheme", added, url]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 4,
      stderr: `anyscheme: unsupported: get -r does not support the scheme ${scheme}: ${url} (use get without -r)\n`,
    });
  },
);
