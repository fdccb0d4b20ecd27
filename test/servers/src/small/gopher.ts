import type { Socket } from "node:net";
import type { Files } from "../throwaway-directory.ts";
import { createFileTree, joinPath, resolvePath, type FileTree } from "./file-tree.ts";
import { gopherType, textTypes } from "./gopher-types.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { listenOnLoopback, smallServer, type SmallServer } from "./loopback-listener.ts";

/** Options of the small Gopher server. */
export interface SmallGopherOptions {
  /** The files. Their paths are the selectors. */
  readonly files: Files;
}

/** The selector of a search that compares only names. */
const searchSelector = "/search";

/** The maximum length of a request. RFC 1436 limits selectors to 255 characters; a search string may follow. */
const maxRequestBytes = 1024;

/** Starts a Gopher server (RFC 1436) with menus from the tree and a search over its names. */
export async function startSmallGopher({ files }: SmallGopherOptions): Promise<SmallServer> {
  const tree = createFileTree(files);
  const transcript: string[] = [];
  const listener = await listenOnLoopback((socket) => {
    const lines = createLineSplitter(maxRequestBytes);
    socket.on("data", (bytes) => {
      const [request] = lines.push(bytes);
      if (request === undefined && !lines.overflowed) return;
      socket.pause(); // one request per connection
      if (request !== undefined) transcript.push(request);
      socket.end(
        request === undefined ? errorMenu("the request is too long") : respond(tree, request, socket),
      );
    });
  });
  return smallServer(listener, transcript);
}

function respond(tree: FileTree, request: string, { localPort = 0 }: Socket): string | Buffer {
  const [selector = "", words] = request.split("\t");
  if (selector === searchSelector) return menu(tree, matchingPaths(tree, words ?? ""), localPort);
  const path = resolvePath("/", selector);
  const node = tree.find(path);
  if (node === undefined) return errorMenu(`'${selector}' does not exist`);
  if (node.kind === "file") {
    return textTypes.has(gopherType(path, node)) ? text(node.content) : node.content;
  }
  const search = path === "/" ? [item("7", "Search the names", searchSelector, localPort)] : [];
  const children = node.names.map((name) => joinPath(path, name));
  return menu(tree, children, localPort, search);
}

function matchingPaths(tree: FileTree, words: string): string[] {
  const wanted = words.toLowerCase().split(/[ +]+/).filter(Boolean);
  return tree.paths.filter(
    (path) => wanted.length > 0 && wanted.every((word) => path.toLowerCase().includes(word)),
  );
}

function item(type: string, display: string, selector: string, port: number): string {
  return `${type}${display}\t${selector}\t127.0.0.1\t${port}\r\n`;
}

function menu(tree: FileTree, paths: readonly string[], port: number, more: readonly string[] = []): string {
  const items = paths.flatMap((path) => {
    const node = tree.find(path);
    const name = path.slice(path.lastIndexOf("/") + 1);
    return node === undefined ? [] : [item(gopherType(path, node), name, path, port)];
  });
  return `${[...items, ...more].join("")}.\r\n`;
}

function errorMenu(message: string): string {
  return `3${message}\t\terror.host\t1\r\n.\r\n`;
}

/** Ends lines with CRLF. Doubles a leading dot, since a lone dot ends the text. */
function text(content: Buffer): Buffer {
  const lines = content
    .toString("latin1")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
  const stuffed = lines.map((line) => (line.startsWith(".") ? `.${line}` : line));
  return Buffer.from(`${stuffed.join("\r\n")}\r\n.\r\n`, "latin1");
}
