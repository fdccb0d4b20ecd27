import { createHash } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { inspect } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { AccessError, createMaskableServerText } from "../../../src/errors/access-error.ts";
import { createClient } from "../../../src/client/client.ts";
import type { Client } from "../../../src/client/client-interface.ts";
import { TRACE_CHANNEL, type TraceEvent } from "../../../src/client/trace.ts";
import { anyAddress } from "../../../src/policy/policy.ts";
import type { AccessContext } from "../../../src/scheme/context.ts";
import type { Scheme } from "../../../src/scheme/scheme.ts";
import type { Endpoint } from "../../../src/scheme/plan.ts";
import { startScriptedServer } from "../../../src/testing/index.ts";
import { connectAndSendRequest, readLines } from "../../../src/io/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createPathLineScheme, createSocketlessScheme } from "../test-schemes.ts";

const line = createPathLineScheme("x-line");

/** The server for which the schemes of these tests request credentials. */
const CREDENTIAL_SERVER = { host: "h", port: 1 };

describe("the trace of a request", () => {
  it("the trace contains the events of a request in order", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      peer.send("12345");
    });
    const events: TraceEvent[] = [];
    const other = createClient({
      schemes: [line],
      policy: anyAddress(),
      resolver: () => Promise.resolve(["127.0.0.1"]),
      trace: (event) => events.push(event),
    });
    const resource = await other.dereference(`x-line://name.example:${server.port}/p` as const);
    await resource.bytes();
    expect(events.map(({ action, text }) => `${action}: ${text}`)).toEqual([
      "resolve: name.example is 127.0.0.1",
      `connect: 127.0.0.1 port ${server.port}`,
      "send: asks for p",
      `transfer: 5 bytes, SHA-256 ${createHash("sha256").update("12345").digest("hex")}`,
    ]);
    expect(events.map(({ step }) => step?.action)).toEqual(["connect", "connect", "send", "transfer"]);
    const times = events.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it("trace events are published on a diagnostics channel without the option trace", async () => {
    await using server = await startScriptedServer((peer) => peer.send("12345"));
    const events: TraceEvent[] = [];
    const listen = (event: unknown): void => void events.push(event as TraceEvent);
    subscribe(TRACE_CHANNEL, listen);
    try {
      const other = createClient({ schemes: [line], policy: anyAddress() });
      await (await other.dereference(`x-line://u:needle@127.0.0.1:${server.port}/p` as const)).bytes();
    } finally {
      unsubscribe(TRACE_CHANNEL, listen);
    }
    expect(events.map(({ action }) => action)).toEqual(["connect", "send", "transfer"]);
    expect(inspect(events, { depth: 9, showHidden: true })).not.toContain("needle");
  });

  it("a password that the server repeats in any encoding appears in no trace and no error", async () => {
    const password = "n%65edle/é";
    const spellings = [
      "needle/é",
      encodeURIComponent("needle/é"),
      Buffer.from("user:needle/é").toString("base64"),
    ];
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      peer.send(Buffer.from(`530 not you: ${spellings.join(" ")}\r\n`));
    });
    const events: TraceEvent[] = [];
    const echo: Scheme = {
      ...line,
      async access(plan, context) {
        for await (const bytes of readLines(
          await connectAndSendRequest(plan, context),
          context.limits,
          "maxListingLineBytes",
        )) {
          const text = Buffer.from(bytes).toString();
          context.trace({ action: "receive", text });
          const said = [createMaskableServerText(text)];
          throw new AccessError("authentication-required", said, { cause: new Error(text), advice: said });
        }
        throw new Error("no answer");
      },
    };
    const other = createClient({
      schemes: [echo],
      policy: anyAddress(),
      trace: (event) => events.push(event),
    });
    const written = password.replace("/", "%2F").replace("é", "%C3%A9");
    const error = await catchAccessError(
      other.dereference(`x-line://user:${written}@127.0.0.1:${server.port}/p`),
    );
    expect(error.code).toBe("authentication-required");
    const shown = [
      inspect(error, { depth: Infinity, showHidden: true }),
      JSON.stringify(error),
      JSON.stringify(events),
      inspect(events, { depth: Infinity }),
    ];
    for (const one of shown) {
      for (const spelling of [written, "needle", spellings[1] as string, "bmVlZGxl", "5lZWRsZ"])
        expect(one).not.toContain(spelling);
    }
    expect(error.message).toContain(`dereference x-line://user:****@127.0.0.1:${server.port}/p`);
    expect(events.at(-1)).toMatchObject({
      action: "receive",
      text: expect.stringContaining("530 not you: ****") as string,
    });
  });

  it("the password from the credentials callback and uncommon words of a server text appear in no trace or error", async () => {
    const events: TraceEvent[] = [];
    const questions: unknown[] = [];
    const asking = createSocketlessScheme(async (context) => {
      const question = { scheme: "x-made", host: "h", port: 1, requestedSecret: "password" } as const;
      const answer = await context.requestCredentials(question);
      context.reportSecretSent();
      context.trace({ action: "receive", text: `hello ${answer?.password} and hunter2` });
      throw new Error(`no ${answer?.password}`);
    }, CREDENTIAL_SERVER);
    const other = createClient({
      schemes: [asking],
      trace: (event) => events.push(event),
      credentials: (question) => {
        questions.push(question);
        return { password: "needle" };
      },
    });
    const error = await catchAccessError(other.dereference("x-made:a"));
    expect(error.message).toBe("a scheme or a callback threw an error: no ****: dereference x-made:a");
    expect(inspect(error)).not.toContain("needle");
    expect(events.map(({ text }) => text)).toEqual(["hello **** and ****"]);
    expect(questions).toEqual([
      { scheme: "x-made", host: "h", port: 1, requestedSecret: "password", isCrossOrigin: false },
    ]);
  });

  it("the trace shows server texts unchanged until a secret is sent", async () => {
    const texts: string[] = [];
    const telling = createSocketlessScheme((context) => {
      context.trace({ action: "receive", text: "220 hunter2 here" });
      context.reportSecretSent();
      context.trace({ action: "receive", text: "230 hunter2 here" });
      context.trace({ action: "send", text: "RETR hunter2" });
      throw new AccessError("unavailable", ["no hunter2: ", createMaskableServerText("450 hunter2 busy")]);
    });
    const other = createClient({ schemes: [telling], trace: ({ text }) => texts.push(text) });
    const error = await catchAccessError(other.dereference("x-made:hunter2"));
    expect(texts).toEqual(["220 hunter2 here", "230 **** here", "RETR hunter2"]);
    expect(error.message).toBe("no hunter2: 450 **** busy: dereference x-made:hunter2");
  });

  describe("context.requestCredentials", () => {
    const questions: unknown[] = [];
    const ask =
      (server: Endpoint) =>
      async (context: AccessContext): Promise<never> => {
        await context.requestCredentials({ scheme: "x-line", ...server, requestedSecret: "password" });
        throw new AccessError("unavailable", "enough");
      };
    const clientOf = (scheme: Scheme): Client =>
      createClient({ schemes: [scheme], credentials: (question) => void questions.push(question) });
    beforeEach(() => void questions.splice(0));

    it.each([
      { host: "bank.example", port: 7001 },
      { host: "a.example", port: 21 },
      { host: "a.example", port: 7001 },
    ])(
      "the credentials callback receives the host and port of the URL when a scheme asks for $host port $port",
      async (server) => {
        const other = clientOf({ ...line, access: (_plan, context) => ask(server)(context) });
        expect((await catchAccessError(other.dereference("x-line://a.example:7001/p"))).code).toBe(
          "unavailable",
        );
        expect(questions).toEqual([
          {
            scheme: "x-line",
            host: "a.example",
            port: 7001,
            requestedSecret: "password",
            isCrossOrigin: false,
          },
        ]);
      },
    );

    it.each([
      ["bank.example port 21 is not planned", { host: "bank.example", port: 21 }, "plugin"],
      ["h port 21 is not planned", { host: "h", port: 21 }, "plugin"],
      ["h port 1 is planned", CREDENTIAL_SERVER, "unavailable"],
    ] as const)(
      "requestCredentials for a URL without a host accepts only planned servers: %s",
      async (_, server, code) => {
        const error = await catchAccessError(
          clientOf(createSocketlessScheme(ask(server), CREDENTIAL_SERVER)).dereference("x-made:a"),
        );
        expect([error.code, questions.length]).toEqual([code, code === "plugin" ? 0 : 1]);
      },
    );
  });

  it("a reused connection to a server that received a secret keeps masking server texts", async () => {
    await using server = await startScriptedServer((peer) => peer.closed);
    const texts: string[] = [];
    const keeping: Scheme = {
      ...line,
      async access(plan, context) {
        const kept = context.getSharedState(() => ({ sockets: [] as Socket[], close: () => undefined }));
        const [socket] = kept.sockets;
        if (socket) context.attachSocket(socket);
        context.trace({ action: "receive", text: "hunter2" });
        if (socket)
          return context.createContent({
            source: { readChunks: () => Promise.resolve("end"), cancel: () => undefined },
          });
        const { host = "", port = 0 } = plan.steps[0]?.target ?? {};
        const opened = await context.connect({ host, port });
        context.reportSecretSent();
        kept.sockets.push(opened);
        context.detachSocket(opened);
        return context.createContent({
          source: { readChunks: () => Promise.resolve("end"), cancel: () => undefined },
        });
      },
    };
    const other = createClient({
      schemes: [keeping],
      policy: anyAddress(),
      trace: ({ action, text }) => action === "receive" && texts.push(text),
    });
    for (const path of ["first", "second"])
      await (await other.dereference(`x-line://127.0.0.1:${server.port}/${path}`)).close();
    expect(texts).toEqual(["hunter2", "****"]);
    await other.destroy();
  });

  it("credentials and trace of a request replace those of the client", async () => {
    const seen: string[] = [];
    const asking = createSocketlessScheme(async (context) => {
      const answer = await context.requestCredentials({
        scheme: "x-made",
        host: "h",
        port: 1,
        requestedSecret: "password",
      });
      context.trace({ action: "receive", text: "x" });
      throw new AccessError("unavailable", answer?.user ?? "no answer");
    }, CREDENTIAL_SERVER);
    const other = createClient({
      schemes: [asking],
      credentials: () => ({ user: "client", password: "1" }),
      trace: () => seen.push("client"),
    });
    const message = async (options: object): Promise<string> =>
      (await catchAccessError(other.dereference("x-made:a", options))).reason;
    expect(await message({})).toBe("client");
    expect(await message({ credentials: undefined, trace: undefined })).toBe("client");
    const call = {
      credentials: () => ({ user: "call", password: "2" }),
      trace: () => seen.push("call"),
    };
    expect(await message(call)).toBe("call");
    expect(seen).toEqual(["client", "client", "call"]);
  });
});
