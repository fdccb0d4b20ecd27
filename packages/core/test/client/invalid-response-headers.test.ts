import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { createPlan } from "../../src/scheme/plan.ts";
import type { Scheme } from "../../src/scheme/scheme.ts";
import { createContentFromText, createClientReturning, createSocketlessScheme } from "./test-schemes.ts";

const modifiedDate = new Date(Date.UTC(1994, 10, 6, 8, 49, 37));

describe("invalid response headers from a scheme", () => {
  const BAD = [
    "text/plain\r\nset-cookie: a=b",
    "text/plain\n",
    "text/\0plain",
    "text/\u0100",
    5,
  ] as unknown as string[];

  it.each(BAD)(
    "the client rejects a content with the invalid media type %j and cancels its source",
    async (mediaType) => {
      let cancelled = false;
      const source = {
        readChunks: () => Promise.resolve("end" as const),
        cancel: () => void (cancelled = true),
      };
      const client = createClientReturning((context) => context.createContent({ source, mediaType }));
      await expect(client.dereference("x-made:a")).rejects.toMatchObject({ code: "plugin" });
      expect(cancelled).toBe(true);
    },
  );

  it("the client rejects a stat result with an invalid media type", async () => {
    const scheme: Scheme = {
      ...createSocketlessScheme(() => Promise.reject(new Error("not asked"))),
      operations: {
        stat: {
          plan: (url) => createPlan(url, []),
          perform: () =>
            Promise.resolve({ kind: "content", size: 1, modified: modifiedDate, mediaType: "a/b\r\nx: y" }),
        },
      },
    };
    await expect(createClient({ schemes: [scheme] }).stat("x-made:a")).rejects.toMatchObject({
      code: "plugin",
    });
  });

  it.each([
    ["a field's value", { status: 200, statusText: "", headers: [["x-a", "b\r\nset-cookie: c"]] }],
    ["the name of a header field", { status: 200, statusText: "", headers: [["x a", "b"]] }],
    ["the reason phrase", { status: 200, statusText: "OK\r\nset-cookie: c", headers: [] }],
  ] as const)("toResponse rejects a response head with invalid characters in %s", async (_, head) => {
    const client = createClientReturning((context) =>
      createContentFromText(context, "hello", { response: () => head }),
    );
    const resource = (await client.dereference("x-made:a")) as unknown as {
      toResponse(): Response;
      close(): Promise<void>;
    };
    expect(() => resource.toResponse()).toThrow(expect.objectContaining({ code: "plugin" }) as Error);
    await resource.close();
  });

  it.each(["text/plain; charset=utf-8", 'text/plain;\tname="\u00e9"', ""])(
    "the client accepts a content with the media type %j",
    async (mediaType) => {
      const client = createClientReturning((context) =>
        createContentFromText(context, "hello", { mediaType }),
      );
      expect(await client.dereference("x-made:a")).toMatchObject({ mediaType });
    },
  );
});
