// The demonstration of the README: `demo` with servers of its own, `demo [OPTION…] URL…` with the reader's.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  createThrowawayDirectory,
  databaseOf,
  type Files,
  removeThrowawayDirectory,
  startSmallFtp,
  startSmallGopher,
  startSmallHttp,
  startSmallNntp,
  startSmallProspero,
  startSmallWais,
  writePublicFiles,
} from "@anyscheme/servers";

/** One URL to show, and the options that `get` needs for it. */
interface Show {
  readonly title: string;
  readonly url: string;
  readonly options: readonly string[];
}

const files: Files = {
  "pub/hello.txt": "Hello from a server on this machine.\n",
  "pub/rfc1738.txt": "Uniform Resource Locators (URL), December 1994\n",
  "index.html": "<title>Hello</title>\n",
};

const article = [
  "From: someone@host.example",
  "Newsgroups: misc.test",
  "Subject: Hello",
  "Date: Sat, 21 Nov 2026 12:00:00 +0000",
  "Message-ID: <hello@host.example>",
  "",
  "Hello from a news server.",
  "",
].join("\n");

const colours = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;

/** Puts a style of the terminal (ECMA-48 §8.3.117, SGR) around a text. */
function styled(style: 1 | 2 | 36, text: string): string {
  return colours ? `\u001b[${style}m${text}\u001b[0m` : text;
}

/** The file of the command, as the package `anyscheme` names it. */
function commandFile(): string {
  const manifest = new URL(import.meta.resolve("anyscheme/package.json"));
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: { anyscheme: string } };
  return fileURLToPath(new URL(bin.anyscheme, manifest));
}

const command = commandFile();

/** Shows a command line and runs it; resolves to its exit code. */
async function run(args: readonly string[]): Promise<number> {
  console.log(`\n${styled(36, `$ anyscheme ${args.map(quoted).join(" ")}`)}`);
  const child = spawn(process.execPath, [command, ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/** The URLs of a command line, and its options as `get` has them. An option that is not listed here is a switch. */
function readArguments(args: readonly string[]): { urls: readonly string[]; options: readonly string[] } {
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: {
      "allow-port": { type: "string", multiple: true },
      "file-root": { type: "string" },
      "news-server": { type: "string", multiple: true },
      user: { type: "string", short: "u" },
    },
    strict: false,
    tokens: true,
  });
  const options = tokens.flatMap((token) =>
    token.kind !== "option" ? [] : token.value === undefined ? [token.rawName] : [token.rawName, token.value],
  );
  return { urls: positionals, options };
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w:/.@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Shows the plan of each URL, then the conversation and what came of it. Returns whether all went well. */
async function show(shows: readonly Show[]): Promise<boolean> {
  const failed: string[] = [];
  for (const { title, url, options } of shows) {
    console.log(`\n${styled(1, `━━ ${title} ${"━".repeat(Math.max(0, 74 - title.length))}`)}`);
    const planned = await run(["plan", url]);
    const got = planned === 0 ? await run(["get", "-v", ...options, url]) : planned;
    if (got !== 0) failed.push(`${title}: exit code ${got}`);
    if (got === 130) break;
  }
  console.log(
    `\n${styled(2, "> was sent, < was received, * is what else happened; what has no mark is the result")}`,
  );
  for (const line of failed) console.log(line);
  return failed.length === 0;
}

/** Starts a server for each scheme and a folder, shows a URL of each, and takes everything away again. */
async function showOwnServers(): Promise<boolean> {
  const folder = await createThrowawayDirectory("demo");
  const redirects = { "/moved": { status: 301, location: "/index.html" } } as const;
  const servers = await Promise.all([
    startSmallFtp({ files }),
    startSmallGopher({ files }),
    startSmallHttp({ files, redirects }),
    startSmallWais({ databases: [databaseOf("pub", files)] }),
    startSmallNntp({ groups: { "misc.test": { articles: [article] } } }),
    startSmallProspero({ objects: files }),
  ]);
  const [ftp, gopher, http, wais, nntp, prospero] = servers.map(({ address, port }) => `${address}:${port}`);
  try {
    await writePublicFiles(folder, files);
    return await show([
      { title: "a file by FTP", url: `ftp://${ftp}/pub/hello.txt`, options: [] },
      {
        title: "a Gopher menu",
        url: `gopher://${gopher}/1/pub`,
        options: ["--allow-port", `gopher:${servers[1].port}`],
      },
      { title: "a page by HTTP that has moved", url: `http://${http}/moved`, options: [] },
      {
        title: "a WAIS search",
        url: `wais://${wais}/pub?hello`,
        options: ["--allow-port", `wais:${servers[3].port}`],
      },
      { title: "a group of news articles", url: `nntp://${nntp}/misc.test`, options: [] },
      {
        title: "a file by Prospero",
        url: `prospero://${prospero}/pub/hello.txt`,
        options: ["--allow-port", `prospero:${servers[5].port}`],
      },
      { title: "a file of this machine", url: "file:///pub/hello.txt", options: ["--file-root", folder] },
    ]);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await removeThrowawayDirectory(folder);
  }
}

// An interrupt ends the command that is running; the demonstration ends after it, and takes its servers away.
process.on("SIGINT", () => undefined);
const { urls, options } = readArguments(process.argv.slice(2));
const wentWell =
  urls.length === 0 ? await showOwnServers() : await show(urls.map((url) => ({ title: url, url, options })));
process.exitCode = wentWell ? 0 : 1;
