import { mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  startFtpTestServer,
  startGopherTestServer,
  startNnrpd,
  startNntpTestServer,
} from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { startScriptedServer, startForbiddenServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { getPartialFileName } from "../../src/mirror/download-folder.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { type CommandInProcessResult, runCommandInProcess } from "../command-in-process.ts";
import { readFolderContents } from "./read-folder-contents.ts";

const servedFiles = {
  "pub/a.txt": "one\r\ntwo\r\n",
  "pub/data.bin": Uint8Array.from({ length: 5_000 }, (_, index) => index % 256),
  "pub/sub/b.txt": "b\r\n",
  "pub/sub/deep/c": "c",
  "etc/secret": "no",
};

const expectedFiles = {
  "a.txt": servedFiles["pub/a.txt"],
  "data.bin": Buffer.from(servedFiles["pub/data.bin"]).toString("latin1"),
  "sub/b.txt": servedFiles["pub/sub/b.txt"],
  "sub/deep/c": servedFiles["pub/sub/deep/c"],
};

function runGetRecursively(url: string, target: string, ...args: string[]): Promise<CommandInProcessResult> {
  return runCommandInProcess(["get", "-r", url, "-o", target, ...args]);
}

describe("get -r copies an FTP directory tree", () => {
  it.each(["pub/", "pub", "pub;type=d"])(
    "get -r copies the directory %s with its subdirectories, and downloads nothing in a second run",
    async (path) => {
      await using server = await startFtpTestServer({ files: servedFiles });
      const target = join(createTemporaryFolder(), "t");
      const url = `ftp://127.0.0.1:${server.port}/${path}`;
      const first = await runGetRecursively(url, target);
      expect({ exitCode: first.exitCode, stdout: first.stdout, tree: readFolderContents(target) }).toEqual({
        exitCode: 0,
        stdout: "",
        tree: expectedFiles,
      });
      expect(first.stderr).toContain("4 saved, 0 up to date, 0 skipped, 0 external, 0 failed");
      expect(statSync(join(target, "a.txt")).mtime).toEqual(new Date(Date.UTC(2026, 0, 1)));
      const second = await runGetRecursively(url, target);
      expect(second.stderr).toContain("0 saved, 4 up to date");
      expect(server.receivedLines.filter((line) => line.startsWith("RETR"))).toHaveLength(4);
      writeFileSync(join(target, "sub/b.txt"), "other");
      expect((await runGetRecursively(url, target)).stderr).toContain("1 saved, 3 up to date");
      expect(readFolderContents(target)).toEqual(expectedFiles);
    },
  );

  it("get -r resumes a partial file of an earlier run only if the date is the same", async () => {
    await using server = await startFtpTestServer({ files: servedFiles });
    const target = createTemporaryFolder();
    const url = `ftp://127.0.0.1:${server.port}/pub/`;
    const partial = join(target, ".data.bin.anyscheme-part");
    for (const [date, restarts] of [
      [new Date(Date.UTC(2026, 0, 1)), ["REST 2000"]],
      [new Date(Date.UTC(2025, 0, 1)), []],
    ] as const) {
      writeFileSync(partial, servedFiles["pub/data.bin"].subarray(0, 2000));
      utimesSync(partial, date, date);
      writeFileSync(join(target, "data.bin"), "old");
      const before = server.receivedLines.length;
      expect((await runGetRecursively(url, target)).exitCode).toBe(0);
      expect(server.receivedLines.slice(before).filter((line) => line.startsWith("REST"))).toEqual(restarts);
      expect(readFolderContents(target)).toEqual(expectedFiles);
    }
  });

  it("get -r shows no password of the URL", async () => {
    await using server = await startFtpTestServer({ files: servedFiles, users: { joe: "Needle" } });
    const { exitCode, stdout, stderr } = await runGetRecursively(
      `ftp://joe:Needle@127.0.0.1:${server.port}/pub/`,
      createTemporaryFolder(),
      "--json",
      "-v",
    );
    expect({ exitCode, shown: `${stdout}${stderr}`.includes("Needle") }).toEqual({
      exitCode: 0,
      shown: false,
    });
    expect(stderr).toContain("ftp://joe:****@");
  });

  it("get -r rejects a local symbolic link", async () => {
    await using server = await startFtpTestServer({ files: servedFiles });
    const target = createTemporaryFolder();
    const outside = createTemporaryFolder();
    symlinkSync(outside, join(target, "sub"));
    symlinkSync(join(outside, "x"), join(target, "a.txt"));
    symlinkSync(join(outside, "y"), join(target, ".data.bin.anyscheme-part"));
    const { exitCode, stderr } = await runGetRecursively(`ftp://127.0.0.1:${server.port}/pub/`, target);
    expect(exitCode).toBe(23);
    expect(stderr.match(/the path is a symbolic link/g)?.length).toBeGreaterThanOrEqual(3);
    expect(readdirSync(outside)).toEqual([]);
  });

  it.each<[option: string[], reported: string]>([
    [["--max-files", "2"], "the tree has more than 2 entries"],
    [["--max-depth", "1"], "the tree has directories deeper than 1"],
  ])("get -r reports that the tree exceeds the limit %j", async (option, message) => {
    await using server = await startFtpTestServer({ files: servedFiles });
    const { exitCode, stderr } = await runGetRecursively(
      `ftp://127.0.0.1:${server.port}/pub/`,
      createTemporaryFolder(),
      ...option,
    );
    expect({ exitCode, message: stderr.includes(message) }).toEqual({ exitCode: 63, message: true });
  });

  it("get -r --json writes a line for each file, and -s writes no messages", async () => {
    await using server = await startFtpTestServer({ files: servedFiles });
    const target = createTemporaryFolder();
    const { stdout, stderr } = await runGetRecursively(
      `ftp://127.0.0.1:${server.port}/pub/sub/`,
      target,
      "--json",
      "-s",
    );
    expect(stderr).toBe("");
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { saved: string });
    expect(lines.map(({ saved }) => saved).toSorted()).toEqual([
      join(target, "b.txt"),
      join(target, "deep/c"),
    ]);
  });
});

describe("get -r copies a tree of Gopher menus", () => {
  it("get -r copies Gopher menus as folders", async () => {
    await using server = await startGopherTestServer({ files: servedFiles });
    const target = createTemporaryFolder();
    const allow = ["--allow-port", `gopher:${server.port}`];
    const { exitCode, stderr } = await runGetRecursively(
      `gopher://127.0.0.1:${server.port}/1/pub`,
      target,
      ...allow,
    );
    expect({ exitCode, names: Object.keys(readFolderContents(target)) }).toEqual({
      exitCode: 0,
      names: Object.keys(expectedFiles),
    });
    expect(stderr).toContain("4 saved");
  });

  it("get -r of a hostile Gopher menu writes only into the folder, stays on the server, and escapes control characters", async () => {
    await using elsewhere = await startForbiddenServer();
    const asked: string[] = [];
    await using server = await startScriptedServer(async (peer) => {
      const selector = await peer.readLine();
      asked.push(String(selector));
      if (selector !== "/pub") return peer.send(`content of ${selector}\r\n.\r\n`);
      const rows = [
        ["0up", "/pub/../../up"],
        ["0dots", "/pub/.."],
        ["0slash", "/pub//etc/passwd"],
        ["0red\u001b[31m", "/pub/red\u001b[31m"],
        ["0one", "/pub/a\u0001b"],
        ["0other", "/pub/a\u0002b"],
        ["0outside", "/etc/passwd"],
        ["1itself", "/pub"],
        ["7search", "/pub/search"],
        ["0backslash", "/pub/..\\..\\x"],
      ];
      const here = rows.map(([name, where]) => `${name}\t${where}\t127.0.0.1\t${server.port}\r\n`);
      peer.send([...here, `0else\t/pub/else\t127.0.0.1\t${elsewhere.port}\r\n.\r\n`].join(""));
    });
    const parent = createTemporaryFolder();
    const target = join(parent, "t");
    mkdirSync(target);
    const allow = [server, elsewhere].flatMap(({ port }) => ["--allow-port", `gopher:${port}`]);
    const { stderr } = await runGetRecursively(`gopher://127.0.0.1:${server.port}/1/pub`, target, ...allow);
    expect(readdirSync(parent)).toEqual(["t"]);
    for (const name of Object.keys(readFolderContents(target)))
      expect(name).toMatch(/^(?:(?:red_\[31m|a_b|\.\._\.\._x|_?etc)~[0-9a-f]{8}|passwd)$/);
    expect(elsewhere.connections).toHaveLength(0);
    expect(asked).not.toContain("/etc/passwd");
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(stderr).toContain("saved as");
  });
});

it("get -r of a file URL copies a folder, and skips symbolic links", async () => {
  const root = createTemporaryFolder();
  mkdirSync(join(root, "pub/sub"), { recursive: true });
  writeFileSync(join(root, "pub/a"), "a");
  writeFileSync(join(root, "pub/sub/b"), "b");
  symlinkSync("/etc/hostname", join(root, "pub/link"));
  const target = join(createTemporaryFolder(), "t");
  const { exitCode, stderr } = await runGetRecursively("file:///pub", target, "--file-root", root);
  expect({ exitCode, tree: readFolderContents(target) }).toEqual({
    exitCode: 0,
    tree: { a: "a", "sub/b": "b" },
  });
  expect(stderr).toContain("skipped link: it is a link");
  expect((await runGetRecursively("file:///pub/", target, "--file-root", root)).stderr).toContain(
    "0 saved, 2 up to date",
  );
});

it("get -r of a newsgroup copies its articles into files named by number", async () => {
  const article = (id: string): string =>
    [`Message-ID: <${id}@h.example>`, "Newsgroups: misc.test", "Subject: s", "From: f", "", `${id}\n`].join(
      "\n",
    );
  const articles = [article("one"), article("two")];
  await using server = await startNntpTestServer({ groups: { "misc.test": { articles } } });
  for (const [url, ...args] of [
    [`nntp://127.0.0.1:${server.port}/misc.test`],
    ["news:misc.test", "--news-server", `127.0.0.1:${server.port}`],
  ]) {
    const target = join(createTemporaryFolder(), "t");
    const { exitCode, stderr } = await runGetRecursively(url ?? "", target, ...args);
    expect(stderr).toContain("2 saved, 0 up to date, 0 skipped, 0 external, 0 failed");
    expect({ exitCode, names: Object.keys(readFolderContents(target)) }).toEqual({
      exitCode: 0,
      names: ["1", "2"],
    });
    expect(readFolderContents(target)["2"]).toContain("Message-ID: <two@h.example>");
  }
});

describeIfServerAvailable("inn2", "get -r of a newsgroup over TLS", () => {
  it("get -r of a snews URL copies the articles, whose URLs have the scheme nntps", async () => {
    const article = "Message-ID: <a@h.example>\nNewsgroups: a.b\nSubject: s\nFrom: f\n\nx\n";
    const groups = { "a.b": { articles: [Buffer.from(article)] } };
    await using server = await startNnrpd({ groups, tls: "implicit" });
    const target = join(createTemporaryFolder(), "t");
    const url = `snews://127.0.0.1:${server.port}/a.b`;
    const { exitCode } = await runGetRecursively(url, target, "--cacert", server.certificatePath);
    expect({ exitCode, names: Object.keys(readFolderContents(target)) }).toEqual({
      exitCode: 0,
      names: ["1"],
    });
  });
});

it("get -r of all newsgroups saves the articles in a folder named by the group", async () => {
  const articles = ["Message-ID: <a@h.example>\nNewsgroups: a.b\nSubject: s\nFrom: f\n\nx\n"];
  await using server = await startNntpTestServer({
    groups: { "a.b": { articles }, "c.d": { articles: [] } },
  });
  const target = join(createTemporaryFolder(), "t");
  const { exitCode } = await runGetRecursively(`nntp://127.0.0.1:${server.port}/`, target);
  expect({ exitCode, names: Object.keys(readFolderContents(target)) }).toEqual({
    exitCode: 0,
    names: ["a.b/1"],
  });
});

it("get -r of a single file exits with the code for an unsupported operation", async () => {
  await using server = await startGopherTestServer({ files: { "a.txt": "x" } });
  const url = `gopher://127.0.0.1:${server.port}/0/a.txt`;
  const { exitCode, stderr } = await runGetRecursively(
    url,
    createTemporaryFolder(),
    "--allow-port",
    `gopher:${server.port}`,
  );
  expect({ exitCode, stderr }).toEqual({
    exitCode: 4,
    stderr: `anyscheme: unsupported: the URL is not a directory: ${url} (use get without -r)\n`,
  });
});

describe("get -r supports file names with the maximum length", () => {
  it.each([239, 240, 255])("get -r saves and resumes a file whose name has %i bytes", async (length) => {
    const name = `${"n".repeat(length - 4)}.txt`;
    await using server = await startFtpTestServer({ files: { [`pub/${name}`]: "0123456789" } });
    const target = createTemporaryFolder();
    const url = `ftp://127.0.0.1:${server.port}/pub/`;
    const first = await runGetRecursively(url, target);
    expect({ exitCode: first.exitCode, tree: readFolderContents(target) }).toEqual({
      exitCode: 0,
      tree: { [name]: "0123456789" },
    });
    expect(first.stderr).not.toContain("saved as");
    // The next run of the command finds the partial file by its name.
    const date = new Date(Date.UTC(2026, 0, 1));
    writeFileSync(join(target, name), "old");
    const partial = join(target, getPartialFileName(name));
    writeFileSync(partial, "01234");
    utimesSync(partial, date, date);
    expect((await runGetRecursively(url, target)).exitCode).toBe(0);
    expect(server.receivedLines.filter((line) => line.startsWith("REST"))).toEqual(["REST 5"]);
    expect(readFolderContents(target)).toEqual({ [name]: "0123456789" });
  });

  it("get -r truncates longer file names, and reports the change", async () => {
    const long = "n".repeat(300);
    await using server = await startScriptedServer(async (peer) => {
      const selector = await peer.readLine();
      if (selector !== "/pub") return peer.send("text\r\n.\r\n");
      const names = [`${long}1`, `${long}2`];
      const lines = names.map((name) => `0x\t/pub/${name}\t127.0.0.1\t${server.port}\r\n`);
      peer.send(`${lines.join("")}.\r\n`);
    });
    const target = createTemporaryFolder();
    const allow = ["--allow-port", `gopher:${server.port}`];
    const { exitCode, stderr } = await runGetRecursively(
      `gopher://127.0.0.1:${server.port}/1/pub`,
      target,
      ...allow,
    );
    expect({ exitCode, names: Object.keys(readFolderContents(target)) }).toEqual({
      exitCode: 0,
      names: [expect.stringMatching(/^n{246}~[0-9a-f]{8}$/), expect.stringMatching(/^n{246}~[0-9a-f]{8}$/)],
    });
    expect(stderr.match(/saved as /g)).toHaveLength(2);
  });
});

it("get -r counts files whose transfer failed", async () => {
  await using server = await startScriptedServer(async (peer) => {
    const selector = Buffer.from((await peer.readLine()) ?? "", "latin1").toString();
    const [good, bad] = ["/pub/a\u202eb", "/pub/c\u202ed"];
    const line = (where: string): string => `0x\t${where}\t127.0.0.1\t${server.port}\r\n`;
    if (selector === "/pub") return peer.send(Buffer.from(`${line(good)}${line(bad)}.\r\n`));
    peer.send(selector === good ? "text\r\n.\r\n" : "3'c' does not exist\t\terror.host\t1\r\n.\r\n");
  });
  const target = createTemporaryFolder();
  const allow = ["--allow-port", `gopher:${server.port}`];
  const { exitCode, stderr } = await runGetRecursively(
    `gopher://127.0.0.1:${server.port}/1/pub`,
    target,
    ...allow,
  );
  const goodName = "a_b~202ad6f4";
  expect({ exitCode, tree: readFolderContents(target) }).toEqual({
    exitCode: 78,
    tree: { [goodName]: "text\r\n" },
  });
  expect(stderr).toContain("1 saved, 0 up to date, 0 skipped, 0 external, 1 failed");
  expect(stderr.match(/saved as .*/g)).toEqual([
    `saved as ${join(target, goodName)}: the server's name is a\\u{202e}b`,
  ]);
});

it.each<[args: string[], reported: string]>([
  [["-O", "ftp://h/d/"], "--recursive and --remote-name exclude each other"],
  [["-o", "-", "ftp://h/d/"], "--recursive needs a folder, not standard output"],
  [["-o", "d", "ftp://h/a/", "ftp://h/b/"], "--output takes one URL"],
  [["--max-depth", "x", "ftp://h/"], "--max-depth needs a whole number above 0, or none"],
])("get --recursive with the arguments %j is a usage error", async (args, message) => {
  const { exitCode, stderr } = await runCommandInProcess(["get", "-r", ...args]);
  expect({ exitCode, message: stderr.split("\n")[0] }).toEqual({
    exitCode: 2,
    message: `anyscheme: ${message}`,
  });
});
