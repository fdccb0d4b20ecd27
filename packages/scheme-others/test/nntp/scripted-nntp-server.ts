import {
  type CredentialProvider,
  type Client,
  createClient,
  type DereferenceOptions,
  type Step,
  anyAddress,
} from "@anyscheme/core";
import { type LoopbackServer, type ScriptedPeer, startScriptedServer } from "@anyscheme/core/testing";
import {
  type ArticleResource,
  type NewsDirectory,
  nntp,
  type NntpRequestOptions,
  type NntpArticleEntry,
  type NntpGroup,
  type NntpOptions,
  type NntpResource,
  nntps,
} from "@anyscheme/scheme-others/nntp";
import { expect } from "vitest";

export type NntpDereferenceOptions = DereferenceOptions & NntpRequestOptions;
type NntpClient = Client<ReturnType<typeof nntp> | ReturnType<typeof nntps>>;

/** Creates a client that may connect to this machine. */
export function createNntpTestClient(
  options: NntpOptions = {},
  credentials?: CredentialProvider,
): NntpClient {
  const schemes = [nntp(options), nntps({ ca: options.ca })];
  return createClient({ schemes, policy: anyAddress(), credentials });
}

export const provideTestCredentials: CredentialProvider = () => ({ user: "bob", password: "secret" });

/** The response of a scripted server to a command line: text, or a function. */
export type ScriptedReply = string | ((peer: ScriptedPeer, line: string) => Promise<void> | void);

export const CAPABILITIES_REPLY = "101 list\r\nVERSION 2\r\nREADER\r\nOVER\r\n.\r\n";
export const ARTICLE_REPLY = "220 1 <one@x> article\r\nSubject: first\r\n\r\nbody\r\n.\r\n";

/** The replies of a server with one article in the group `g`. */
export const DEFAULT_NNTP_REPLIES: Readonly<Record<string, ScriptedReply>> = {
  "": "200 ready\r\n",
  CAPABILITIES: CAPABILITIES_REPLY,
  "MODE READER": "200 reader\r\n",
  "GROUP g": "211 1 1 1 g\r\n",
  "ARTICLE 1": ARTICLE_REPLY,
  "OVER 1-": "224 list\r\n1\tfirst\tA <a@x>\tFri, 20 Nov 2026 20:01:00 GMT\t<one@x>\t\t100\t1\r\n.\r\n",
  "LIST NEWSGROUPS": "215 list\r\ng\tA group\r\n.\r\n",
  "LIST ACTIVE": "215 list\r\ng 1 1 y\r\n.\r\n",
};

/** Returns the line of an article in an overview (RFC 3977 §8.3.2). */
export const createOverviewLine = (number: number): string =>
  `${number}\tsubject ${number}\tA <a@x>\tdate\t<${number}@x>\t\t10\t1\r\n`;

/** Starts a server with a response for each command line. The response for the line "" is the greeting. */
export function startScriptedNntpServer(
  answers: Readonly<Record<string, ScriptedReply>> = {},
): Promise<LoopbackServer> {
  const all: Readonly<Record<string, ScriptedReply>> = { ...DEFAULT_NNTP_REPLIES, ...answers };
  return startScriptedServer(async (peer) => {
    let line: string | undefined = "";
    while (line !== undefined) {
      const answer = all[line] ?? "500 what?\r\n";
      if (typeof answer === "function") await answer(peer, line);
      else peer.send(answer);
      line = await peer.readLine();
    }
  });
}

/** Dereferences the URL of a path on the test server. */
export function dereferenceNntpPath(
  server: LoopbackServer,
  path: string,
  options: NntpDereferenceOptions = {},
  client = createNntpTestClient(),
): Promise<NntpResource> {
  return client.dereference(`nntp://127.0.0.1:${server.port}/${path}`, options);
}

/** Reads the body of an article as Latin-1. */
export async function readArticleResourceText(resource: NntpResource): Promise<string> {
  return Buffer.from(await requireArticle(resource).bytes()).toString("latin1");
}

export function requireArticle(resource: NntpResource): ArticleResource {
  if (resource.kind !== "content") throw new Error(`it is a ${resource.kind}`);
  return resource;
}

/** Reads the entries of a directory up to the end or an error. Returns the entries and the error. */
export async function readNntpEntriesAndFault(
  resource: NntpResource,
): Promise<{ entries: (NntpArticleEntry | NntpGroup)[]; fault: unknown }> {
  if (resource.kind !== "directory") throw new Error(`it is ${resource.kind}`);
  const entries: (NntpArticleEntry | NntpGroup)[] = [];
  const directory: NewsDirectory = resource;
  try {
    for await (const entry of directory) entries.push(entry);
    return { entries, fault: undefined };
  } catch (fault) {
    return { entries, fault };
  }
}

/** Collects the plan steps that sent a command. */
export function createSentStepListener(): {
  steps: (Step | undefined)[];
  traceListener: NonNullable<NntpDereferenceOptions["trace"]>;
} {
  const steps: (Step | undefined)[] = [];
  return {
    steps,
    traceListener({ action, step }) {
      if (action === "send") steps.push(step);
    },
  };
}

/** Matches an error by its code and message. */
export function matchErrorWithCode(code: string, message?: RegExp): Error {
  const fields = message ? { code, message: expect.stringMatching(message) as string } : { code };
  return expect.objectContaining(fields) as Error;
}

/** Returns the lines that a server received on each connection. */
export function getReceivedLines(server: LoopbackServer): string[][] {
  return server.connections.map(({ received }) => received.toString("latin1").split("\r\n").slice(0, -1));
}
