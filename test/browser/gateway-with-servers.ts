import { createClient, anyAddress } from "@anyscheme/core";
import { startScriptedServer } from "@anyscheme/core/testing";
import { type GatewayServer, startGateway } from "@anyscheme/gateway";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher } from "@anyscheme/scheme-gopher";
import { http } from "@anyscheme/scheme-http";
import { mailto } from "@anyscheme/scheme-others/mailto";
import { news } from "@anyscheme/scheme-others/news";
import { nntp } from "@anyscheme/scheme-others/nntp";
import { prospero } from "@anyscheme/scheme-others/prospero";
import { telnet } from "@anyscheme/scheme-others/telnet";
import { wais } from "@anyscheme/scheme-others/wais";
import {
  startGophernicus,
  startNnrpd,
  startProsperoTestServer,
  startWaisTestServer,
  startVsftpd,
} from "@anyscheme/servers";

/** A running gateway, with servers of FTP, Gopher, Gopher+, NNTP, WAIS and Prospero. */
export interface GatewayWithServers extends AsyncDisposable {
  readonly gateway: GatewayServer;
  /** Returns the URL of a path of the gateway. Replaces `{ftp}` by the host and port of the FTP server, and so on. */
  pageUrl(path: string): string;
  /**
   * Returns the URL of a resource on a test server behind the gateway. The placeholders for servers, such as `{ftp}`,
   * are replaced as in `pageUrl`.
   */
  testServerUrl(scheme: string, rest: string): string;
  /** The lines of the filled-in form that the Gopher+ server received. */
  readonly receivedGopherFormLines: readonly string[];
}

const servedFiles = {
  "pub/readme.txt": "A text with <b>markup</b> & an escape: \u001b[31m\n".repeat(12),
  "pub/a long file name that a browser has to wrap several times on a narrow screen.txt": "x",
  "pub/sub/picture.gif": "GIF89a",
};

const GOPHER_ASK_BLOCK =
  "+-1\r\n+INFO: 0Order a pizza\t/order\tlocalhost\t70\t?\r\n+ASK:\r\n Note: We deliver within the hour.\r\n Ask: Your name\tHeinz\r\n" +
  " AskP: Password\r\n AskL: Where to?\r\n Select: Extra cheese\t1\r\n Choose: Size\tsmall\tlarge\r\n ChooseF: A voucher\r\n.\r\n";

function createNewsArticle(id: string, subject: string, day: number, ...references: string[]): string {
  const head = [
    `Message-ID: <${id}@example.invalid>`,
    "Newsgroups: misc.test",
    "From: A Person <person@example.invalid>",
    `Subject: ${subject}`,
    `Date: ${String(day).padStart(2, "0")} Mar 1993 12:00:00 GMT`,
    ...(references.length > 0
      ? [`References: ${references.map((each) => `<${each}@example.invalid>`).join(" ")}`]
      : []),
  ];
  const quoted = references.length > 0 ? "> This is the quoted text,\n> on two lines.\n\n" : "";
  return [...head, "", `${quoted}This article is about ${subject}.`, ""].join("\n");
}

/** Starts the servers, and a gateway whose client may connect to them. */
export async function startGatewayWithServers(): Promise<GatewayWithServers> {
  const receivedGopherFormLines: string[] = [];
  const [vsftpd, gophernicus, inn, waisServer, prosperoServer, gopherPlusServer] = await Promise.all([
    startVsftpd({ files: servedFiles }),
    startGophernicus({ files: servedFiles }),
    startNnrpd({
      groups: {
        "misc.test": {
          description: "For testing only",
          articles: [
            createNewsArticle("one", "Zithers", 1),
            createNewsArticle("two", "Re: Zithers", 2, "one"),
            createNewsArticle("three", "Re: Zithers", 3, "one", "two"),
            createNewsArticle("four", "A long subject that does not fit on one line of a small screen", 4),
          ],
        },
      },
    }),
    startWaisTestServer({
      databases: [
        {
          name: "recipes",
          documents: [
            {
              headline: "Onion soup",
              localId: "0 0 /recipes/soup",
              contents: { TEXT: "onion onion onion\n" },
            },
            {
              headline: "Recipe for onion pie from the mountains",
              localId: "0 0 /recipes/pie",
              contents: { TEXT: "onion\n" },
            },
          ],
        },
      ],
    }),
    startProsperoTestServer({
      objects: {
        "/docs/a paper.txt": "A paper.\n",
        "/docs/pictures": { links: [] },
        "/docs/elsewhere": { forwardedTo: { host: "other.example", hsoname: "/x" } },
      },
    }),
    startScriptedServer(async (peer) => {
      const request = (await peer.readLine()) ?? "";
      if (request !== "/order\t+\t1") return peer.send(GOPHER_ASK_BLOCK);
      for (let line = await peer.readLine(); line !== undefined && line !== "."; line = await peer.readLine())
        receivedGopherFormLines.push(line);
      peer.send("+-1\r\nThank you\r\n.\r\n");
    }),
  ]);
  const servers = {
    ftp: vsftpd,
    gopher: gophernicus,
    nntp: inn,
    wais: waisServer,
    prospero: prosperoServer,
    plus: gopherPlusServer,
  };
  const client = createClient({
    schemes: [
      ftp(),
      gopher(),
      http(),
      mailto(),
      news({ servers: [{ host: "127.0.0.1", port: inn.port }] }),
      nntp(),
      prospero(),
      telnet(),
      wais(),
    ],
    policy: anyAddress({
      allowPorts: {
        gopher: [gophernicus.port, gopherPlusServer.port],
        wais: [waisServer.port],
        prospero: [prosperoServer.port],
      },
    }),
  });
  const gateway = await startGateway(client, { port: 0 });
  const replaceHostPlaceholders = (text: string): string =>
    text.replace(/\{(\w+)\}/, (_, name: keyof typeof servers) => `127.0.0.1:${servers[name].port}`);
  return {
    gateway,
    receivedGopherFormLines,
    pageUrl: (path) => `http://127.0.0.1:${gateway.port}${replaceHostPlaceholders(path)}`,
    testServerUrl: (scheme, rest) => `${scheme}://${replaceHostPlaceholders(rest)}`,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await client.destroy();
      for (const server of Object.values(servers)) await server.stop();
    },
  };
}
