import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Scheme, anyAddress } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { file, news, nntp, prospero, wais } from "@anyscheme/scheme-others";
import {
  startSmallFtp,
  startSmallGopher,
  startSmallHttp,
  startSmallNntp,
  startSmallProspero,
  startSmallWais,
} from "@anyscheme/servers";

/** One scheme with something to dereference, for the length of a test. */
export interface Served {
  readonly scheme: Scheme;
  /** A URL of content. */
  readonly url: string;
  /** Ports that the guard has to be told of. */
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

const TEXT = "Some bytes, more than a line.\n".repeat(100);
const files = { "pub/text.txt": TEXT };

const ARTICLE = [
  "From: a@h.example",
  "Subject: a subject",
  "Newsgroups: misc.test",
  "Message-ID: <one@h.example>",
  "Date: Sat, 21 Nov 2026 12:00:00 +0000",
  "",
  TEXT,
].join("\r\n");

/** Every scheme that gives content, each with a server of its own where it needs one. */
export const SERVED: Readonly<Record<string, () => Promise<Served>>> = {
  async ftp() {
    const server = await startSmallFtp({ files });
    return of(ftp(), server, `ftp://localhost:${server.port}/pub/text.txt;type=i`);
  },
  async http() {
    const server = await startSmallHttp({ files });
    return of(http(), server, `http://localhost:${server.port}/pub/text.txt`);
  },
  async gopher() {
    const server = await startSmallGopher({ files });
    return of(gopher(), server, `gopher://localhost:${server.port}/0/pub/text.txt`);
  },
  async nntp() {
    const server = await startSmallNntp({ groups: { "misc.test": { articles: [ARTICLE] } } });
    return of(nntp(), server, `nntp://localhost:${server.port}/misc.test/1`);
  },
  async news() {
    const server = await startSmallNntp({ groups: { "misc.test": { articles: [ARTICLE] } } });
    const scheme = news({ servers: [`localhost:${server.port}`] });
    return of(scheme, server, "news:one@h.example");
  },
  async wais() {
    const document = { headline: "A text", localId: "0 0 /text", contents: { TEXT } };
    const server = await startSmallWais({ databases: [{ name: "db", documents: [document] }] });
    const url = `wais://localhost:${server.port}/db?bytes`;
    return { ...of(wais(), server, url), url: await firstHit(wais(), server.port, url) };
  },
  async prospero() {
    const server = await startSmallProspero({ objects: { "/docs/text.txt": TEXT } });
    return of(prospero(), server, `prospero://localhost:${server.port}//docs/text.txt`);
  },
  async file() {
    const root = await mkdtemp(join(tmpdir(), "anyscheme-"));
    await writeFile(join(root, "text.txt"), TEXT);
    const stop = (): Promise<void> => rm(root, { recursive: true });
    return { scheme: file({ root }), url: "file:///text.txt", ports: [], stop };
  },
};

interface Server {
  readonly port: number;
  stop(): Promise<void>;
}

function of(scheme: Scheme, server: Server, url: string): Served {
  return { scheme, url, ports: [server.port], stop: () => server.stop() };
}

async function firstHit(scheme: Scheme, port: number, url: string): Promise<string> {
  await using client = createClient({
    schemes: [scheme],
    policy: anyAddress({ allowPorts: { wais: [port] } }),
  });
  const resource = await client.dereference(url);
  if (resource.kind === "directory") for await (const hit of resource) if (hit.url) return hit.url.href;
  throw new Error("the search found nothing");
}
