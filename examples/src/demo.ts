// `demo` starts test servers, gets a URL from each, and shows the plan, the trace and the result.
// `demo [OPTION…] URL…` gets the given URLs.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs, styleText } from "node:util";
import {
  createTemporaryDirectory,
  createDatabaseFromFiles,
  type ServedFiles,
  removeTemporaryDirectory,
  startFtpTestServer,
  startGopherTestServer,
  startHttpFileTestServer,
  startNntpTestServer,
  startProsperoTestServer,
  startWaisTestServer,
  writeWorldReadableFiles,
} from "@anyscheme/servers";

/** A URL that the demo shows, with the options of `get` for this URL. */
interface DemoExample {
  readonly title: string;
  readonly url: string;
  readonly options: readonly string[];
}

const demoFiles: ServedFiles = {
  "pub/hello.txt": "Hello from a server on this machine.\n",
  "pub/rfc1738.txt": "Uniform Resource Locators (URL), December 1994\n",
  "index.html": "<title>Hello</title>\n",
};

const demoArticle = [
  "From: someone@host.example",
  "Newsgroups: misc.test",
  "Subject: Hello",
  "Date: Sat, 21 Nov 2026 12:00:00 +0000",
  "Message-ID: <hello@host.example>",
  "",
  "Hello from a news server.",
  "",
].join("\n");

/** Returns the path of the command, which the package `anyscheme` names in its manifest. */
function findCommandFile(): string {
  const manifest = new URL(import.meta.resolve("anyscheme/package.json"));
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: { anyscheme: string } };
  return fileURLToPath(new URL(bin.anyscheme, manifest));
}

const commandFile = findCommandFile();

/** Prints a command line and runs it. Resolves to the exit code of the command. */
async function runCommand(args: readonly string[]): Promise<number> {
  console.log(`\n${styleText("cyan", `$ anyscheme ${args.map(quoteForShell).join(" ")}`)}`);
  const child = spawn(process.execPath, [commandFile, ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

/**
 * Separates the URLs from the options of `get`. An option that the demo does not know is treated as a flag, so the next
 * argument is not its value.
 */
function parseDemoArguments(args: readonly string[]): {
  urls: readonly string[];
  options: readonly string[];
} {
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

/** Quotes a word for a shell. */
function quoteForShell(word: string): string {
  return /^[\w:/.@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Runs the command to show the plan, the trace and the result of each URL. Resolves to true when all requests
 * succeeded.
 */
async function showExamples(examples: readonly DemoExample[]): Promise<boolean> {
  const failed: string[] = [];
  for (const { title, url, options } of examples) {
    console.log(`\n${styleText("bold", `━━ ${title} ${"━".repeat(Math.max(0, 74 - title.length))}`)}`);
    const planExit = await runCommand(["plan", url]);
    const exit = planExit === 0 ? await runCommand(["get", "-v", ...options, url]) : planExit;
    if (exit !== 0) failed.push(`${title}: exit code ${exit}`);
    if (exit === 130) break;
  }
  console.log(`\n${styleText("dim", "> sent   < received   * event   (no prefix) result")}`);
  for (const line of failed) console.log(line);
  return failed.length === 0;
}

/** Starts local servers, shows a URL of each server, and stops the servers. */
async function showLocalServers(): Promise<boolean> {
  const folder = await createTemporaryDirectory("demo");
  const redirects = { "/moved": { status: 301, location: "/index.html" } } as const;
  const servers = await Promise.all([
    startFtpTestServer({ files: demoFiles }),
    startGopherTestServer({ files: demoFiles }),
    startHttpFileTestServer({ files: demoFiles, redirects }),
    startWaisTestServer({ databases: [createDatabaseFromFiles("pub", demoFiles)] }),
    startNntpTestServer({ groups: { "misc.test": { articles: [demoArticle] } } }),
    startProsperoTestServer({ objects: demoFiles }),
  ]);
  const [ftp, gopher, http, wais, nntp, prospero] = servers.map(({ address, port }) => `${address}:${port}`);
  try {
    await writeWorldReadableFiles(folder, demoFiles);
    return await showExamples([
      { title: "FTP file", url: `ftp://${ftp}/pub/hello.txt`, options: [] },
      {
        title: "Gopher menu",
        url: `gopher://${gopher}/1/pub`,
        options: ["--allow-port", `gopher:${servers[1].port}`],
      },
      { title: "HTTP redirect", url: `http://${http}/moved`, options: [] },
      {
        title: "WAIS search",
        url: `wais://${wais}/pub?hello`,
        options: ["--allow-port", `wais:${servers[3].port}`],
      },
      { title: "NNTP news group", url: `nntp://${nntp}/misc.test`, options: [] },
      {
        title: "Prospero file",
        url: `prospero://${prospero}/pub/hello.txt`,
        options: ["--allow-port", `prospero:${servers[5].port}`],
      },
      { title: "local file", url: "file:///pub/hello.txt", options: ["--file-root", folder] },
    ]);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await removeTemporaryDirectory(folder);
  }
}

// The running command handles SIGINT, so the demo ignores it. When the command has ended, the demo stops its
// servers and ends.
process.on("SIGINT", () => undefined);
const { urls, options } = parseDemoArguments(process.argv.slice(2));
const allExamplesSucceeded =
  urls.length === 0
    ? await showLocalServers()
    : await showExamples(urls.map((url) => ({ title: url, url, options })));
process.exitCode = allExamplesSucceeded ? 0 : 1;
