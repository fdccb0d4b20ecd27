// Updates the pictures of the documentation. Run `node test/docs/update-pictures.ts` after a build.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { downloadMissingServers } from "@anyscheme/servers";
import { openChromium } from "../browser/open-chromium.ts";
import { REPOSITORY_FOLDER } from "./code-blocks.ts";
import { type ExampleHostServers, startExampleHostServers } from "./sandbox/example-host-servers.ts";
import { createShellEnvironmentVariables, runShellCommand } from "./sandbox/run-command.ts";
import { createCodeBlockProject, type CodeBlockProject } from "./sandbox/code-block-project.ts";

const pageName = "pictures.md";

/**
 * A program that runs the gateway until the program is terminated. The first output line of this program is the port of
 * the gateway.
 */
const gatewayProgram = {
  page: pageName,
  line: 1,
  language: "ts",
  fileName: undefined,
  expectedOutput: undefined,
  text: `import { startGateway } from "@anyscheme/gateway";
import { createDefaultClient } from "@anyscheme/gateway/default-client";
console.log((await startGateway(createDefaultClient(), { port: 0 })).port);
`,
};

const screenshotCommand = "anyscheme ls --color always gopher://gopher.example/";

/** Updates the pictures in `docs/images`: a Gopher menu as a page of the gateway, and the same menu in a terminal. */
async function takeScreenshots(): Promise<void> {
  await downloadMissingServers(["chromium"]);
  const [project, hosts] = await Promise.all([
    createCodeBlockProject([gatewayProgram]),
    startExampleHostServers(),
  ]);
  const server = spawn(process.execPath, [project.compiledProgram(gatewayProgram)], {
    env: createShellEnvironmentVariables(project, hosts),
  });
  const browser = await openChromium();
  try {
    const images = join(REPOSITORY_FOLDER, "docs/images");
    await mkdir(images, { recursive: true });
    const view = await browser.context.newPage();
    await view.setViewportSize({ width: 720, height: 420 });
    await view.goto(`http://127.0.0.1:${await readFirstLine(server)}/gopher/gopher.example/`);
    await view.screenshot({ path: join(images, "gateway.png") });
    const screen = await browser.context.newPage();
    await screen.setContent(await renderTerminalPage(project, hosts));
    await screen.locator("main").screenshot({ path: join(images, "terminal.png") });
  } finally {
    await browser.close();
    server.kill();
    await hosts.stop();
    await rm(project.folder, { recursive: true, force: true });
  }
}

async function readFirstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error("the output of the program is not readable");
  const [bytes] = (await once(stdout, "data")) as [Buffer];
  return bytes.toString().trim();
}

/** Returns an HTML page that looks like a terminal with the command and its output. */
async function renderTerminalPage(project: CodeBlockProject, hosts: ExampleHostServers): Promise<string> {
  const { output } = await runShellCommand(screenshotCommand, project.pageFolder(pageName), project, hosts);
  const shown = `$ ${screenshotCommand.replace(" --color always", "")}\n${output}$ `;
  return `<style>
    main { width: max-content; padding: 16px 20px; background: #1e1e2a; color: #e6e6ea; }
    pre { margin: 0; font: 14px/1.45 monospace; }
    .s1 { font-weight: bold } .s2 { opacity: .65 } .s4 { text-decoration: underline }
    .s31 { color: #ff8a8a } .s32 { color: #9be39b } .s33 { color: #f0d080 } .s34 { color: #8ab8ff } .s35 { color: #e0a0ff } .s36 { color: #80e0e0 }
  </style><main><pre>${convertTerminalTextToHtml(shown)}</pre></main>`;
}

/** Converts the output of a terminal to HTML. SGR sequences (ECMA-48 §8.3.117) become CSS classes. */
function convertTerminalTextToHtml(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  let open = 0;
  const spans = escaped.replace(/\u001b\[([\d;]*)m/g, (_, styles: string) => {
    const closed = "</span>".repeat(/^0?$/.test(styles) ? open : 0);
    open = closed === "" ? open + 1 : 0;
    if (open === 0) return closed;
    return `<span class="${styles
      .split(";")
      .map((style) => `s${style}`)
      .join(" ")}">`;
  });
  return spans + "</span>".repeat(open);
}

await takeScreenshots();
