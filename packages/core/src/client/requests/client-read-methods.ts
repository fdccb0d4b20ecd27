import { AccessError } from "../../errors/access-error.ts";
import type { Content } from "../../resources/content.ts";
import type { Directory } from "../../resources/directory.ts";
import type { ContentResource, DirectoryEntry, Resource } from "../../scheme/resource.ts";
import type { UrlInput } from "../types-inferred-from-url.ts";
import type { DereferenceOptions } from "../options.ts";

type Dereference = (input: UrlInput, options: DereferenceOptions) => Promise<Resource>;

export interface ClientReadMethods {
  text(input: UrlInput, options?: DereferenceOptions): Promise<string>;
  json(input: UrlInput, options?: DereferenceOptions): Promise<unknown>;
  bytes(input: UrlInput, options?: DereferenceOptions): Promise<Uint8Array>;
  list(input: UrlInput, options?: DereferenceOptions): AsyncGenerator<DirectoryEntry, void>;
}

/** Creates the methods `text`, `json`, `bytes` and `list`, which read a whole resource and close it. */
export function createClientReadMethods(
  dereference: Dereference,
  clientRetry: DereferenceOptions["retry"],
): ClientReadMethods {
  // An empty object as `retry` enables retries with the defaults of all settings.
  const open = (input: UrlInput, options: DereferenceOptions): Promise<Resource> =>
    dereference(input, { ...options, retry: options.retry ?? clientRetry ?? {} });

  async function read<T>(
    method: string,
    input: UrlInput,
    options: DereferenceOptions,
    collect: (content: ContentResource) => Promise<T>,
  ): Promise<T> {
    await using resource = await open(input, options);
    if (resource.kind !== "content") throw createKindError(method, "content", resource);
    // The content and directory resources of a client are instances of `Content` and `Directory`, because only the
    // access context creates them.
    (resource as Content).applyCallTimeout();
    return await collect(resource);
  }

  return {
    text: (input, options = {}) => read("text", input, options, (content) => content.text()),
    json: (input, options = {}) => read("json", input, options, (content) => content.json()),
    bytes: (input, options = {}) => read("bytes", input, options, (content) => content.bytes()),
    async *list(input, options = {}) {
      await using resource = await open(input, options);
      if (resource.kind !== "directory") throw createKindError("list", "directory", resource);
      (resource as Directory<DirectoryEntry>).applyCallTimeout();
      yield* resource;
      if ((await resource.completeness) === "truncated")
        throw new AccessError("incomplete", "the server omitted entries of the directory").withContext({
          operationName: "list",
          url: String(resource.url),
        });
    },
  };
}

const METHODS_BY_KIND: Readonly<Partial<Record<Resource["kind"], string>>> = {
  content: "client.text(), client.json() or client.bytes()",
  directory: "client.list()",
};

const NAMES_BY_KIND: Readonly<Record<Resource["kind"], string>> = {
  content: "content",
  directory: "a directory",
  form: "a form",
  service: "a service",
  mailbox: "a mailbox",
  "not-modified": "content that has not been modified",
};

function createKindError(
  method: string,
  expectedKind: "content" | "directory",
  { kind, url }: Resource,
): AccessError {
  const code = expectedKind === "content" ? "no-content" : "unsupported";
  const reason = `the URL names ${NAMES_BY_KIND[kind]}, and ${method} reads ${NAMES_BY_KIND[expectedKind]}`;
  const advice = `use ${METHODS_BY_KIND[kind] ?? "client.dereference()"}`;
  return new AccessError(code, reason, { advice }).withContext({ operationName: method, url: String(url) });
}
