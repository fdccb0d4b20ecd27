import { describe, expect, it } from "vitest";
import {
  findProsperoObjectId,
  parseAccessMethods,
  parseObjectStat,
} from "../../../src/prospero/object/attributes.ts";
import { type ProsperoAttribute, parseProsperoReplyLine } from "../../../src/prospero/protocol/reply-line.ts";
import { readCapturedReplyText } from "../read-capture.ts";

const objectLocation = {
  hostType: "INTERNET-D",
  host: "own.example",
  port: 15250,
  nameType: "ASCII",
  hsoname: "/own/x",
};

function parseAttributes(text: string): ProsperoAttribute[] {
  const lines = text.match(/(?:[^'\n]|'(?:[^']|'')*')+/g) ?? [];
  return lines
    .map(parseProsperoReplyLine)
    .filter((line): line is ProsperoAttribute => line.kind === "attribute");
}

const getAccessMethodUrl = (value: string): string | undefined =>
  parseAccessMethods(parseAttributes(`ATTRIBUTE OBJECT FIELD ACCESS-METHOD ${value}\n`), objectLocation)[0]
    ?.url;

describe("ACCESS-METHOD attributes", () => {
  it.each([
    [
      "AFTP INTERNET-D ftp.example.org ASCII '/pub/ext1.txt' TEXT",
      "ftp://ftp.example.org/pub/ext1.txt;type=a",
    ],
    [
      "AFTP INTERNET-D ftp.example.org(2121) ASCII '/pub/man ual.txt' TEXT",
      "ftp://ftp.example.org:2121/pub/man%20ual.txt;type=a",
    ],
    ["AFTP INTERNET-D ftp.example.org ASCII pub/x BINARY", "ftp://ftp.example.org/pub/x;type=i"],
    ["AFTP INTERNET-D ftp.example.org ASCII '/a;b%c/d' OTHER", "ftp://ftp.example.org/a%3Bb%25c/d"],
    ["AFTP '' '' '' '' BINARY", "ftp://own.example/own/x;type=i"],
    ["FTP INTERNET-D ftp.example.org ASCII '/home/x' BINARY", "ftp://ftp.example.org/%2Fhome/x;type=i"],
    ["FTP INTERNET-D ftp.example.org ASCII x BINARY", "ftp://ftp.example.org/x;type=i"],
    [
      "GOPHER INTERNET-D gopher.example.org(70) ASCII 0'/some/sel' 0",
      "gopher://gopher.example.org:70/00/some/sel",
    ],
    [
      "GOPHER INTERNET-D gopher.example.org ASCII 9'/bin/manual'",
      "gopher://gopher.example.org/99/bin/manual",
    ],
    [
      "GOPHER INTERNET-D gopher.example.org(7070) ASCII 1'/men u' 1",
      "gopher://gopher.example.org:7070/11/men%20u",
    ],
    ["TELNET INTERNET-D info.example.org ASCII '' log' in as guest'", "telnet://info.example.org/"],
    ["TN3270 INTERNET-D info.example.org(23) ASCII ''", "tn3270://info.example.org:23/"],
    ["PROSPERO-CONTENTS '' '' '' ''", undefined],
    ["LOCAL '' '' '' ''", undefined],
    ["NFS INTERNET-D nfs.example.org ASCII '/x' '/export'", undefined],
    ["AFS INTERNET-D afs.example.org ASCII '/x'", undefined],
    ["RCP INTERNET-D h.example ASCII '/x'", undefined],
    ["WAIS INTERNET-D wais.example.org ASCII WAIS'/OBJECT/x'", undefined],
    ["AFTP X.500 somewhere ASCII '/x' TEXT", undefined],
    ["AFTP INTERNET-D ftp.example.org EBCDIC '/x' TEXT", undefined],
    ["AFTP INTERNET-D 'evil.example/x' ASCII '/x' TEXT", undefined],
    ["AFTP INTERNET-D 'user:secret@h' ASCII '/x' TEXT", undefined],
    ["AFTP INTERNET-D", undefined],
    ["toString INTERNET-D h.example ASCII '/x'", undefined],
  ])("the client converts the access method %s to the URL %s", (value, url) => {
    expect(getAccessMethodUrl(value)).toBe(url);
  });

  it.each([
    ["49-goi-manual-three-access-methods", ["AFTP", "GOPHER", "TELNET", "PROSPERO-CONTENTS", "LOCAL"]],
    ["41-goi-am-aftp", ["PROSPERO-CONTENTS", "LOCAL", "AFTP"]],
    ["84-attr-and-magic", ["GOPHER", "PROSPERO-CONTENTS", "LOCAL"]],
    ["12-goi-access-method-alone", []],
  ])("the client returns the access methods of the capture %s in the server's order: %j", (name, methods) => {
    const attributes = parseAttributes(readCapturedReplyText(name));
    expect(parseAccessMethods(attributes, objectLocation).map((method) => method.name)).toEqual(methods);
  });
});

describe("the attributes of a Prospero object contain its size, modification time and type", () => {
  it.each([
    ["11-goi-all", { size: 15, modified: new Date("2026-11-20T20:40:18Z"), isDirectory: false }],
    ["33-goi-version-7", { size: 15, modified: undefined, isDirectory: false }],
  ])("the client parses the attributes of the captured object %s", (name, facts) => {
    expect(parseObjectStat(parseAttributes(readCapturedReplyText(name)))).toEqual(facts);
  });

  it.each([
    ["SIZE", "4096' bytes'", { size: 4096 }],
    ["SIZE", "12", { size: 12 }],
    ["SIZE", "12' kilobytes'", { size: undefined }],
    ["SIZE", "-1' bytes'", { size: undefined }],
    ["SIZE", "99999999999999999999' bytes'", { size: undefined }],
    ["LAST-MODIFIED", "20261332000000Z", { modified: undefined }],
    ["LAST-MODIFIED", "yesterday", { modified: undefined }],
    ["UNIX-MODES", "drwxr-xr-x", { isDirectory: true }],
  ])("the client parses the attribute %s with the value %s", (name, value, facts) => {
    expect(
      parseObjectStat(parseAttributes(`ATTRIBUTE OBJECT INTRINSIC ${name} SEQUENCE ${value}\n`)),
    ).toMatchObject(facts);
  });

  it("the client returns the type and the number of an object id", () => {
    expect(findProsperoObjectId(parseAttributes("ID REMOTE 4242\n"))).toBe("REMOTE 4242");
    expect(
      findProsperoObjectId(parseAttributes("ID\nATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 1\n")),
    ).toBeUndefined();
  });
});
