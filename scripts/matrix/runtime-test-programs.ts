import type { EntryPoint } from "../../test/packaging/published-package-manifests.ts";

/** The first argument of a test program, encoded as JSON. */
export interface TestProgramInput {
  readonly url: string;
  readonly ports: readonly number[];
  /** Options of the scheme. */
  readonly options?: object;
}

/**
 * The last output line of every successful test program. The matrix counts an output without this line as a failure.
 */
export const SUCCESS_OUTPUT_LINE = "as it should be";

const CLOSE_CLIENT_CODE = `
await client.close();
console.log(${JSON.stringify(SUCCESS_OUTPUT_LINE)});
`;

/** Returns a test program that dereferences a URL with a scheme of a package and checks the content. */
export function createDereferenceTestProgramSource(module: string, scheme: string): string {
  return `import { createClient, anyAddress } from "@anyscheme/core";
import { ${scheme} } from "${module}";
const { url, ports, options } = JSON.parse(process.argv[2]);
const policy = anyAddress({ allowPorts: { ${scheme}: ports, nntp: ports } });
const client = createClient({ schemes: [${scheme}(options)], policy });
const found = await client.dereference(url);
const text = await found.text();
if (!text.includes("Some bytes")) throw new Error("it read " + JSON.stringify(text));
${CLOSE_CLIENT_CODE}`;
}

/** Returns a test program that imports every entry point of a package and checks that each has exports. */
export function createImportTestProgramSource(entries: readonly EntryPoint[]): string {
  const names = entries.map(({ name }) => JSON.stringify(name)).join(", ");
  return `const client = { close() {} };
for (const name of [${names}]) {
  if (Object.keys(await import(name)).length === 0) throw new Error(name + " offers nothing");
}
${CLOSE_CLIENT_CODE}`;
}

/** A test program with a user-defined scheme, as in the README. */
export const USER_DEFINED_SCHEME_TEST_PROGRAM_SOURCE = `import { createClient, anyAddress } from "@anyscheme/core";
import { createResolveAndConnectSteps, createPlan, createSendStep, createStep } from "@anyscheme/core/plugin";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { connectAndSendRequest } from "@anyscheme/core/io";
const { url, ports } = JSON.parse(process.argv[2]);
const finger = {
  name: "x-finger",
  syntax: createGenericSyntax({ schemes: ["x-finger"], defaultPort: 79 }),
  plan: (url) => createPlan(url, [
    ...createResolveAndConnectSteps(url),
    createSendStep(Buffer.from("bob\\r\\n"), "RFC 1288 2.3", "the query"),
    createStep("transfer", "RFC 1288 2.2", "the answer"),
  ]),
  access: async (plan, context) =>
    context.createContent({ source: await connectAndSendRequest(plan, context), mediaType: "text/plain", completeness: "unverified" }),
};
const client = createClient({ schemes: [finger], policy: anyAddress({ allowPorts: { "x-finger": ports } }) });
const found = await client.dereference(url);
const text = await found.text();
if (!text.includes("Some bytes")) throw new Error("it read " + JSON.stringify(text));
${CLOSE_CLIENT_CODE}`;

export const MAILTO_CLIENT_TEST_PROGRAM_SOURCE = `import { createClient } from "@anyscheme/core";
import { mailto } from "@anyscheme/scheme-others/mailto";
const client = createClient({ schemes: [mailto()] });
const found = await client.dereference("mailto:somebody@host.example");
if (found.kind !== "mailbox") throw new Error("it is " + found.kind);
${CLOSE_CLIENT_CODE}`;

export const TELNET_CLIENT_TEST_PROGRAM_SOURCE = `import { createClient, anyAddress } from "@anyscheme/core";
import { telnet } from "@anyscheme/scheme-others/telnet";
const { url, ports } = JSON.parse(process.argv[2]);
const client = createClient({ schemes: [telnet()], policy: anyAddress({ allowPorts: { telnet: ports } }) });
const service = await client.dereference(url);
const session = await service.connect();
const { value } = await session.readable.getReader().read();
const text = new TextDecoder().decode(value);
if (!text.includes("Some bytes")) throw new Error("it read " + JSON.stringify(text));
await session.close();
await service.close();
${CLOSE_CLIENT_CODE}`;

export const GATEWAY_TEST_PROGRAM_SOURCE = `import { createClient, anyAddress } from "@anyscheme/core";
import { startGateway } from "@anyscheme/gateway";
import { gopher } from "@anyscheme/scheme-gopher";
const { url, ports } = JSON.parse(process.argv[2]);
const client = createClient({ schemes: [gopher()], policy: anyAddress({ allowPorts: { gopher: ports } }) });
const gateway = await startGateway(client, { port: 0 });
const page = await fetch("http://127.0.0.1:" + gateway.port + "/" + url.replace("://", "/"));
const text = await page.text();
if (!page.ok || !text.includes("Some bytes")) throw new Error(page.status + ": " + text);
await gateway.close();
${CLOSE_CLIENT_CODE}`;

/**
 * A test program that starts the command twice: with a writable folder for the compile cache, and without
 * one.
 */
export const COMPILE_CACHE_TEST_PROGRAM_SOURCE = `import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
const client = { close() {} };
const { bun, deno, node } = process.versions;
const start = deno ? ["run", "--quiet", "--allow-all"] : [];
const command = resolve("node_modules/anyscheme/bin/anyscheme.cjs");
const saysWith = (cache) =>
  String(execFileSync(process.execPath, [...start, command, "--version"], { env: { ...process.env, XDG_CACHE_HOME: cache } }));
const folder = mkdtempSync(resolve("cache-"));
const said = saysWith(folder);
if (!said.startsWith("anyscheme ")) throw new Error("it said " + said);
const kept = readdirSync(folder, { recursive: true }).length;
if (!bun && !deno && kept < 2) throw new Error(node + " has kept " + kept + " files and folders");
writeFileSync(join(folder, "file"), "");
if (saysWith(join(folder, "file")) !== said) throw new Error("it does not start where nothing can be kept");
${CLOSE_CLIENT_CODE}`;

/**
 * A test program that fetches a URL with `guardedAgent`, and expects that the default policy refuses the URL, for one
 * request and for all requests.
 */
export const GUARDED_FETCH_TEST_PROGRAM_SOURCE = `import { anyAddress } from "@anyscheme/core";
import { guardedAgent } from "@anyscheme/undici";
import { setGlobalDispatcher } from "undici";
const { url } = JSON.parse(process.argv[2]);
const client = guardedAgent({ policy: anyAddress() });
const text = await (await fetch(url, { dispatcher: client })).text();
if (!text.includes("Some bytes")) throw new Error("it read " + JSON.stringify(text));
const codeOf = (promise) => promise.then(() => "reached", ({ cause }) => cause.code);
const refusals = [await codeOf(fetch(url, { dispatcher: guardedAgent() }))];
setGlobalDispatcher(guardedAgent());
refusals.push(await codeOf(fetch(url)));
if (refusals.join() !== "refused-address,refused-address") throw new Error("not refused: " + refusals);
${CLOSE_CLIENT_CODE}`;

/**
 * A test program that sends a request with `guardedHttpAgent`, and expects that the default policy refuses the request.
 */
export const GUARDED_HTTP_AGENT_TEST_PROGRAM_SOURCE = `import { once } from "node:events";
import { get } from "node:http";
import { anyAddress } from "@anyscheme/core";
import { guardedHttpAgent } from "@anyscheme/core/http-agent";
const { url } = JSON.parse(process.argv[2]);
const agent = guardedHttpAgent({ policy: anyAddress() });
const client = { close: () => agent.destroy() };
const [response] = await once(get(url, { agent }), "response");
let text = "";
for await (const bytes of response) text += bytes;
if (!text.includes("Some bytes")) throw new Error("it read " + JSON.stringify(text));
const refusal = await once(get(url, { agent: guardedHttpAgent() }), "response").then(() => "reached", ({ code }) => code);
if (refusal !== "refused-address") throw new Error("not refused: " + refusal);
${CLOSE_CLIENT_CODE}`;
