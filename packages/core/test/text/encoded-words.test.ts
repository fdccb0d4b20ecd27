import { expect, it } from "vitest";
import { decodeEncodedWords } from "../../src/text/encoded-words.ts";

it.each([
  // The examples of RFC 2047 §8
  ["(=?ISO-8859-1?Q?a?=)", "(a)"],
  ["(=?ISO-8859-1?Q?a?= b)", "(a b)"],
  ["(=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=)", "(ab)"],
  ["(=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=)", "(ab)"],
  ["(=?ISO-8859-1?Q?a_b?=)", "(a b)"],
  ["(=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=)", "(a b)"],
  ["=?US-ASCII?Q?Keith_Moore?= <moore@cs.utk.edu>", "Keith Moore <moore@cs.utk.edu>"],
  ["=?ISO-8859-1?Q?Andr=E9?= Pirard <PIRARD@vm1.ulg.ac.be>", "André Pirard <PIRARD@vm1.ulg.ac.be>"],
  [
    "=?ISO-8859-1?B?SWYgeW91IGNhbiByZWFkIHRoaXMgeW8=?= =?ISO-8859-2?B?dSB1bmRlcnN0YW5kIHRoZSBleGFtcGxlLg==?=",
    "If you can read this you understand the example.",
  ],
  ["Re: =?utf-8?b?5pel5pys?= and =?koi8-r?q?=D4?=", "Re: 日本 and т"],
  // RFC 2231 §5: a language after the charset
  ["=?us-ascii*en-US?Q?one?=", "one"],
  // Many programs divide a character of several bytes between two words.
  ["=?utf-8?q?caf=C3?= =?utf-8?q?=A9?=", "café"],
  ["=?utf-8?q?caf=C3?= x", "caf\ufffd x"],
  ["=?x-unknown?q?a?= =?utf-8?q?b?=", "=?x-unknown?q?a?= b"],
  ["=?utf-8?x?a?= =? ?= =?utf-8?q?a b?=", "=?utf-8?x?a?= =? ?= =?utf-8?q?a b?="],
  ["plain = text?", "plain = text?"],
  ["", ""],
])("decodeEncodedWords decodes %j as %j", (text, decoded) => expect(decodeEncodedWords(text)).toBe(decoded));

it.each(["=?", "=?utf-8?q?", "=?utf-8?q?a?= ", "=?x?q?=\t"])(
  "decodeEncodedWords decodes 100 000 repetitions of %j in linear time",
  (part) => {
    const start = performance.now();
    decodeEncodedWords(part.repeat(100_000));
    expect(performance.now() - start).toBeLessThan(5_000);
  },
);
