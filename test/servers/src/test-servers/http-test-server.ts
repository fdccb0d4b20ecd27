import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import { extname } from "node:path";
import type { ServedFiles } from "../temporary-directory.ts";
import { createInMemoryFileTree, type ServedFileTree } from "./file-tree.ts";
import { parseHttpRange } from "./parse-http-range.ts";
import { listenOnFreeLoopbackPort, wrapListenerAsTestServer, type TestServer } from "./loopback-listener.ts";

/** The status and the target of an HTTP redirect. */
export interface TestServerRedirect {
  readonly status: 301 | 302 | 303 | 307 | 308;
  /** The value of the redirect's Location header field. */
  readonly location: string;
}

/** Options of the HTTP test server. */
export interface HttpTestServerOptions {
  /** The files that the HTTP server serves. The response for a folder is the file `index.html` in the folder. */
  readonly files: ServedFiles;
  /** The HTTP redirects of the server, by path. Default none. */
  readonly redirects?: Readonly<Record<string, TestServerRedirect>>;
  /** The modification time of every file on the HTTP server. Default 2026-01-01T00:00:00Z. */
  readonly modifiedAt?: Date;
}

/** The status, the headers and the body of a response that the server is about to send. */
interface PreparedResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

interface HttpServerState {
  readonly tree: ServedFileTree;
  readonly redirects: ReadonlyMap<string, TestServerRedirect>;
  readonly modified: Date;
}

const mediaTypeBySuffix: Readonly<Record<string, string>> = {
  ".txt": "text/plain; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".json": "application/json",
  ".gif": "image/gif",
  ".png": "image/png",
};

/** Starts an HTTP/1.1 server for files in memory, with ranges, conditional requests and redirects. */
export async function startHttpFileTestServer(options: HttpTestServerOptions): Promise<TestServer> {
  const serverState: HttpServerState = {
    tree: createInMemoryFileTree(options.files),
    redirects: new Map(Object.entries(options.redirects ?? {})),
    modified: options.modifiedAt ?? new Date(Date.UTC(2026, 0, 1)),
  };
  const receivedLines: string[] = [];
  const server = createServer((request, response) => {
    receivedLines.push(...listReceivedLines(request));
    sendResponse(response, createHttpResponse(serverState, request));
  });
  return wrapListenerAsTestServer(await listenOnFreeLoopbackPort(server), receivedLines);
}

/** Returns the request line and the header fields of a request as the client sent them. */
function listReceivedLines({ method, url, httpVersion, rawHeaders }: IncomingMessage): string[] {
  const fields = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  );
  return [`${method} ${url} HTTP/${httpVersion}`, ...fields];
}

function createHttpResponse(serverState: HttpServerState, request: IncomingMessage): PreparedResponse {
  if (request.method !== "GET" && request.method !== "HEAD")
    return createStatusResponse(405, { allow: "GET, HEAD" });
  const path = decodeRequestPath(request.url ?? "/");
  if (path === undefined) return createStatusResponse(400);
  const redirect = serverState.redirects.get(path);
  if (redirect !== undefined) return createStatusResponse(redirect.status, { location: redirect.location });
  const node = serverState.tree.findNode(path.replace(/(?<=.)\/$/, ""));
  if (node?.kind === "folder" && !path.endsWith("/"))
    return createStatusResponse(301, { location: `${path}/` });
  const filePath = path.endsWith("/") ? `${path}index.html` : path;
  const file = serverState.tree.findNode(filePath);
  return file?.kind === "file"
    ? createFileResponse(serverState, request, filePath, file.content)
    : createStatusResponse(404);
}

function createFileResponse(
  { modified }: HttpServerState,
  { headers }: IncomingMessage,
  path: string,
  content: Buffer,
): PreparedResponse {
  const since = Date.parse(headers["if-modified-since"] ?? "");
  const common = { "last-modified": modified.toUTCString(), "accept-ranges": "bytes" };
  if (modified.getTime() <= since) return { status: 304, headers: common, body: Buffer.alloc(0) };
  const range = parseHttpRange(headers.range, content.length);
  if (range === "unsatisfiable")
    return createStatusResponse(416, { "content-range": `bytes */${content.length}` });
  const typed = { ...common, "content-type": mediaTypeBySuffix[extname(path)] ?? "application/octet-stream" };
  if (range === undefined) return { status: 200, headers: typed, body: content };
  const { first, last } = range;
  return {
    status: 206,
    headers: { ...typed, "content-range": `bytes ${first}-${last}/${content.length}` },
    body: content.subarray(first, last + 1),
  };
}

function createStatusResponse(status: number, headers: OutgoingHttpHeaders = {}): PreparedResponse {
  return { status, headers: { ...headers, "content-type": "text/plain" }, body: Buffer.from(`${status}\n`) };
}

function sendResponse(response: ServerResponse, { status, headers, body }: PreparedResponse): void {
  const length = status === 304 ? {} : { "content-length": body.length };
  response.writeHead(status, { ...headers, ...length });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

/** Returns the decoded path of a request target in origin or absolute form, or undefined for invalid UTF-8. */
function decodeRequestPath(target: string): string | undefined {
  const [path = ""] = target.replace(/^https?:\/\/[^/?]*/i, "").split("?", 1);
  try {
    return path === "" ? "/" : decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
