import { createHash } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AccessError } from "../../src/access-error.ts";
import { createClient } from "../../src/client/client.ts";
import { TRANSCRIPT_CHANNEL, type TranscriptEvent } from "../../src/client/transcript.ts";
import { trusted } from "../../src/guard/policy.ts";
import type { Scheme } from "../../src/scheme.ts";
import { startScriptedServer } from "../../src/testing/index.ts";
import { exchange, linesOf } from "../../src/wire/index.ts";
import { failureOf } from "../failure.ts";
import { lineScheme, madeScheme } from "./schemes.ts";

const line = lineScheme("x-line");

describe("the transcript, and secrets", () => {
  it("tells what happened, in order", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await peer.line();
      peer.send("12345");
    });
    const events: TranscriptEvent[] = [];
    const other = createClient({
      schemes: [line],
      policy: trusted(),
      resolver: () => Promise.resolve(["127.0.0.1"]),
      transcript: (event) => events.push(event),
    });
    const resource = await other.dereference(`x-line://name.example:${server.port}/p` as const);
    await resource.bytes();
    expect(events.map(({ action, text }) => `${action}: ${text}`)).toEqual([
      "resolve: name.example is 127.0.0.1",
      `connect: 127.0.0.1 port ${server.port}`,
      "send: asks for p",
      `transfer: 5 octets, SHA-256 ${createHash("sha256").update("12345").digest("hex")}`,
    ]);
    expect(events.map(({ step }) => step?.action)).toEqual(["connect", "connect", "send", "transfer"]);
    const times = events.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it("is published on a diagnostics channel too, without an option", async () => {
    await using server = await startScriptedServer((peer) => peer.send("12345"));
    const events: TranscriptEvent[] = [];
    const listen = (event: unknown): void => void events.push(event as TranscriptEvent);
    subscribe(TRANSCRIPT_CHANNEL, listen);
    try {
      const other = createClient({ schemes: [line], policy: trusted() });
      await (await other.dereference(`x-line://u:needle@127.0.0.1:${server.port}/p` as const)).bytes();
    } finally {
      unsubscribe(TRANSCRIPT_CHANNEL, listen);
    }
    expect(events.map(({ action }) => action)).toEqual(["connect", "send", "transfer"]);
    expect(inspect(events, { depth: 9, showHidden: true })).not.toContain("needle");
  });

  it("nothing shows the password, in whatever spelling the server repeats it", async () => {
    const password = "n%65edle/é";
    const spellings = [
      "needle/é",
      encodeURIComponent("needle/é"),
      Buffer.from("user:needle/é").toString("base64"),
    ];
    await using server = await startScriptedServer(async (peer) => {
      await peer.line();
      peer.send(Buffer.from(`530 not you: ${spellings.join(" ")}\r\n`));
    });
    const events: TranscriptEvent[] = [];
    const echo: Scheme = {
      ...line,
      async access(plan, context) {
        for await (const octets of linesOf(
          await exchange(plan, context),
          context.limits,
          "maxListingLineBytes",
        )) {
          const text = Buffer.from(octets).toString();
          context.trace({ action: "receive", text });
          throw new AccessError("needs-credentials", text, { cause: new Error(text), advice: text });
        }
        throw new Error("no answer");
      },
    };
    const other = createClient({
      schemes: [echo],
      policy: trusted(),
      transcript: (event) => events.push(event),
    });
    const written = password.replace("/", "%2F").replace("é", "%C3%A9");
    const error = await failureOf(other.dereference(`x-line://user:${written}@127.0.0.1:${server.port}/p`));
    expect(error.code).toBe("needs-credentials");
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

  it("nothing shows what the caller answered, or what the scheme masks", async () => {
    const events: TranscriptEvent[] = [];
    const questions: unknown[] = [];
    const asking = madeScheme(async (context) => {
      const question = { scheme: "x-made", host: "h", port: 1, wants: "password" } as const;
      const answer = await context.credentials(question);
      context.mask("another secret");
      context.trace({ action: "receive", text: `hello ${answer?.password} and another secret` });
      throw new Error(`no ${answer?.password}`);
    });
    const other = createClient({
      schemes: [asking],
      transcript: (event) => events.push(event),
      credentials: (question) => {
        questions.push(question);
        return { password: "needle" };
      },
    });
    const error = await failureOf(other.dereference("x-made:a"));
    expect(error.message).toBe("a scheme or a callback threw: no ****: dereference x-made:a");
    expect(inspect(error)).not.toContain("needle");
    expect(events.map(({ text }) => text)).toEqual(["hello **** and ****"]);
    expect(questions).toEqual([{ scheme: "x-made", host: "h", port: 1, wants: "password" }]);
  });

  it("what the call says comes before what the client says", async () => {
    const seen: string[] = [];
    const asking = madeScheme(async (context) => {
      const answer = await context.credentials({ scheme: "x-made", host: "h", port: 1, wants: "password" });
      context.trace({ action: "receive", text: "x" });
      throw new AccessError("unavailable", answer?.user ?? "no answer");
    });
    const other = createClient({
      schemes: [asking],
      credentials: () => ({ user: "client", password: "1" }),
      transcript: () => seen.push("client"),
    });
    const message = async (options: object): Promise<string> =>
      (await failureOf(other.dereference("x-made:a", options))).what;
    expect(await message({})).toBe("client");
    expect(await message({ credentials: undefined, transcript: undefined })).toBe("client");
    const call = {
      credentials: () => ({ user: "call", password: "2" }),
      transcript: () => seen.push("call"),
    };
    expect(await message(call)).toBe("call");
    expect(seen).toEqual(["client", "client", "call"]);
  });
});
