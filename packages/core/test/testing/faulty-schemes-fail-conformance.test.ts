import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import { expect, describe, it } from "vitest";
import { AccessError } from "../../src/errors/access-error.ts";
import { connectAndSendRequest } from "../../src/io/index.ts";
import type { AccessContext } from "../../src/scheme/context.ts";
import {
  createResolveAndConnectSteps,
  createPlan,
  createSendStep,
  createStep,
  type Plan,
  rejectControlBytes,
} from "../../src/scheme/plan.ts";
import type { ContentResource } from "../../src/scheme/resource.ts";
import type { Scheme } from "../../src/scheme/scheme.ts";
import { createGenericSyntax, type GenericUrl, percentDecode } from "../../src/syntax/index.ts";
import { describeScheme, startScriptedServer } from "../../src/testing/index.ts";

type LineScheme = Scheme<GenericUrl<"x-line">, ContentResource>;
type LinePlan = Plan<GenericUrl<"x-line">>;

/** A correct scheme: the client sends a line, and the server sends a text and closes the connection. */
const correct: LineScheme = {
  name: "x-line",
  syntax: createGenericSyntax({ schemes: ["x-line"], defaultPort: 1799 }),
  plan: (url, options) =>
    planBytes(url, rejectControlBytes(percentDecode(url.urlPath ?? ""), "topic", options)),
  access: async (plan, context) => createText(context, await connectAndSendRequest(plan, context)),
};

function planBytes(url: GenericUrl<"x-line">, topic: Uint8Array): LinePlan {
  return createPlan(url, [
    ...createResolveAndConnectSteps(url),
    createSendStep(Buffer.concat([topic, Buffer.from("\r\n")]), "1", "the topic"),
    createStep("transfer", "2", "the text"),
  ]);
}

type Source = Parameters<AccessContext["createContent"]>[0]["source"];

const createText = (context: AccessContext, source: Source): ContentResource =>
  context.createContent({ source, mediaType: "text/plain", completeness: "unverified" });

const withAccess = (access: LineScheme["access"]): LineScheme => ({ ...correct, access });
const withPlan = (plan: LineScheme["plan"]): LineScheme => ({ ...correct, plan });

/** Runs the suite on a scheme, and returns the messages of the failed tests by the names of the tests. */
async function findFailures(scheme: LineScheme): Promise<Map<string, string>> {
  const tests: (readonly [name: string, run: () => Promise<void> | void])[] = [];
  const add = (name: string, run: () => Promise<void> | void): unknown => tests.push([name, run]);
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: Object.assign(add, { skip: () => 0 }),
  };
  describeScheme(runner, "x-line", {
    scheme: () => scheme,
    valid: ["x-line://h.example/cats", "x-line://h.example:1739/", "x-line://h.example"],
    invalid: ["x-line", "x-line://h.example/\\"],
    async serve() {
      const bytes = Buffer.from("A cat may look at a king.\r\n");
      const server = await startScriptedServer(async (peer) => {
        await peer.readLine();
        peer.send(bytes);
      });
      const url = (port = server.port): string => `x-line://127.0.0.1:${port}/cats`;
      return { url, bytes, port: server.port, stop: () => server.stop() };
    },
    skip: { missing: "the server has a text about every topic" },
  });
  const failures = new Map<string, string>();
  for (const [name, run] of tests) {
    try {
      await run();
    } catch (error) {
      failures.set(name, (error as Error).message);
    }
  }
  return failures;
}

const ENDLESS_LINE = "the scheme stops reading an endless line of a server, and any error is an AccessError";
const ENDLESS_BODY = "the scheme stops reading an endless body of a server, and any error is an AccessError";
const SILENT_SERVER =
  "an abort while the server is silent rejects the request with aborted, and closes all connections";
const PLAN_SECRET = "a password appears in no text of the URL, the plan or an error of plan";
const REQUEST_SECRET = "the password of the URL appears in no error and no trace of the request";
const NO_RESPONSE =
  "a connection that the server closes without a response causes an AccessError or unverified content";
const PURE_PLAN = "plan opens no socket and looks up no name";
const NO_LOOKUP = "the access method looks up no name for a URL with an IP address";
const NO_CONTROL_BYTE =
  "no plan sends an encoded ESC, TAB, BEL or DEL as a byte without the option allowControlCharacters";
const CLOSED_RESOURCE = "closing an unread resource closes all connections";

const brokenSchemes: readonly (readonly [fault: string, LineScheme, check: string, message: RegExp])[] = [
  [
    "reads a line of any length",
    withAccess(async (plan, context) => {
      const source = await connectAndSendRequest(plan, context);
      const line: Uint8Array[] = [];
      await source.readChunks((bytes) => line.push(bytes) > 0 && !bytes.includes(0x0a));
      source.unread(Buffer.concat(line));
      return createText(context, source);
    }),
    ENDLESS_LINE,
    /read 16777216 bytes of an endless line/,
  ],
  [
    "collects the body without a limit",
    withAccess(async (plan, context) => {
      const source = await connectAndSendRequest(plan, context);
      const body: Uint8Array[] = [];
      await source.readChunks((bytes) => body.push(bytes) > 0);
      source.unread(Buffer.concat(body));
      return createText(context, source);
    }),
    ENDLESS_BODY,
    /read 16777216 bytes of an endless body/,
  ],
  [
    "keeps its connection open after an abort",
    withAccess(async (plan, context) => {
      const source = await connectAndSendRequest(plan, context);
      context.detachSocket(source.socket);
      await source.readChunks((bytes) => (source.unread(bytes), false));
      return createText(context, source);
    }),
    SILENT_SERVER,
    /^the connection 1 is still open$/,
  ],
  [
    "keeps the connection of a closed resource open",
    withAccess(async (plan, context) => {
      const source = await connectAndSendRequest(plan, context);
      context.detachSocket(source.socket);
      return createText(context, { readChunks: (take) => source.readChunks(take), cancel: () => undefined });
    }),
    CLOSED_RESOURCE,
    /^the connection 1 is still open$/,
  ],
  [
    "shows the password in an error of plan",
    withPlan((url, options, limits) => {
      if (url.password !== undefined) throw new AccessError("unsupported", `no login as ${url.password}`);
      return correct.plan(url, options, limits);
    }),
    PLAN_SECRET,
    /the password is visible/,
  ],
  [
    "shows the password in an error of access",
    withAccess((plan, context) => {
      if (plan.url.password === undefined) return correct.access(plan, context, {});
      throw new AccessError("permission-denied", `wrong password ${plan.url.password}`);
    }),
    REQUEST_SECRET,
    /the password is visible/,
  ],
  [
    "shows the password in the cause of an error",
    withAccess((plan, context) => {
      if (plan.url.password === undefined) return correct.access(plan, context, {});
      const cause = new AccessError("permission-denied", `wrong password ${plan.url.password}`);
      throw new AccessError("permission-denied", "wrong password", { cause });
    }),
    REQUEST_SECRET,
    /the password is visible/,
  ],
  [
    "shows the password in the trace",
    withAccess((plan, context) => {
      context.trace({ action: "receive", text: "a" });
      if (plan.url.password !== undefined)
        context.trace({ action: "send", text: `PASS ${plan.url.password}` });
      return correct.access(plan, context, {});
    }),
    REQUEST_SECRET,
    /the password is visible/,
  ],
  [
    "throws a plain Error when the server closes the connection",
    withAccess(async (plan, context) => {
      const source = await connectAndSendRequest(plan, context);
      if ((await source.readChunks((bytes) => (source.unread(bytes), false))) === "end")
        throw new Error("empty");
      return createText(context, source);
    }),
    NO_RESPONSE,
    /a scheme or a callback threw an error/,
  ],
  [
    "opens a socket in plan",
    withPlan((url, options, limits) => {
      connect(1, "127.0.0.1").on("error", () => undefined);
      return correct.plan(url, options, limits);
    }),
    PURE_PLAN,
    /uses the network/,
  ],
  [
    "looks up a name in plan",
    withPlan((url, options, limits) => {
      void lookup("localhost").catch(() => undefined);
      return correct.plan(url, options, limits);
    }),
    PURE_PLAN,
    /uses the network/,
  ],
  [
    "looks up a name in access",
    withAccess(async (plan, context) => {
      await lookup("localhost");
      return correct.access(plan, context, {});
    }),
    NO_LOOKUP,
    /looks up a name/,
  ],
  [
    "sends ESC and TAB",
    withPlan((url) => planBytes(url, percentDecode((url.urlPath ?? "").replaceAll(/%(?:0d|0a|00)/gi, "")))),
    NO_CONTROL_BYTE,
    /sends the control byte %1B/,
  ],
  [
    "has a request option without a kind",
    { ...correct, requestOptions: { a: 1 } },
    "returns a resource with its URL and plan, and the resource can be closed more than once",
    /the option "requestOptions.a" has to be an option kind/,
  ],
];

describe("the conformance suite", () => {
  it("a correct scheme passes the conformance suite", async () => {
    expect(await findFailures(correct)).toEqual(new Map());
  });

  it.each(brokenSchemes)(
    "the conformance suite fails for a scheme that %s",
    async (_, scheme, check, message) => {
      const failures = await findFailures(scheme);
      expect(failures.get(check)).toMatch(message);
    },
  );
});
