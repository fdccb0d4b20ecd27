import { describe, expect, it } from "vitest";
import { parseMdtmReply, parseSizeReply } from "../../src/session/reply.ts";
import { parseMlsdLine, parseMlstReply } from "../../src/listing/mlsd-format.ts";
import { parseListDate } from "../../src/listing/list-line-parser.ts";

describe("MLSD facts and SIZE, MDTM and MLST replies (RFC 3659) are parsed", () => {
  it.each<[string, object | undefined]>([
    ["type=file;size=5;modify=19991005213102; a b", { name: "a b", kind: "file", size: 5 }],
    ["Type=Dir;Modify=19991005213102.014; d", { name: "d", kind: "directory" }],
    ["type=OS.unix=slink:/etc; l", { name: "l", kind: "link" }],
    ["type=OS.unix=symlink;UNIX.mode=0777; l", { name: "l", kind: "link" }],
    ["type=OS.unix=chr-1/3; null", { name: "null", kind: "special" }],
    ["type=OS.unix=blkdev;size=0; sda", { name: "sda", kind: "special" }],
    ["type=OS.unix=socket; log", { name: "log", kind: "special" }],
    ["type=OS.unix=door; d", { name: "d", kind: "unknown" }],
    ["type=constructor; x", { name: "x", kind: "unknown" }],
    ["type=cdir; .", { type: "cdir" }],
    [" only a name", { name: "only a name", kind: "unknown", size: undefined, modified: undefined }],
    ["type=file;size=99999999999999999999; x", { size: undefined }],
    ["type=file;size=-1; x", { size: undefined }],
    ["type=file;modify=20260231000000; x", { name: "x", modified: undefined }],
    ["type=file;modify=20261301000000; x", { name: "x", modified: undefined }],
    ["type=file; ../../etc/passwd", { name: "../../etc/passwd" }],
    ["nothing", undefined],
  ])('the parser returns the facts and the name of the MLSD line "%s"', (line, expected) => {
    const facts = parseMlsdLine(line);
    if (expected === undefined) expect(facts).toBeUndefined();
    else expect(facts).toMatchObject(expected);
  });

  it.each([
    ["213 5", 5],
    ["213 0", 0],
    ["213 9007199254740991", Number.MAX_SAFE_INTEGER],
    ["213 9007199254740992", undefined],
    ["213 10000000000000000", undefined],
    ["213 5 bytes", undefined],
    ["213 five", undefined],
    ["213 ", undefined],
    ["550 no", undefined],
  ])('the parser parses the SIZE reply "%s" as %s', (text, size) => {
    expect(parseSizeReply({ code: text.slice(0, 3), text })).toBe(size);
  });

  it.each([
    ["213 19991005213102", "1999-10-05T21:31:02.000Z"],
    ["213 19980615100045.014", "1998-06-15T10:00:45.014Z"],
    ["213 20240229235960", "2024-03-01T00:00:00.000Z"],
    ["213 199910052131", undefined],
    ["213 00000000000000", undefined],
    ["213 20260231120000", undefined],
    ["213 20250229120000", undefined],
    ["213 20261301120000", undefined],
    ["213 20260001120000", undefined],
    ["213 20260100120000", undefined],
    ["213 20260101250000", undefined],
    ["213 20260101240000", undefined],
    ["213 20260101126000", undefined],
    ["213 20260101120061", undefined],
    // Some servers write the year 2000 as 19100. The parser rejects such a time.
    ["213 191001005213102", undefined],
    ["550 no", undefined],
  ])('the parser parses the MDTM reply "%s" as the time %s', (text, time) => {
    expect(parseMdtmReply({ code: text.slice(0, 3), text })?.toISOString()).toBe(time);
  });

  it("the parser parses the facts in a reply to MLST", () => {
    const text = "250-Listing /x\n type=file;size=7; /x\n250 End";
    expect(parseMlstReply({ code: "250", text })).toMatchObject({ kind: "file", size: 7 });
    expect(parseMlstReply({ code: "250", text: "250 nothing" })).toBeUndefined();
  });
});

describe("parseListDate parses the dates of LIST lines", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  it.each([
    ["Nov 20 21:09", "2025-11-20T21:09:00.000Z"],
    ["Mar 01 11:59", "2026-03-01T11:59:00.000Z"],
    ["Mar  2 11:59", "2026-03-02T11:59:00.000Z"],
    ["Mar  3 12:01", "2025-03-03T12:01:00.000Z"],
    ["Feb 28  2024", "2024-02-28T00:00:00.000Z"],
    ["20 Nov 2024", "2024-11-20T00:00:00.000Z"],
    ["2026-01-02 03:04", "2026-01-02T03:04:00.000Z"],
    ["12-05-96 05:03PM", "1996-12-05T17:03:00.000Z"],
    ["12-05-26 12:03AM", "2026-12-05T00:03:00.000Z"],
    ["12-05-2026 13:03", "2026-12-05T13:03:00.000Z"],
    ["Feb 29 12:00", undefined],
    ["Feb 31 12:00", undefined],
    ["Feb 29  2025", undefined],
    ["31 Apr 2024", undefined],
    ["Nov  0 12:00", undefined],
    ["Nov 20 25:00", undefined],
    ["Nov 20 12:60", undefined],
    ["2026-13-02 03:04", undefined],
    ["2026-02-31 03:04", undefined],
    ["2026-01-02 24:00", undefined],
    ["0000-00-00 00:00", undefined],
    ["02-31-96 05:03PM", undefined],
    ["13-05-96 05:03PM", undefined],
    ["12-05-96 13:03PM", undefined],
    ["12-05-96 00:03AM", undefined],
    ["12-05-96 25:03", undefined],
    ["on 12-05-96 05:03PM", undefined],
    ["12-05-96 05:03PM sharp", undefined],
    ["11月 20日 21:09", undefined],
    ["", undefined],
  ])('parseListDate parses the LIST date "%s" as %s', (text, expected) => {
    expect(parseListDate(text, now)?.toISOString()).toBe(expected);
  });

  it.each([
    ["2025-12-31T12:00:00Z", "Jan  1 06:00", "2026-01-01T06:00:00.000Z"],
    ["2026-01-01T12:00:00Z", "Dec 31 06:00", "2025-12-31T06:00:00.000Z"],
    ["2025-01-15T12:00:00Z", "Feb 29 06:00", "2024-02-29T06:00:00.000Z"],
    ["2028-03-01T12:00:00Z", "Feb 29 06:00", "2028-02-29T06:00:00.000Z"],
  ])('parseListDate at the time %s parses the LIST date "%s" as %s', (at, text, expected) => {
    expect(parseListDate(text, new Date(at))?.toISOString()).toBe(expected);
  });
});
