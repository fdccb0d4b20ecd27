import { AccessError, toAccessError } from "../errors/access-error.ts";
import { getFirstInvalidHeaderCharacter } from "../text/http-syntax.ts";
import type { Stat } from "../scheme/operation.ts";
import type { ContentResource, DirectoryEntry, Resource } from "../scheme/resource.ts";
import type { AccessErrorToFetchConverter } from "../client/fetch/create-fetch-response.ts";
import type { ResponseHead } from "../scheme/context.ts";

type ResponseInit = NonNullable<ConstructorParameters<typeof Response>[1]>;

/** Statuses of responses that have no body. <https://fetch.spec.whatwg.org/#null-body-status> */
const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * The media type of a directory's response body, which has a line of JSON for each entry.
 * <https://github.com/ndjson/ndjson-spec>
 */
const JSON_LINES_MEDIA_TYPE = "application/x-ndjson";

/**
 * Converts a content resource to a `Response`. Throws `protocol` for a status that the Fetch standard forbids, and
 * `plugin` for an invalid header field or reason phrase. `body` replaces the stream of the content. If `body` is `null`
 * or the status allows no body, the function closes the content.
 */
export function contentToResponse(
  content: ContentResource,
  head: ResponseHead = createResponseHeadFromContent(content),
  body?: Uint8Array | null,
): Response {
  const init = createResponseInitFromHead(head);
  if (body !== null && statusAllowsBody(head.status)) return new Response(body ?? content.body, init);
  void content.close();
  return new Response(null, init);
}

export function statusAllowsBody(status: number): boolean {
  return !STATUSES_WITHOUT_BODY.has(status);
}

/**
 * Converts a resource of another kind than content to a `Response`. Throws `no-content` for a kind of resource without
 * content, such as a form.
 */
export function directoryOrNotModifiedToResponse(
  resource: Exclude<Resource, ContentResource>,
  mapBodyError: AccessErrorToFetchConverter,
): Response {
  if (resource.kind === "not-modified")
    return new Response(null, { status: 304, headers: createMetadataHeaders(resource) });
  if (resource.kind !== "directory")
    throw new AccessError("no-content", `the URL leads to a ${resource.kind}, which has no content`);
  const lines = yieldEntriesAsJsonLines(resource);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await lines.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        throw mapBodyError(toAccessError(error));
      }
    },
    async cancel() {
      await resource.close();
    },
  });
  return new Response(body, { headers: { "content-type": JSON_LINES_MEDIA_TYPE } });
}

/**
 * Returns the options of the `Response` constructor for the head of a response. Throws as {@link contentToResponse}
 * does.
 */
export function createResponseInitFromHead({
  status,
  statusText,
  headers: fields,
}: ResponseHead): ResponseInit {
  if (status < 200 || status > 599)
    throw new AccessError(
      "protocol",
      `the Fetch standard does not allow a response with the status ${status}`,
    );
  const headers = new Headers();
  if (getFirstInvalidHeaderCharacter(statusText) !== undefined) throw createInvalidResponseHeadError();
  try {
    for (const [name, value] of fields) headers.append(name, value);
  } catch (cause) {
    throw createInvalidResponseHeadError(cause);
  }
  return { status, statusText, headers };
}

function createInvalidResponseHeadError(cause?: unknown): AccessError {
  const what = "the response has an invalid header field or reason phrase";
  return new AccessError("plugin", what, { cause });
}

/** Returns the head of a response for content whose server sends none. */
export function createResponseHeadFromContent(content: ContentResource): ResponseHead {
  return { status: 200, statusText: "", headers: createMetadataHeaders(content) };
}

export function createMetadataHeaders({
  mediaType,
  size,
  modified,
}: Partial<Pick<Stat, "mediaType" | "size" | "modified">>): [string, string][] {
  const headers: [string, string][] = [];
  if (mediaType !== undefined) headers.push(["content-type", mediaType]);
  if (size !== undefined) headers.push(["content-length", String(size)]);
  if (modified) headers.push(["last-modified", modified.toUTCString()]);
  return headers;
}

/** Yields a line of JSON for each directory entry. Passwords in the URLs of entries are masked. */
async function* yieldEntriesAsJsonLines(entries: AsyncIterable<DirectoryEntry>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const { name, url, kind, size, modified } of entries)
    yield encoder.encode(`${JSON.stringify({ name, url, kind, size, modified })}\n`);
}
