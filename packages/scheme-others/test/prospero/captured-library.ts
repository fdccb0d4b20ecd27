import type { ProsperoLink, ProsperoObject, SmallProsperoOptions } from "@anyscheme/servers";
import { replyText } from "./read-capture.ts";

const TREE = "/srv/library/prospero/tree";
const FTP = "/srv/library/prospero/ftp";

/** Returns the names in a captured listing in their order. */
function namesIn(capture: string): string[] {
  return [...replyText(capture).matchAll(/^LINK {2}L FILE (\S+) /gm)].map(([, name = ""]) => name);
}

/** Returns the contents of the captured file with 81 000 bytes. */
function bigFile(): string {
  const [, first = "", rest = ""] = /DATA ([^']*)'([^]*)'\n$/.exec(replyText("44-contents-81000")) ?? [];
  return first + rest;
}

const link = (
  name: string,
  host: string,
  hsoname: string,
  more: Partial<ProsperoLink> = {},
): ProsperoLink => ({
  name,
  target: "DIRECTORY",
  host,
  hsoname,
  ...more,
});

const at = (modified: string, size: number): ProsperoObject => ({ content: "x".repeat(size), modified });
const two = at("20261120213300Z", 2);

/** The files and directories of the captured server, as far as the captures contain them. */
export const library: SmallProsperoOptions = {
  serverName: "LOCALHOST(15250)",
  servedNamePrefix: TREE,
  anonymousFtpFolder: FTP,
  objects: {
    [`${TREE}/moved`]: { forwardedTo: { host: "newhost.example.org(1525)", hsoname: "/new/place" } },
    ...Object.fromEntries(
      [
        "café.txt",
        "'quoted'.txt",
        "line\nfeed.txt",
        "UPPER.TXT",
        "100%.txt",
        "don't panic.txt",
        "semi;colon=x.txt",
        "tab\there.txt",
        "plain.txt",
        "two  blanks.txt",
      ].map(
        // The names have one character per byte.
        (name) => [`${TREE}/names/${Buffer.from(name).toString("latin1")}`, two],
      ),
    ),
    ...Object.fromEntries(namesIn("45-list-many").map((name) => [`${TREE}/many/${name}`, "x"])),
    [`${TREE}/attr.txt`]: {
      content: "attr\n",
      modified: "20261120205204Z",
      attributes: [
        "ATTRIBUTE OBJECT APPLICATION TITLE SEQUENCE A' fine title'",
        "ATTRIBUTE OBJECT FIELD ACCESS-METHOD GOPHER INTERNET-D gopher.example.org(70) ASCII 0'/some/sel' 0",
      ],
    },
    [`${TREE}/links`]: {
      links: [
        link("ext1", "ftp.example.org", "/pub/ext1.txt", {
          target: "EXTERNAL",
          attributes: [
            "ATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP INTERNET-D ftp.example.org ASCII '/pub/ext1.txt' TEXT",
          ],
        }),
        link("other", "otherhost.example.org", "/some/dir"),
        link("sym", "/vs/name", "/path/in/vs", { target: "SYMBOLIC", hostType: "VIRTUAL-SYSTEM" }),
        link("it's\na name", "otherhost.example.org", "/some/it's\na name", { target: "FILE" }),
        link("gph", "gopher.example.org", "1/menu", {
          target: "EXTERNAL",
          attributes: [
            "ATTRIBUTE CACHED FIELD ACCESS-METHOD GOPHER INTERNET-D gopher.example.org(7070) ASCII 1'/men u' 1",
          ],
        }),
        link("ported", "otherhost.example.org(191)", "/p", { version: 3 }),
        link("uni", "otherhost.example.org", "/union/dir", { union: true }),
        link("here", "LOCALHOST(15250)", `${TREE}/docs`, { union: true }),
      ],
    },
    ...Object.fromEntries(namesIn("46-list-thousand").map((name) => [`${TREE}/thousand/${name}`, "x"])),
    [`${TREE}/docs/a file with spaces.txt`]: at("20261120204018Z", 12),
    [`${TREE}/docs/empty.txt`]: at("20261120213300Z", 0),
    [`${TREE}/docs/big.txt`]: { content: bigFile(), modified: "20261120204403Z" },
    [`${TREE}/docs/tricky.bin`]: at("20261120213300Z", 272),
    [`${TREE}/docs/hello.txt`]: "Hello Prospero\n",
    [`${TREE}/docs/sub/x.txt`]: "x",
    [`${TREE}/manual.txt`]: {
      content: "manual\n",
      attributes: [
        "ATTRIBUTE OBJECT FIELD ACCESS-METHOD AFTP INTERNET-D ftp.example.org(2121) ASCII '/pub/man ual.txt' TEXT",
        "ATTRIBUTE OBJECT FIELD ACCESS-METHOD GOPHER INTERNET-D gopher.example.org ASCII 9'/bin/manual' 9",
        "ATTRIBUTE OBJECT FIELD ACCESS-METHOD TELNET INTERNET-D info.example.org ASCII '' log' in as guest'",
      ],
    },
    [`${FTP}/pub/readme.txt`]: { content: "anonymous\n", modified: "20261120204403Z" },
    [`${FTP}/pub/deep`]: { links: [], modified: "20261120213259Z" },
    [`${FTP}/pub/bin.dat`]: {
      content: "line one\nit's quoted\n\0binary\r\nend",
      modified: "20261120204403Z",
    },
  },
};
