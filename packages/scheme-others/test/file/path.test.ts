import { file, type FilePlan } from "@anyscheme/scheme-others/file";
import { createClient, publicInternet } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { getSegmentsBelowRoot } from "../../src/file/open-below-root.ts";

function planFile(platform: NodeJS.Platform, text: string): FilePlan {
  const client = createClient({ schemes: [file({ root: "/", platform })] });
  return client.plan(text) as FilePlan;
}

function parseFilePath(
  platform: NodeJS.Platform,
  text: string,
): [drive: string | undefined, names: string[]] {
  const { drive, segments: names } = planFile(platform, text).path;
  return [drive, names.map((name) => Buffer.from(name).toString())];
}

describe("the client refuses file URLs of other hosts", () => {
  // RFC 1738 §3.10: "a VMS file DISK$USER:[MY.NOTES]NOTE123456.TXT might become", and "it does not specify an Internet
  // protocol or access method for such files". The example URL of RFC 1738 contains another number than the VMS file
  // name, which is an error of the RFC.
  it.each<NodeJS.Platform>(["linux", "darwin", "win32"])(
    "the client parses the VMS file URL of RFC 1738 on %s, but refuses to read from its host",
    (platform) => {
      const text = "file://vms.host.edu/disk$user/my/notes/note12345.txt";
      const client = createClient({ schemes: [file({ root: "/", platform })] });
      const url = client.parse(text);
      expect([url.host, url.segments]).toEqual([
        "vms.host.edu",
        ["disk$user", "my", "notes", "note12345.txt"],
      ]);
      const [disk = "", ...rest] = url.segments;
      const name = rest.pop() ?? "";
      expect(`${disk}:[${rest.join(".")}]${name}`.toUpperCase()).toBe("DISK$USER:[MY.NOTES]NOTE12345.TXT");
      expect(() => client.plan(url)).toThrow(
        expect.objectContaining({
          code: "unsupported",
          message: expect.stringContaining("vms.host.edu") as string,
        }),
      );
    },
  );

  it.each(["file://server/share/x", "file://10.0.0.1/c$/x", "file://server.example/C:/x"])(
    "the client rejects %s instead of reading a Windows network share, and looks up no host name",
    async (text) => {
      await using client = createClient({
        schemes: [file({ root: "/", platform: "win32" })],
        policy: publicInternet(),
        resolver: () => expect.unreachable("the client looks up a host name"),
      });
      await expect(client.dereference(text)).rejects.toMatchObject({
        code: "unsupported",
        advice: expect.stringContaining("network share") as string,
      });
    },
  );
});

describe("the client checks file names on Windows", () => {
  const mapped: [text: string, drive: string | undefined, names: string[]][] = [
    ["file:///C:/Users/joe/a.txt", "C:", ["Users", "joe", "a.txt"]],
    ["file:///c:/", "C:", [""]],
    ["file:///C:", "C:", []],
    ["file:///C%7C/old", "C:", ["old"]],
    ["file:///C|/old", "C:", ["old"]],
    ["file:/c:/x", "C:", ["x"]],
    ["file:///c|/x", "C:", ["x"]],
    ["file:///folder/a.txt", undefined, ["folder", "a.txt"]],
    ["file:///C:/..", "C:", [""]],
    ["file:///C:/../../x", "C:", ["x"]],
    ["file:///C|/%2e%2E/x", "C:", ["x"]],
    ["file:///%43%3a/../x", "C:", ["x"]],
    ["file:///../C:/../x", "C:", ["x"]],
    ["file:///a/../C:/x", "C:", ["x"]],
    ["file:///C:/a/..", "C:", [""]],
    ["file:///a/../../b", undefined, ["b"]],
    ["file:///a/.hidden", undefined, ["a", ".hidden"]],
    ["file:///console.log", undefined, ["console.log"]],
    ["file:///com10", undefined, ["com10"]],
    ["file:///gr%C3%BC%C3%9Fe", undefined, ["grüße"]],
  ];
  it.each(mapped)("the client converts the URL %s to a Windows path", (text, drive, names) => {
    expect(parseFilePath("win32", text)).toEqual([drive, names]);
  });

  const refused: [text: string, because: RegExp][] = [
    ["file:///a/C:/x", /character/],
    ["file:///CC:/x", /character/],
    ["file:///a.txt:stream", /character/],
    ["file:///C:/a.txt::$DATA", /character/],
    ["file:///%5C%5Cserver/share", /character/],
    ["file:///a%5C..%5Cb", /character/],
    ["file:////server/share/x", /empty/],
    ["file://///server/share/x", /empty/],
    ["file:///%3F/C:/x", /character/],
    ["file:///?/C:/x", /character/],
    ["file:///a%0Ab", /control/],
    ["file:///a.", /dot or blank/],
    ["file:///a%20", /dot or blank/],
    ["file:///.../x", /dot or blank/],
    ["file:///nul", /device/],
    ["file:///a/NUL.txt", /device/],
    ["file:///Con%20.txt", /device/],
    ["file:///COM1", /device/],
    ["file:///lpt%C2%B9.log", /device/],
    ["file:///conin$", /device/],
    ["file:///%E9", /UTF-8/],
    ["file:///a?/../b", /character/],
    ["file:///..%5C..%5Cb", /character/],
  ];
  it.each(refused)("the client refuses the file name in %s on Windows", (text, because) => {
    expect(() => planFile("win32", text)).toThrow(
      expect.objectContaining({
        code: "refused-characters",
        message: expect.stringMatching(because) as string,
      }),
    );
  });

  const drives: [root: string, text: string, names: string[] | undefined][] = [
    ["C:\\data", "file:///C:/data/a.txt", ["a.txt"]],
    ["C:\\data", "file:///c:/DATA/b/a.txt", ["b", "a.txt"]],
    ["C:\\data", "file:///C:/data/b/", ["b", ""]],
    ["C:\\data", "file:///C:/data", []],
    ["C:\\", "file:///C:/Windows", ["Windows"]],
    ["C:\\data", "file:///a.txt", ["a.txt"]],
    ["C:\\data", "file:///C:/database/a", undefined],
    ["C:\\data", "file:///C:/Windows/win.ini", undefined],
    ["C:\\data", "file:///D:/data/a.txt", undefined],
    ["\\\\server\\share", "file:///C:/a", undefined],
  ];
  it.each(drives)(
    "a client with the root %s maps the URL %s to the Windows names %j",
    (root, text, names) => {
      const { path: place } = planFile("win32", text);
      if (names === undefined)
        expect(() => getSegmentsBelowRoot(Buffer.from(root), place)).toThrow(
          expect.objectContaining({ code: "permission-denied" }),
        );
      else
        expect(
          getSegmentsBelowRoot(Buffer.from(root), place).map((name) => Buffer.from(name).toString()),
        ).toEqual(names);
    },
  );
});

describe("the client checks file names on Linux and macOS", () => {
  it("the client accepts names that mean drives, devices and streams on Windows", () => {
    for (const text of ["C:", "C:/x", "nul", "a.", "a%5Cb", "a:b", "%E9", "..namedfork"])
      expect(parseFilePath("linux", `file:///${text}`)[0]).toBeUndefined();
  });

  it("the client refuses the name of a resource fork on macOS", () => {
    expect(() => planFile("darwin", "file:///a/..namedfork/rsrc")).toThrow(
      expect.objectContaining({ code: "refused-characters" }),
    );
    expect(parseFilePath("darwin", "file:///namedfork")).toEqual([undefined, ["namedfork"]]);
  });
});
