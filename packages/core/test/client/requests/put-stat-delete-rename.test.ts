import { describe, expect, expectTypeOf, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { createPlan, createStep } from "../../../src/scheme/plan.ts";
import { anyAddress } from "../../../src/policy/policy.ts";
import type {
  SchemeOperationImplementation,
  OptionalSchemeOperations,
  OperationResult,
  Stat,
  UploadBody,
  PutResult,
} from "../../../src/scheme/operation.ts";
import type { Scheme } from "../../../src/scheme/scheme.ts";
import { createGenericSyntax, type GenericUrl } from "../../../src/syntax/index.ts";
import { catchAccessError } from "../../catch-access-error.ts";
import { createSocketlessScheme } from "../test-schemes.ts";

type StoreUrl = GenericUrl<"x-store">;

/** Creates a scheme that stores bytes under names, and records each put, delete and rename. */
function createStoreScheme(): Scheme<StoreUrl> & { readonly done: string[] } {
  const store = new Map<string, Buffer>();
  const done: string[] = [];
  function operation<A extends object, R extends OperationResult>(
    name: string,
    perform: SchemeOperationImplementation<StoreUrl, object, A, R>["perform"],
  ): SchemeOperationImplementation<StoreUrl, object, A, R> {
    return {
      plan: (url) => createPlan(url, [createStep("open", "2", `${name} ${url.schemePart}`)]),
      perform,
    };
  }
  const operations: OptionalSchemeOperations<StoreUrl> = {
    stat: operation("stat", ({ url }, context) => {
      if (url.schemePart === "moved") return context.redirectTo(context.parse("x-store:a"));
      const found = store.get(url.schemePart);
      return Promise.resolve({
        kind: found ? "content" : "unknown",
        size: found?.length,
        modified: undefined,
        mediaType: undefined,
      });
    }),
    put: operation("put", async ({ url }, _, { upload, offset: at, mediaType }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of upload.chunks) pieces.push(piece);
      const whole = Buffer.concat(pieces);
      done.push(`put ${url.schemePart} ${whole.toString()} ${upload.size} ${at} ${mediaType}`);
      store.set(url.schemePart, whole);
      return { bytesWritten: whole.length };
    }),
    delete: operation("delete", ({ url }) => {
      done.push(`delete ${url.schemePart} ${store.delete(url.schemePart)}`);
      return Promise.resolve({});
    }),
    rename: operation("rename", ({ url }, _, { to }) => {
      done.push(`rename ${url.schemePart} ${String(to)}`);
      return Promise.resolve({});
    }),
  };
  return {
    name: "x-store",
    syntax: createGenericSyntax({ schemes: ["x-store"] }),
    plan: (url) => createPlan(url, [createStep("open", "2", "get")]),
    access: () => Promise.reject(new Error("nobody reads here")),
    operations,
    done,
  };
}

async function* generatePieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

const UPLOAD_BODY_CASES: readonly [string, UploadBody, number | undefined][] = [
  ["text", "déjà", 6],
  ["bytes", Buffer.from("déjà"), 6],
  ["a blob", new Blob(["déjà"]), 6],
  ["a web stream", new Blob(["déjà"]).stream(), undefined],
  ["an async iterable", generatePieces("dé", "jà"), undefined],
  ["an iterable", [Buffer.from("dé"), Buffer.from("jà")], undefined],
];

describe("the operations of a client besides dereference", () => {
  it.each(UPLOAD_BODY_CASES)("client.put accepts %s as a body", async (_, body, size) => {
    const scheme = createStoreScheme();
    const client = createClient({ schemes: [scheme] });
    const written = await client.put("x-store:a", body);
    expectTypeOf(written).toEqualTypeOf<PutResult>();
    expect(written).toMatchObject({ bytesWritten: 6, redirectChain: [] });
    expect(String(written.url)).toBe("x-store:a");
    expect(scheme.done).toEqual([`put a déjà ${size} undefined undefined`]);
  });

  it("client.put passes mediaType, size and offset to the scheme", async () => {
    const scheme = createStoreScheme();
    await createClient({ schemes: [scheme] }).put("x-store:a", generatePieces("x"), {
      offset: "end",
      mediaType: "text/plain",
      size: 1,
    });
    expect(scheme.done).toEqual(["put a x 1 end text/plain"]);
  });

  it("client.put uploads all bytes of a large array", async () => {
    const large = new Uint8Array(600_000);
    const scheme = createStoreScheme();
    expect(await createClient({ schemes: [scheme] }).put("x-store:a", large)).toMatchObject({
      bytesWritten: 600_000,
    });
  });

  it("client.stat, delete and rename perform the operation of the scheme, and stat returns its plan", async () => {
    const scheme = createStoreScheme();
    const client = createClient({ schemes: [scheme] });
    await client.put("x-store:a", "abc");
    const stat = await client.stat("x-store:a");
    expectTypeOf(stat).toEqualTypeOf<Stat>();
    expect(stat).toMatchObject({ kind: "content", size: 3 });
    expect(stat.plan.steps.map(({ description: text }) => text)).toEqual(["stat a"]);
    await client.rename("x-store:a", "x-store:b");
    await client.delete("x-store:a");
    expect(scheme.done.slice(1)).toEqual(["rename a x-store:b", "delete a true"]);
  });

  it("a redirect continues with the same operation", async () => {
    const client = createClient({
      schemes: [createStoreScheme()],
      policy: anyAddress({ allowSchemeRedirects: { "x-store": ["x-store"] } }),
    });
    await client.put("x-store:a", "abc");
    const stat = await client.stat("x-store:moved");
    expect(stat).toMatchObject({ kind: "content", size: 3 });
    expect(String(stat.url)).toBe("x-store:a");
    expect(stat.redirectChain.map(({ fromUrl }) => String(fromUrl))).toEqual(["x-store:moved"]);
  });

  it("client.plan plans an operation without performing the operation", () => {
    const scheme = createStoreScheme();
    const plan = createClient({ schemes: [scheme] }).plan("x-store:a", { operation: "delete" });
    expect(plan.steps.map(({ description: text }) => text)).toEqual(["delete a"]);
    expect(scheme.done).toEqual([]);
  });

  it.each([
    ["mkdir", "x-store:a", "make directory"],
    ["stat", "x-made:a", "stat"],
    ["delete", "x-made:a", "delete"],
  ] as const)(
    "client.%s of %s is rejected with unsupported when the scheme lacks the operation",
    async (name, url, said) => {
      const made = createSocketlessScheme(() => Promise.reject(new Error("not this")));
      const client = createClient({ schemes: [createStoreScheme(), made] });
      const failure = await catchAccessError(client[name](url));
      expect(failure.code).toBe("unsupported");
      expect(failure.message).toContain(`: ${said} ${url}`);
    },
  );
});

describe("the option range", () => {
  it("the option range is rejected by a scheme that does not support ranges", async () => {
    const client = createClient({ schemes: [createStoreScheme()] });
    const failure = await catchAccessError(client.dereference("x-store:a", { range: { start: 1 } }));
    expect(failure.code).toBe("unsupported");
  });

  it.each([
    { start: -1 },
    { start: 0.5 },
    { start: 3, endExclusive: 3 },
    { start: 0, endExclusive: Number.NaN },
  ])("the option range rejects the value %j", (range) => {
    const client = createClient({ schemes: [createStoreScheme()] });
    expect(() => client.plan("x-store:a", { range })).toThrow(TypeError);
  });
});
