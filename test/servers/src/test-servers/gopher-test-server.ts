import type { Socket } from "node:net";
import type { ServedFiles } from "../temporary-directory.ts";
import { createInMemoryFileTree, joinPath, resolvePath, type ServedFileTree } from "./file-tree.ts";
import { guessGopherItemType, textItemTypes } from "./gopher-item-types.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { listenOnLoopback, wrapListenerAsTestServer, type TestServer } from "./loopback-listener.ts";

/** Options of the Gopher test server. */
export interface GopherTestServerOptions {
  /** The files that the Gopher server serves. The path of each file is its Gopher selector. */
  readonly files: ServedFiles;
}

/** The selector of the Gopher search item. The search compares only the paths of files and folders. */
const searchSelector = "/search";

/**
 * The maximum length of a Gopher request in bytes. A selector has at most 255 characters (RFC 1436), and a search
 * string may follow.
 */
const maxRequestBytes = 1024;

/**
 * Starts a Gopher server (RFC 1436) for files in memory, with a menu for each folder and a search over paths.
 */
export async function startGopherTestServer({ files }: GopherTestServerOptions): Promise<TestServer> {
  const tree = createInMemoryFileTree(files);
  const receivedLines: string[] = [];
  const listener = await listenOnLoopback((socket) => {
    const lines = createLineSplitter(maxRequestBytes);
    socket.on("data", (bytes) => {
      const [request] = lines.addBytes(bytes);
      if (request === undefined && !lines.exceededLineLimit) return;
      socket.pause(); // one request per connection
      if (request !== undefined) receivedLines.push(request);
      socket.end(
        request === undefined
          ? formatErrorMenu("the request is too long")
          : respondToGopherRequest(tree, request, socket),
      );
    });
  });
  return wrapListenerAsTestServer(listener, receivedLines);
}

function respondToGopherRequest(
  tree: ServedFileTree,
  request: string,
  { localPort = 0 }: Socket,
): string | Buffer {
  const [selector = "", words] = request.split("\t");
  if (selector === searchSelector) return formatMenu(tree, findMatchingPaths(tree, words ?? ""), localPort);
  const path = resolvePath("/", selector);
  const node = tree.findNode(path);
  if (node === undefined) return formatErrorMenu(`'${selector}' does not exist`);
  if (node.kind === "file") {
    return textItemTypes.has(guessGopherItemType(path, node)) ? formatTextItem(node.content) : node.content;
  }
  const search = path === "/" ? [formatMenuItem("7", "Search the names", searchSelector, localPort)] : [];
  const children = node.childNames.map((name) => joinPath(path, name));
  return formatMenu(tree, children, localPort, search);
}

function findMatchingPaths(tree: ServedFileTree, words: string): string[] {
  const wanted = words.toLowerCase().split(/[ +]+/).filter(Boolean);
  return tree.paths.filter(
    (path) => wanted.length > 0 && wanted.every((word) => path.toLowerCase().includes(word)),
  );
}

function formatMenuItem(type: string, display: string, selector: string, port: number): string {
  return `${type}${display}\t${selector}\t127.0.0.1\t${port}\r\n`;
}

function formatMenu(
  tree: ServedFileTree,
  paths: readonly string[],
  port: number,
  more: readonly string[] = [],
): string {
  const items = paths.flatMap((path) => {
    const node = tree.findNode(path);
    const name = path.slice(path.lastIndexOf("/") + 1);
    return node === undefined ? [] : [formatMenuItem(guessGopherItemType(path, node), name, path, port)];
  });
  return `${[...items, ...more].join("")}.\r\n`;
}

function formatErrorMenu(message: string): string {
  return `3${message}\t\terror.host\t1\r\n.\r\n`;
}

/** Returns a text with CRLF line ends. Doubles leading dots, since a line with one dot ends the text. */
function formatTextItem(content: Buffer): Buffer {
  const lines = content
    .toString("latin1")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
  const stuffed = lines.map((line) => (line.startsWith(".") ? `.${line}` : line));
  return Buffer.from(`${stuffed.join("\r\n")}\r\n.\r\n`, "latin1");
}
