import { type AccessError, createClient } from "@anyscheme/core";
import { prospero } from "@anyscheme/scheme-others/prospero";
import { describe, expect, it } from "vitest";
import { splitAndUnquoteTokens } from "../../src/prospero/protocol/logical-lines.ts";
import { readCapturedDatagrams } from "./read-capture.ts";

const prosperoClient = createClient({ schemes: [prospero()] });

/** Returns the request messages of a plan, without their first two lines, which are equal in all messages. */
function planRequestMessages(url: string, options: object = {}): string[] {
  return prosperoClient
    .plan(url, options)
    .steps.filter(({ action }) => action === "send")
    .map(({ bytes }) => Buffer.from(bytes ?? []).toString("latin1"))
    .map((message) => message.split("\n").slice(2, -1).join("; "));
}

const OBJECT_INFO_REQUEST = "GET-OBJECT-INFO ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES ASCII";

describe("planProspero plans the steps for a prospero URL", () => {
  it("planProspero plans a request for the object's description, and then for contents or links", () => {
    const plan = prosperoClient.plan("prospero://host.dom//pros/name");
    expect(plan.steps.map(({ action, description: text, onReply: when }) => [action, text, when])).toEqual([
      ["resolve", "host.dom", undefined],
      ["connect", "host.dom port 1525", undefined],
      ["send", `${OBJECT_INFO_REQUEST} '/pros/name' 0`, undefined],
      ["expect", "what the object is", undefined],
      ["send", "GET-OBJECT-INFO CONTENTS ASCII '/pros/name' 0", "ACCESS-METHOD PROSPERO-CONTENTS"],
      ["redirect", "the URL of another access method, or of the object's location", "ACCESS-METHOD"],
      ["send", "DIRECTORY ASCII '/pros/name'; LIST ATTRIBUTES COMPONENTS", "no ACCESS-METHOD"],
      ["transfer", "the contents, or the links of the directory", undefined],
      ["close", "no message is sent", undefined],
    ]);
    expect(plan.steps.every(({ spec: section }) => section !== "")).toBe(true);
  });

  it("a planned step contains all lines of a message", () => {
    const [, , send] = prosperoClient.plan("prospero://host.dom//pros/name").steps;
    expect(Buffer.from(send?.bytes ?? []).toString()).toBe(
      `VERSION 5 anyscheme\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n${OBJECT_INFO_REQUEST} '/pros/name' 0\n`,
    );
  });

  it.each([
    ["prospero://h/", `${OBJECT_INFO_REQUEST} '' 0`, "DIRECTORY ASCII ''; LIST ATTRIBUTES COMPONENTS"],
    [
      "prospero://h/x;OBJECT-VERSION=2",
      `${OBJECT_INFO_REQUEST} x 2`,
      "DIRECTORY ASCII x 2; LIST ATTRIBUTES COMPONENTS",
    ],
    [
      "prospero://h/x;object-version=",
      `${OBJECT_INFO_REQUEST} x ''`,
      "DIRECTORY ASCII x ''; LIST ATTRIBUTES COMPONENTS",
    ],
    [
      "prospero://h/x;ID=REMOTE%2012345",
      `${OBJECT_INFO_REQUEST} x 0; SELECT OBJECT FIELD ID REMOTE 12345`,
      "DIRECTORY ASCII x; LIST ATTRIBUTES COMPONENTS",
    ],
    [
      "prospero://h/x;TITLE=a%20b;=;K=it's",
      `${OBJECT_INFO_REQUEST} x 0; SELECT OBJECT FIELD TITLE SEQUENCE a' b'; SELECT OBJECT FIELD '' SEQUENCE ''; SELECT OBJECT FIELD K SEQUENCE it'''s'`,
      "DIRECTORY ASCII x; LIST ATTRIBUTES COMPONENTS",
    ],
    // For some fields, such as OWNER, the original server accepts a value with or without its type.
    [
      "prospero://h/x;OWNER=SEQUENCE;SIZE=15",
      `${OBJECT_INFO_REQUEST} x 0; SELECT OBJECT FIELD OWNER SEQUENCE SEQUENCE; SELECT OBJECT FIELD SIZE SEQUENCE 15`,
      "DIRECTORY ASCII x; LIST ATTRIBUTES COMPONENTS",
    ],
    [
      "prospero://h/a%20b%27c%3Bd",
      `${OBJECT_INFO_REQUEST} a' b''c;d' 0`,
      "DIRECTORY ASCII a' b''c;d'; LIST ATTRIBUTES COMPONENTS",
    ],
    [
      "prospero://h/caf%C3%A9",
      `${OBJECT_INFO_REQUEST} caf\xc3\xa9 0`,
      "DIRECTORY ASCII caf\xc3\xa9; LIST ATTRIBUTES COMPONENTS",
    ],
    [
      "prospero://archie.example/ARCHIE/MATCH(100,0,=)/prospero.tar.Z",
      `${OBJECT_INFO_REQUEST} ARCHIE'/MATCH(100,0,=)/prospero.tar.Z' 0`,
      "DIRECTORY ASCII ARCHIE'/MATCH(100,0,=)/prospero.tar.Z'; LIST ATTRIBUTES COMPONENTS",
    ],
  ])("planProspero plans the commands for the URL %s", (url, info, list) => {
    const [first, , last] = planRequestMessages(url);
    expect([first, last]).toEqual([info, list]);
  });

  it("planProspero plans the same selection as a captured client", () => {
    const [request] = readCapturedDatagrams("34-select-id");
    const lines = request?.bytes.subarray(9).toString("latin1").trimEnd().split("\n") ?? [];
    const [own = ""] = planRequestMessages(
      "prospero://h//srv/library/prospero/tree/docs/hello.txt;ID=REMOTE%2012345",
    );
    expect(own.split("; ").map(splitAndUnquoteTokens).slice(1)).toEqual(
      lines.map(splitAndUnquoteTokens).slice(3),
    );
  });

  it.each([
    ["%0D%0A", "hsoname"],
    ["%0A", "hsoname"],
    ["%00", "hsoname"],
    ["%0D", "hsoname"],
    ["%09", "hsoname"],
    [";a%0A=b", "name of a field"],
    [";a=b%0A", "value of a field"],
    [";OBJECT-VERSION=2%0A", "value of a field"],
  ])("planProspero refuses to plan an object name or field with %s", (text, what) => {
    const plan = (): unknown => prosperoClient.plan(`prospero://h/x${text}`);
    expect(plan).toThrow(
      expect.objectContaining({
        code: "refused-characters",
        reason: expect.stringContaining(what) as string,
      }) as AccessError,
    );
  });

  it("planProspero plans control bytes with the option allowControlCharacters", () => {
    expect(planRequestMessages("prospero://h/a%09b", { allowControlCharacters: true })[0]).toBe(
      `${OBJECT_INFO_REQUEST} a'\tb' 0`,
    );
  });

  it.each([
    ["user", "a b", "UNAUTHENTICATED a' b'\n"],
    ["user", "", "UNAUTHENTICATED ''\n"],
    ["software", "x/1", "VERSION 5 x'/1'\n"],
  ])("planProspero writes the option %s = %j into the planned message", (name, value, written) => {
    const own = createClient({ schemes: [prospero({ [name]: value })] });
    const [, , send] = own.plan("prospero://h/x").steps;
    expect(Buffer.from(send?.bytes ?? []).toString()).toContain(written);
    expect(() => createClient({ schemes: [prospero({ [name]: "a\nb" })] }).plan("prospero://h/x")).toThrow(
      expect.objectContaining({ code: "refused-characters" }) as AccessError,
    );
  });

  it("planProspero plans one request for stat()", () => {
    const plan = prosperoClient.plan("prospero://h/x", { operation: "stat" });
    expect(plan.steps.map(({ action }) => action)).toEqual([
      "resolve",
      "connect",
      "send",
      "expect",
      "redirect",
      "close",
    ]);
  });
});
