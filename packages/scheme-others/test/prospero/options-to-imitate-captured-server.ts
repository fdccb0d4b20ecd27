import type { ProsperoLink, TestProsperoObject, ProsperoTestServerOptions } from "@anyscheme/servers";
import { readCapturedReplyText } from "./read-capture.ts";

const SERVED_FOLDER = "/srv/library/prospero/tree";
const FTP_FOLDER = "/srv/library/prospero/ftp";

/** Returns the names in a captured listing in their order. */
function listCapturedNames(capture: string): string[] {
  return [...readCapturedReplyText(capture).matchAll(/^LINK {2}L FILE (\S+) /gm)].map(
    ([, name = ""]) => name,
  );
}

/** Returns the contents of the captured file with 81 000 bytes. */
function readCapturedBigFile(): string {
  const [, first = "", rest = ""] =
    /DATA ([^']*)'([^]*)'\n$/.exec(readCapturedReplyText("44-contents-81000")) ?? [];
  return first + rest;
}

const createLink = (
  name: string,
  host: string,
  hsoname: string,
  more: Partial<ProsperoLink> = {},
): ProsperoLink => ({
  name,
  targetType: "DIRECTORY",
  host,
  hsoname,
  ...more,
});

const createObject = (modified: string, size: number): TestProsperoObject => ({
  content: "x".repeat(size),
  modified,
});
const twoByteObject = createObject("20261120213300Z", 2);

/** The files and directories of the captured server, as far as the captures contain them. */
export const OPTIONS_TO_IMITATE_CAPTURED_SERVER: ProsperoTestServerOptions = {
  serverName: "LOCALHOST(15250)",
  servedNamePrefix: SERVED_FOLDER,
  anonymousFtpFolder: FTP_FOLDER,
  objects: {
    [`${SERVED_FOLDER}/moved`]: { forwardedTo: { host: "newhost.example.org(1525)", hsoname: "/new/place" } },
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
        (name) => [`${SERVED_FOLDER}/names/${Buffer.from(name).toString("latin1")}`, twoByteObject],
      ),
    ),
    ...Object.fromEntries(
      listCapturedNames("45-list-many").map((name) => [`${SERVED_FOLDER}/many/${name}`, "x"]),
    ),
    [`${SERVED_FOLDER}/attr.txt`]: {
      content: "attr\n",
      modified: "20261120205204Z",
      attributes: [
        "ATTRIBUTE OBJECT APPLICATION TITLE SEQUENCE A' fine title'",
        "ATTRIBUTE OBJECT FIELD ACCESS-METHOD GOPHER INTERNET-D gopher.example.org(70) ASCII 0'/some/sel' 0",
      ],
    },
    [`${SERVED_FOLDER}/links`]: {
      links: [
        createLink("ext1", "ftp.example.org", "/pub/ext1.txt", {
          targetType: "EXTERNAL",
          attributes: [
            "ATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP INTERNET-D ftp.example.org ASCII '/pub/ext1.txt' TEXT",
          ],
        }),
        createLink("other", "otherhost.example.org", "/some/dir"),
        createLink("sym", "/vs/name", "/path/in/vs", { targetType: "SYMBOLIC", hostType: "VIRTUAL-SYSTEM" }),
        createLink("it's\na name", "otherhost.example.org", "/some/it's\na name", { targetType: "FILE" }),
        createLink("gph", "gopher.example.org", "1/menu", {
          targetType: "EXTERNAL",
          attributes: [
            "ATTRIBUTE CACHED FIELD ACCESS-METHOD GOPHER INTERNET-D gopher.example.org(7070) ASCII 1'/men u' 1",
          ],
        }),
        createLink("ported", "otherhost.example.org(191)", "/p", { version: 3 }),
        createLink("uni", "otherhost.example.org", "/union/dir", { union: true }),
        createLink("here", "LOCALHOST(15250)", `${SERVED_FOLDER}/docs`, { union: true }),
      ],
    },
    ...Object.fromEntries(
      listCapturedNames("46-list-thousand").map((name) => [`${SERVED_FOLDER}/thousand/${name}`, "x"]),
    ),
    [`${SERVED_FOLDER}/docs/a file with spaces.txt`]: createObject("20261120204018Z", 12),
    [`${SERVED_FOLDER}/docs/empty.txt`]: createObject("20261120213300Z", 0),
    [`${SERVED_FOLDER}/docs/big.txt`]: { content: readCapturedBigFile(), modified: "20261120204403Z" },
    [`${SERVED_FOLDER}/docs/tricky.bin`]: createObject("20261120213300Z", 272),
    [`${SERVED_FOLDER}/docs/hello.txt`]: "Hello Prospero\n",
    [`${SERVED_FOLDER}/docs/sub/x.txt`]: "x",
    [`${SERVED_FOLDER}/manual.txt`]: {
      content: "manual\n",
      attributes: [
        "ATTRIBUTE OBJECT FIELD ACCESS-METHOD AFTP INTERNET-D ftp.example.org(2121) ASCII '/pub/man ual.txt' TEXT",
        "ATTRIBUTE OBJECT FIELD ACCESS-METHOD GOPHER INTERNET-D gopher.example.org ASCII 9'/bin/manual' 9",
        "ATTRIBUTE OBJECT FIELD ACCESS-METHOD TELNET INTERNET-D info.example.org ASCII '' log' in as guest'",
      ],
    },
    [`${FTP_FOLDER}/pub/readme.txt`]: { content: "anonymous\n", modified: "20261120204403Z" },
    [`${FTP_FOLDER}/pub/deep`]: { links: [], modified: "20261120213259Z" },
    [`${FTP_FOLDER}/pub/bin.dat`]: {
      content: "line one\nit's quoted\n\0binary\r\nend",
      modified: "20261120204403Z",
    },
  },
};
