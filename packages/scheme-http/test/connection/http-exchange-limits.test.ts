import type { ClientLimits } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import {
  readResponseFromChunks,
  encodeLatin1,
  mergeTestLimits,
  CHUNKED_RESPONSE_HEAD,
} from "./http-exchange-fixture.ts";

describe("HttpExchange enforces limits on the head and the chunks of an http response", () => {
  const head = (lines: string): string => `HTTP/1.1 200 OK\r\n${lines}\r\n`;
  const withLength = (bytes: number): string => {
    const frame = head("content-length: 0\r\nx: \r\n");
    return frame.replace("x: ", `x: ${"a".repeat(bytes - frame.length)}`);
  };

  it.each<[string, string, Partial<ClientLimits>, string | undefined]>([
    ["a response head of 200 bytes", withLength(200), { maxHeaderBytes: 200 }, undefined],
    ["a response head of 201 bytes", withLength(201), { maxHeaderBytes: 200 }, "maxHeaderBytes"],
    ["a response head of 200 000 bytes", withLength(200_000), { maxHeaderBytes: 200 }, "maxHeaderBytes"],
    ["3 header lines", head("a: 1\r\nb: 2\r\ncontent-length: 0\r\n"), { maxHeaderLines: 3 }, undefined],
    [
      "4 header lines",
      head("a: 1\r\nb: 2\r\nc: 3\r\ncontent-length: 0\r\n"),
      { maxHeaderLines: 3 },
      "maxHeaderLines",
    ],
    ["3 000 header lines", head("a: 1\r\n".repeat(3000)), {}, "maxHeaderLines"],
    ["an endless status line", `HTTP/1.1 200 ${"a".repeat(70_000)}`, {}, "maxHeaderBytes"],
    ["endless blank lines before the status line", "\r\n".repeat(40_000), {}, "maxHeaderBytes"],
    [
      "10 interim responses",
      "HTTP/1.1 103 Hints\r\n\r\n".repeat(10) + head("content-length: 0\r\n"),
      {},
      undefined,
    ],
    ["11 interim responses", "HTTP/1.1 103 Hints\r\n\r\n".repeat(11), {}, "maxInterimResponses"],
    [
      "10 000 trailers",
      `${CHUNKED_RESPONSE_HEAD}0\r\n${"a: bcdefghij\r\n".repeat(10_000)}\r\n`,
      {},
      "maxHeaderLines",
    ],
    [
      "long trailers",
      `${CHUNKED_RESPONSE_HEAD}0\r\n${`a: ${"b".repeat(40_000)}\r\n`.repeat(2)}\r\n`,
      {},
      "maxHeaderBytes",
    ],
    ["an endless trailer", `${CHUNKED_RESPONSE_HEAD}0\r\na: ${"b".repeat(70_000)}`, {}, "maxHeaderBytes"],
    ["a long chunk extension", `${CHUNKED_RESPONSE_HEAD}1;x=${"y".repeat(70_000)}\r\n`, {}, "maxHeaderBytes"],
    [
      "many blanks after a chunk size",
      `${CHUNKED_RESPONSE_HEAD}1${" ".repeat(70_000)}`,
      {},
      "maxHeaderBytes",
    ],
    ...[95, 96].map((count): [string, string, Partial<ClientLimits>, string | undefined] => [
      `a chunk size line of ${count + 5} bytes`,
      `${CHUNKED_RESPONSE_HEAD}1;x=${"y".repeat(count)}\r\na\r\n0\r\n\r\n`,
      { maxHeaderBytes: 100 },
      count === 95 ? undefined : "maxHeaderBytes",
    ]),
    [
      "blank lines before an interim response, and a response head of 100 bytes",
      `${"\r\n".repeat(20)}HTTP/1.1 103 Hints\r\n\r\n${withLength(100)}`,
      { maxHeaderBytes: 100 },
      undefined,
    ],
    [
      "3 trailers",
      `${CHUNKED_RESPONSE_HEAD}0\r\na: 1\r\nb: 2\r\nc: 3\r\n\r\n`,
      { maxHeaderLines: 3 },
      undefined,
    ],
    [
      "4 trailers",
      `${CHUNKED_RESPONSE_HEAD}0\r\na: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\n\r\n`,
      { maxHeaderLines: 3 },
      "maxHeaderLines",
    ],
  ])("HttpExchange enforces the limits for %s", async (_, text, changes, limit) => {
    const bytes = encodeLatin1(text);
    const halves = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)];
    for (const chunks of [[bytes], halves]) {
      const { error } = await readResponseFromChunks(chunks, mergeTestLimits(changes));
      expect([error?.code, error?.limit]).toEqual(
        limit === undefined ? [undefined, undefined] : ["limit", limit],
      );
    }
  });
});
