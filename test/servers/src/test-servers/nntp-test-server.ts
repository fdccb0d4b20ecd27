import type { Socket } from "node:net";
import { createLineSplitter } from "./line-splitter.ts";
import { listenOnLoopback, wrapListenerAsTestServer, type TestServer } from "./loopback-listener.ts";
import {
  formatMultiLineDataBlock,
  formatOverviewLine,
  type TestNewsgroup,
  type StoredNewsArticle,
  numberArticles,
} from "./number-and-format-articles.ts";

/** Options of the NNTP test server. */
export interface NntpTestServerOptions {
  readonly groups: Readonly<Record<string, TestNewsgroup>>;
  /** The user and the password that the NNTP server requires. Default: none. */
  readonly login?: { readonly user: string; readonly password: string };
  /**
   * The dialect of NNTP, which determines the commands that the server supports. The dialect `"reader"` is RFC 3977,
   * and `"old"` is RFC 977 with XOVER. With `"mode-switching"`, the server supports the reader commands of RFC 3977
   * only after MODE READER. Default `"reader"`.
   */
  readonly dialect?: "reader" | "mode-switching" | "old";
}

/** The maximum length of a command line in bytes (RFC 3977 §3.1). */
const maxCommandBytes = 512;

interface NntpServerSession {
  selectedGroup: string | undefined;
  isInReaderMode: boolean;
  userName: string | undefined;
  loggedIn: boolean;
}

type NntpCommandHandler = (argument: string, session: NntpServerSession) => string;

/** Starts an NNTP server (RFC 3977) for newsgroups in memory. */
export async function startNntpTestServer(options: NntpTestServerOptions): Promise<TestServer> {
  const receivedLines: string[] = [];
  const commands = createNntpCommands(options);
  const { dialect = "reader" } = options;
  const listener = await listenOnLoopback((socket) => {
    const session = {
      selectedGroup: undefined,
      isInReaderMode: dialect !== "mode-switching",
      userName: undefined,
      loggedIn: options.login === undefined,
    };
    socket.write("201 NNTP test server, no posting\r\n");
    serveNntpSession(socket, receivedLines, (line) => {
      const [, verb = "", argument = ""] = /^(\S*)[ \t]*(.*)$/.exec(line) ?? [];
      const name = verb.toUpperCase();
      if (!Object.hasOwn(commands, name)) return "500 unknown command\r\n";
      if (!session.isInReaderMode && !commandsAllowedBeforeLogin.has(name)) return "401 MODE-READER\r\n";
      if (!session.loggedIn && !commandsAllowedBeforeLogin.has(name)) return "480 log in first\r\n";
      return commands[name]?.(argument, session) ?? "";
    });
  });
  return wrapListenerAsTestServer(listener, receivedLines);
}

const commandsAllowedBeforeLogin: ReadonlySet<string> = new Set(["CAPABILITIES", "MODE", "AUTHINFO", "QUIT"]);

function serveNntpSession(socket: Socket, receivedLines: string[], answer: (line: string) => string): void {
  const lines = createLineSplitter(maxCommandBytes);
  socket.on("data", (bytes) => {
    for (const line of lines.addBytes(bytes)) {
      receivedLines.push(line);
      const reply = answer(line);
      if (reply.startsWith("205")) {
        socket.end(reply);
        return;
      }
      socket.write(reply, "latin1");
    }
    if (lines.exceededLineLimit) socket.end("501 line too long\r\n");
  });
}

/**
 * Returns a filter for the names that match a wildmat (RFC 3977 §4). The last matching pattern of the wildmat decides.
 */
function createWildmatFilter(wildmat: string): (name: string) => boolean {
  const patterns = wildmat.split(",").map((text) => ({
    isNegated: text.startsWith("!"),
    regExp: new RegExp(
      `^${text.replace(/^!/, "").replace(/[.+]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`,
    ),
  }));
  return (name) => patterns.findLast(({ regExp }) => regExp.test(name))?.isNegated === false;
}

function createNntpCommands({
  groups,
  login,
  dialect = "reader",
}: NntpTestServerOptions): Readonly<Record<string, NntpCommandHandler>> {
  const stored = new Map(Object.entries(groups).map(([name, group]) => [name, numberArticles(name, group)]));
  const everyArticle = [...stored.values()].flat();

  const article: NntpCommandHandler = (argument, { selectedGroup: group }) => {
    if (argument.startsWith("<")) {
      const found = everyArticle.find(({ id }) => id === argument);
      return found
        ? `220 0 ${found.id} article\r\n${formatMultiLineDataBlock(found.text)}`
        : "430 no such article\r\n";
    }
    if (group === undefined) return "412 no group selected\r\n";
    const found = stored.get(group)?.find(({ number }) => number === Number(argument));
    return found
      ? `220 ${found.number} ${found.id} article\r\n${formatMultiLineDataBlock(found.text)}`
      : "423 no such number\r\n";
  };
  const over: NntpCommandHandler = (argument, { selectedGroup: group }) => {
    if (group === undefined) return "412 no group selected\r\n";
    const found = selectArticleRange(stored.get(group) ?? [], argument);
    if (found.length === 0) return "423 no articles in that range\r\n";
    return `224 overview follows\r\n${formatMultiLineDataBlock(found.map((each) => `${formatOverviewLine(each)}\r\n`).join(""))}`;
  };
  const lists: Readonly<Record<string, (isListed: (name: string) => boolean) => string>> = {
    ACTIVE: (isListed) =>
      [...stored]
        .filter(([name]) => isListed(name))
        .map(([name, all]) => `${name} ${all.length} 1 n\r\n`)
        .join(""),
    NEWSGROUPS: (isListed) =>
      Object.entries(groups)
        .filter(([name]) => isListed(name))
        .map(([name, { description }]) => (description === undefined ? "" : `${name}\t${description}\r\n`))
        .join(""),
  };
  const common: Record<string, NntpCommandHandler> = {
    ARTICLE: article,
    GROUP(name, session) {
      const found = stored.get(name);
      if (!found) return `411 no such group ${name}\r\n`;
      session.selectedGroup = name;
      return `211 ${found.length} ${found.length === 0 ? 0 : 1} ${found.length} ${name}\r\n`;
    },
    LIST(argument) {
      const [keyword = "", wildmat = "*"] = (argument || "ACTIVE").split(" ");
      if (!Object.hasOwn(lists, keyword.toUpperCase())) return "503 no such list\r\n";
      return `215 list follows\r\n${formatMultiLineDataBlock(lists[keyword.toUpperCase()]?.(createWildmatFilter(wildmat)) ?? "")}`;
    },
    QUIT: () => "205 bye\r\n",
    XOVER: over,
  };
  if (dialect === "old") return common;
  return {
    ...common,
    OVER: over,
    CAPABILITIES: (_, { isInReaderMode: reader }) =>
      `101 capabilities\r\n${formatMultiLineDataBlock(`VERSION 2\r\n${reader ? "READER\r\nOVER\r\nLIST ACTIVE NEWSGROUPS" : "MODE-READER"}\r\n`)}`,
    MODE(_, session) {
      session.isInReaderMode = true;
      session.selectedGroup = undefined;
      return "201 no posting\r\n";
    },
    AUTHINFO(argument, session) {
      const [, kind = "", word = ""] = /^(\S*) (.*)$/.exec(argument) ?? [];
      if (kind.toUpperCase() === "USER") {
        session.userName = word;
        return "381 password\r\n";
      }
      session.loggedIn = session.userName === login?.user && word === login?.password;
      return session.loggedIn ? "281 welcome\r\n" : "481 no\r\n";
    },
  };
}

function selectArticleRange(articles: readonly StoredNewsArticle[], range: string): StoredNewsArticle[] {
  const [, low = "0", dash, high = ""] = /^(\d+)(-?)(\d*)$/.exec(range) ?? [];
  const last = dash === "" ? Number(low) : high === "" ? Infinity : Number(high);
  return articles.filter(({ number }) => number >= Number(low) && number <= last);
}
