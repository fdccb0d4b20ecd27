import { gzipSync } from "node:zlib";
import { startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { nntp, prospero, telnet, wais } from "@anyscheme/scheme-others";
import { createArdpPacket, createArdpRedirectPacket, startArdpServer } from "../servers/ardp-server.ts";
import {
  connectToServiceAndDrainOutput,
  dereferenceAndDrain,
  dereferenceAndDrainInChunks,
} from "./dereference-and-drain.ts";
import {
  type LimitTestCase,
  sendTextOrSingleBytes,
  startRespondToFirstLineServer,
  type StoppableServer,
} from "./limit-test-case.ts";

const CRLF = "\r\n";

/** Starts a server that sends a greeting, and then refuses every command. */
function startGreetingServer(greetingText: string, inSingleBytes: boolean): Promise<StoppableServer> {
  return startScriptedServer(async (peer) => {
    await sendTextOrSingleBytes(peer, greetingText, inSingleBytes);
    while ((await peer.readLine()) !== undefined) peer.send(`500 no${CRLF}`);
  });
}

const createOkResponse = (fields: string, body = ""): string =>
  `HTTP/1.1 200 OK${CRLF}${fields}${CRLF}${body}`;
const CONNECTION_CLOSE_FIELD = `connection: close${CRLF}`;
const startHttpServer =
  (answer: (count: number) => string) =>
  (count: number, inSingleBytes: boolean): Promise<StoppableServer> =>
    startScriptedServer(async (peer) => {
      while (await peer.readLine());
      await sendTextOrSingleBytes(peer, answer(count), inSingleBytes);
    });
const createResponseWithBody = (count: number): string =>
  createOkResponse(CONNECTION_CLOSE_FIELD, "x".repeat(count));

/** Returns an HTTP response whose header section has `count` bytes. */
function createResponseHead(count: number): string {
  const empty =
    createOkResponse(`x: ${CONNECTION_CLOSE_FIELD}`).length - CONNECTION_CLOSE_FIELD.length + CRLF.length;
  return createOkResponse(`x: ${"y".repeat(count - empty)}${CRLF}`);
}

const PROSPERO_LINK_LINE = "LINK  L FILE a INTERNET-D h ASCII a 0\n";
const PROSPERO_FAILURE_LINE = "FAILURE NOT-AUTHORIZED\n";

/** Returns the packets of a Prospero reply with `count` links, 100 in each packet. */
function createLinkPackets(count: number, id: Buffer): Buffer[] {
  const total = Math.ceil(count / 100);
  return Array.from({ length: total }, (_, index) =>
    createArdpPacket(id, index + 1, total, PROSPERO_LINK_LINE.repeat(Math.min(100, count - index * 100))),
  );
}

async function startRedirectingServer(count: number): Promise<StoppableServer> {
  let remaining = count;
  const server: StoppableServer = await startArdpServer((_, id) => [
    remaining-- > 0
      ? createArdpRedirectPacket(id, server.port)
      : createArdpPacket(id, 1, 1, PROSPERO_FAILURE_LINE),
  ]);
  return server;
}

const urlWithPort = (scheme: string, path = ""): ((port: number) => string) => {
  return (port) => `${scheme}://127.0.0.1:${port}/${path}`;
};
const GOPHER_MENU_LINE = `0a\t/a\th\t70${CRLF}`;
/**
 * The number of steps in the plan of an FTP URL without directories. This number excludes the `expect` steps, because
 * the limit `maxSteps` does not count them.
 */
const FTP_PLAN_STEP_COUNT = 18;
/** The resolver finds no address, so that a request within the limit fails with `unavailable`. */
const UNRESOLVED_HOST_CASE = {
  resolvedAddresses: (): readonly string[] => [],
  errorWithinLimit: "unavailable",
};

export const LIMIT_TEST_CASES: readonly LimitTestCase[] = [
  {
    limitName: "maxBodyBytes",
    limitValue: 64,
    createScheme: http,
    startServer: startHttpServer(createResponseWithBody),
    createUrl: urlWithPort("http"),
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxStreamBytes",
    limitValue: 64,
    createScheme: http,
    startServer: startHttpServer(createResponseWithBody),
    createUrl: urlWithPort("http"),
    dereferenceAndRead: dereferenceAndDrainInChunks,
  },
  {
    limitName: "maxRedirects",
    limitValue: 3,
    createScheme: http,
    startServer: (count) =>
      startScriptedServer(async (peer) => {
        const [, number = "0"] = (await peer.readLine())?.split(/[ /]+/) ?? [];
        while (await peer.readLine());
        const location = `location: /${Number(number) + 1}${CRLF}content-length: 0${CRLF}${CONNECTION_CLOSE_FIELD}`;
        peer.send(
          Number(number) < count ? `HTTP/1.1 302 Found${CRLF}${location}${CRLF}` : createResponseWithBody(1),
        );
      }),
    createUrl: urlWithPort("http", "0"),
  },
  {
    limitName: "maxAddresses",
    limitValue: 3,
    createScheme: http,
    startServer: startHttpServer(() => createResponseWithBody(1)),
    createUrl: (port) => `http://h.example:${port}/`,
    resolvedAddresses: (count) => Array.from({ length: count }, () => "127.0.0.1"),
  },
  {
    limitName: "maxHeaderBytes",
    limitValue: 64,
    createScheme: http,
    startServer: startHttpServer(createResponseHead),
    createUrl: urlWithPort("http"),
  },
  {
    limitName: "maxHeaderLines",
    limitValue: 5,
    createScheme: http,
    startServer: startHttpServer((count) => createOkResponse(`a: b${CRLF}`.repeat(count))),
    createUrl: urlWithPort("http"),
  },
  {
    limitName: "maxInterimResponses",
    limitValue: 3,
    createScheme: http,
    startServer: startHttpServer(
      (count) => `HTTP/1.1 103 Early${CRLF}${CRLF}`.repeat(count) + createResponseWithBody(1),
    ),
    createUrl: urlWithPort("http"),
  },
  {
    limitName: "maxContentCodings",
    limitValue: 2,
    createScheme: http,
    startServer: (count) =>
      startScriptedServer(async (peer) => {
        while (await peer.readLine());
        let body = Buffer.from("x");
        for (let layer = 0; layer < Math.min(count, 5); layer++) body = gzipSync(body);
        peer.send(createOkResponse(`content-encoding: ${Array(count).fill("gzip").join(", ")}${CRLF}`));
        peer.send(body);
      }),
    createUrl: urlWithPort("http"),
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxBytesWithoutContent",
    limitValue: 64,
    createScheme: http,
    startServer: startHttpServer((count) => {
      const extension = `1;x=${CRLF}`;
      const line = extension.replace("=", `=${"y".repeat(count - extension.length)}`);
      return createOkResponse(`transfer-encoding: chunked${CRLF}`, `${line}z${CRLF}0${CRLF}${CRLF}`);
    }),
    createUrl: urlWithPort("http"),
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxReplyLineBytes",
    limitValue: 64,
    createScheme: ftp,
    startServer: (count, inSingleBytes) =>
      startGreetingServer(`220 ${"x".repeat(count - 4)}${CRLF}`, inSingleBytes),
    createUrl: urlWithPort("ftp", "a"),
    errorWithinLimit: "unsupported",
  },
  {
    limitName: "maxReplyBytes",
    limitValue: 64,
    createScheme: ftp,
    startServer: (count, inSingleBytes) =>
      startGreetingServer(`220-a${CRLF}220-b${CRLF}220 ${"x".repeat(count - 20)}${CRLF}`, inSingleBytes),
    createUrl: urlWithPort("ftp", "a"),
    otherLimits: { maxReplyLineBytes: Infinity },
    errorWithinLimit: "unsupported",
  },
  {
    limitName: "maxCommandBytes",
    limitValue: 64,
    createScheme: ftp,
    createUrl: (_, count) => `ftp://h.example/${"x".repeat(count - "RETR \r\n".length)}`,
    otherLimits: { maxUrlLength: Infinity },
    ...UNRESOLVED_HOST_CASE,
  },
  {
    limitName: "maxDirectoryDepth",
    limitValue: 5,
    createScheme: ftp,
    createUrl: (_, count) => `ftp://h.example/${"d/".repeat(count)}a`,
    otherLimits: { maxSteps: Infinity },
    ...UNRESOLVED_HOST_CASE,
  },
  {
    limitName: "maxSteps",
    limitValue: 30,
    createScheme: ftp,
    createUrl: (_, count) => `ftp://h.example/${"d/".repeat(count - FTP_PLAN_STEP_COUNT)}a`,
    otherLimits: { maxDirectoryDepth: Infinity },
    ...UNRESOLVED_HOST_CASE,
  },
  {
    limitName: "maxListingBytes",
    limitValue: 10 * GOPHER_MENU_LINE.length,
    createScheme: gopher,
    startServer: (count, inSingleBytes) =>
      startRespondToFirstLineServer(GOPHER_MENU_LINE.repeat(count).slice(0, count), inSingleBytes),
    createUrl: urlWithPort("gopher", "1"),
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxListingEntries",
    limitValue: 3,
    createScheme: gopher,
    startServer: (count, inSingleBytes) =>
      startRespondToFirstLineServer(GOPHER_MENU_LINE.repeat(count), inSingleBytes),
    createUrl: urlWithPort("gopher", "1"),
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxGopherLineBytes",
    limitValue: 64,
    createScheme: gopher,
    startServer: (count, inSingleBytes) =>
      startRespondToFirstLineServer(
        `0${"x".repeat(count - GOPHER_MENU_LINE.length + 3)}${GOPHER_MENU_LINE.slice(2)}`,
        inSingleBytes,
      ),
    createUrl: urlWithPort("gopher", "1"),
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxListingEntries",
    limitValue: 3,
    createScheme: gopher,
    startServer: (count, inSingleBytes) =>
      startRespondToFirstLineServer(
        `+-2${CRLF}+INFO: ${GOPHER_MENU_LINE}+VIEWS:${CRLF}${` a/b${CRLF}`.repeat(count)}`,
        inSingleBytes,
      ),
    createUrl: urlWithPort("gopher", "1%09%09$"),
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxFormQuestions",
    limitValue: 3,
    createScheme: gopher,
    startServer: (count, inSingleBytes) =>
      startRespondToFirstLineServer(
        `+-2${CRLF}+INFO: ${GOPHER_MENU_LINE}+ASK:${CRLF}${` Ask:${CRLF}`.repeat(count)}`,
        inSingleBytes,
      ),
    createUrl: (port) => `gopher://127.0.0.1:${port}/0x%09%09?`,
  },
  {
    limitName: "maxWaisApduBytes",
    limitValue: 64,
    createScheme: wais,
    startServer: (count, inSingleBytes) =>
      startScriptedServer(async (peer) => {
        await peer.readBytes(25);
        await sendTextOrSingleBytes(
          peer,
          `${String(count).padStart(10, "0")}z2wais        0${"x".repeat(count)}`,
          inSingleBytes,
        );
      }),
    createUrl: urlWithPort("wais", "d?w"),
    errorWithinLimit: "protocol",
  },
  {
    limitName: "maxNntpLineBytes",
    limitValue: 64,
    createScheme: nntp,
    startServer: (count, inSingleBytes) =>
      startGreetingServer(`200 ${"x".repeat(count - 4)}${CRLF}`, inSingleBytes),
    createUrl: urlWithPort("nntp", "a.b/1"),
    errorWithinLimit: "unsupported",
  },
  {
    limitName: "maxListingLineBytes",
    limitValue: 64,
    createScheme: prospero,
    startServer: (count) =>
      startArdpServer((command, id) => {
        if (command.includes("GET-OBJECT-INFO")) return [createArdpPacket(id, 1, 1, "FAILURE NOT-FOUND\n")];
        // The Prospero test server splits the reply line into ARDP packets of 1000 bytes.
        const name = "a".repeat(count - PROSPERO_LINK_LINE.length + 2);
        const line = PROSPERO_LINK_LINE.replace(" a ", () => ` ${name} `);
        const total = Math.ceil(line.length / 1000);
        return Array.from({ length: total }, (_, index) =>
          createArdpPacket(id, index + 1, total, line.slice(index * 1000, (index + 1) * 1000)),
        );
      }),
    createUrl: urlWithPort("prospero", "x"),
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxProsperoPackets",
    limitValue: 3,
    createScheme: prospero,
    startServer: (count) =>
      startArdpServer((_, id) => [
        ...Array.from({ length: count }, (_none, index) => createArdpPacket(id, index + 2, 0)),
        createArdpPacket(id, 1, count + 1, PROSPERO_FAILURE_LINE),
      ]),
    createUrl: urlWithPort("prospero", "x"),
    errorWithinLimit: "permission-denied",
  },
  {
    limitName: "maxProsperoLinks",
    limitValue: 3,
    createScheme: prospero,
    startServer: (count) =>
      startArdpServer((command, id) =>
        command.includes("GET-OBJECT-INFO")
          ? [createArdpPacket(id, 1, 1, "FAILURE NOT-FOUND\n")]
          : createLinkPackets(count, id),
      ),
    createUrl: urlWithPort("prospero", "x"),
    dereferenceAndRead: dereferenceAndDrain,
  },
  {
    limitName: "maxProsperoForwards",
    limitValue: 3,
    createScheme: prospero,
    startServer: startRedirectingServer,
    createUrl: urlWithPort("prospero", "x"),
    errorWithinLimit: "permission-denied",
  },
  {
    limitName: "maxOptionChanges",
    limitValue: 3,
    createScheme: telnet,
    startServer: (count, inSingleBytes) =>
      startScriptedServer((peer) => sendTextOrSingleBytes(peer, "\xff\xfb\x25".repeat(count), inSingleBytes)),
    createUrl: urlWithPort("telnet"),
    dereferenceAndRead: connectToServiceAndDrainOutput,
  },
  {
    limitName: "maxSubnegotiationBytes",
    limitValue: 64,
    createScheme: telnet,
    startServer: (count, inSingleBytes) =>
      startScriptedServer((peer) =>
        sendTextOrSingleBytes(peer, `\xff\xfa\x18${"x".repeat(count)}\xff\xf0`, inSingleBytes),
      ),
    createUrl: urlWithPort("telnet"),
    dereferenceAndRead: connectToServiceAndDrainOutput,
  },
];
