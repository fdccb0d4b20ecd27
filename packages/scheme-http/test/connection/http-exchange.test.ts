import { AccessError } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import { describe, expect, it } from "vitest";
import {
  createChunkSource,
  createHttpExchangeOnFakeConnection,
  readResponseFromChunks,
  encodeLatin1,
  readResponseFromText,
  CHUNKED_RESPONSE_HEAD,
  type ReadResponseOutcome,
} from "./http-exchange-fixture.ts";

/** The raw HTTP responses to parse, with the expected status and the expected body or error code. */
const RESPONSE_CASES: Readonly<
  Record<string, readonly [text: string, status: number, contentOrCode: string]>
> = {
  "a response with a Content-Length": [
    "HTTP/1.1 200 Fine By Me\r\nContent-Length: 5\r\nX-A: 1\r\nx-a:  2 \r\n\r\nhello",
    200,
    "hello",
  ],
  "a response with a Content-Length and keep-alive": [
    "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
    200,
    "hi",
  ],
  "a response that ends when the connection closes": [
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
    200,
    "hello",
  ],
  "a response of HTTP/1.0": ["HTTP/1.0 200 OK\r\n\r\nhello", 200, "hello"],
  "a chunked response": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nX-Trailer: long enough\r\n\r\n",
    200,
    "hello",
  ],
  "a response after interim responses": [
    "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!",
    200,
    "!",
  ],
  "a response without a body": ["HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n", 204, ""],
  "a response with the status 204 and a Content-Length": [
    "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
    204,
    "",
  ],
  "a response with the status 304 and a Content-Length": [
    "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    304,
    "",
  ],
  "a response with zeros before the Content-Length": [
    "HTTP/1.1 200 OK\r\nContent-Length: 0000000000000001\r\n\r\na",
    200,
    "a",
  ],
  "a response with zeros before the chunk sizes": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0000000000000001;x=y\r\na\r\n0000000000000000\r\n\r\n",
    200,
    "a",
  ],
  "a response with blanks after the chunk sizes": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n0\t \r\n\r\n",
    200,
    "hello",
  ],
  "a response with blanks around the chunk extensions": [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3 ; a\t=\tb ;\tc\r\nhel\r\n2; a = "; b" \t\r\nlo\r\n0 ;a\r\n\r\n',
    200,
    "hello",
  ],
  "a response with a Content-Length of 0": ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, ""],
  "a response whose body is shorter than its Content-Length": [
    "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello",
    200,
    "incomplete",
  ],
  "a response with keep-alive whose body is shorter than its Content-Length": [
    "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 6\r\n\r\nhello",
    200,
    "incomplete",
  ],
  "a response that ends within a chunk": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello",
    200,
    "incomplete",
  ],
  "a response that ends before the last chunk": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    200,
    "incomplete",
  ],
  "a response with an invalid chunk size": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
    200,
    "protocol",
  ],
  "a response with a chunk size that is too large": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello",
    200,
    "protocol",
  ],
};

describe("HttpExchange parses an http response", () => {
  for (const [name, [text, status, expected]] of Object.entries(RESPONSE_CASES)) {
    const bytes = encodeLatin1(text);
    const check = ({ response, content, error }: ReadResponseOutcome): void => {
      expect(response).toMatchObject({ status, version: text.slice(5, 8) });
      expect(error?.code ?? content).toBe(expected);
      if (name === "a response with a Content-Length") {
        expect(response?.reason).toBe("Fine By Me");
        expect({ ...response?.headers }).toEqual({ "content-length": ["5"], "x-a": ["1", "2"] });
      }
    };

    it(`HttpExchange parses ${name} that arrives in one chunk, one byte at a time, or split at any byte`, async () => {
      check(await readResponseFromChunks([bytes]));
      check(await readResponseFromChunks(Array.from(bytes, (byte) => new Uint8Array([byte]))));
      for (let cut = 1; cut < bytes.length; cut++) {
        check(await readResponseFromChunks([bytes.subarray(0, cut), bytes.subarray(cut)]));
      }
    });
  }

  it("a response with a Content-Length that ends at any earlier byte is incomplete", async () => {
    const bytes = encodeLatin1("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    for (let length = 0; length < bytes.length; length++) {
      expect((await readResponseFromChunks([bytes.subarray(0, length)])).error?.code).toBe("incomplete");
    }
  });
});

describe("HttpExchange rejects bytes that are no valid http response", () => {
  it.each([
    ["no bytes", "", "incomplete"],
    ["the bytes of another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "protocol"],
    ["an HTML text instead of a response head", "<html>hello</html>", "protocol"],
    ["a status below 100", "HTTP/1.1 099 Low\r\n\r\n", "protocol"],
    [
      "a Content-Length of 16 digits after a zero",
      "HTTP/1.1 200 OK\r\nContent-Length: 01000000000000001\r\n\r\na",
      "protocol",
    ],
    [
      "a chunk size of 14 digits after zeros",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0010000000000001\r\na\r\n0\r\n\r\n",
      "protocol",
    ],
    ...[
      " 1",
      "\t1",
      "1 0",
      "1\v",
      "1\xa0",
      "1 x",
      "1;",
      "1 ; ",
      "1;;x",
      "1;x y",
      "1;x=",
      "1;x= ",
      '1;x="y',
    ].map((line): [string, string, string] => [
      `the chunk size line ${JSON.stringify(line)}`,
      `${CHUNKED_RESPONSE_HEAD}${line}\r\na\r\n0\r\n\r\n`,
      "protocol",
    ]),
    ["a status line without a number", "HTTP/1.1 OK\r\n\r\n", "protocol"],
    ["another HTTP version", "HTTP/3.7 200 OK\r\n\r\n", "protocol"],
    ["a header line without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "protocol"],
    ["a folded header", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n", "protocol"],
    ["a blank in a header name", "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n", "protocol"],
    ["a control byte in a header", "HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", "protocol"],
    [
      "two Content-Length headers",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "protocol",
    ],
    [
      "Content-Length and Transfer-Encoding",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "protocol",
    ],
    ["a Content-Length that is not a number", "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\na", "protocol"],
    [
      "a Content-Length that is too large",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\na",
      "protocol",
    ],
    [
      "a transfer coding that was not requested",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "unsupported",
    ],
    [
      "an upgrade",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
      "protocol",
    ],
  ])("HttpExchange rejects a response with %s", async (_, text, code) => {
    const { error } = await readResponseFromText(text);
    expect(error?.code ?? "ok").toBe(code);
  });
});

describe("HttpExchange detects faults of an http response before the line ends", () => {
  const chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  it.each([
    ["a status line that ends with a bare LF", "HTTP/1.1 200 OK\n"],
    ["a header line that ends with a bare LF", "HTTP/1.1 200 OK\r\nA: b\n"],
    ["a response head whose lines end with bare LFs", "HTTP/1.1 200 OK\nContent-Length: 0\n\n"],
    ["a response head whose blank line is a bare LF", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\n"],
    ["a status line that ends with a bare CR", "HTTP/1.1 200 OK\rA"],
    ["a header line that ends with a bare CR", "HTTP/1.1 200 OK\r\nA: b\rC"],
    ["a status line that ends with two CRs", "HTTP/1.1 200 OK\r\r\n"],
    [
      "a status line that ends with a bare LF after an interim response",
      "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\n",
    ],
    ["a chunk size that ends with a bare LF", `${chunks}5\n`],
    ["a chunk size that ends with a bare CR", `${chunks}5\rh`],
    ["a chunk that has no CR LF at its end", `${chunks}1\r\nax`],
    ["a chunk that ends with a bare LF", `${chunks}1\r\na\n`],
    ["a chunk that ends with a bare CR", `${chunks}1\r\na\r0`],
    ["a trailer that ends with a bare LF", `${chunks}0\r\na: b\n`],
    ["a trailer that ends with a bare CR", `${chunks}0\r\na: b\rc`],
    ["a trailer section that ends with a bare LF", `${chunks}0\r\n\n`],
  ])("HttpExchange rejects %s before the response is complete", async (_, text) => {
    const bytes = encodeLatin1(text);
    for (let cut = 0; cut < bytes.length; cut++) {
      const { error } = await readResponseFromChunks([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(error?.code).toBe("protocol");
    }
    expect((await readResponseFromChunks(Array.from(bytes, (byte) => Uint8Array.of(byte)))).error?.code).toBe(
      "protocol",
    );
  });
});

describe("the error of a malformed http response states a reason", () => {
  const ok = (fields: string): string => `HTTP/1.1 200 OK\r\n${fields}\r\n`;
  it.each([
    [ok("A: \0\r\n"), "the head has a control character"],
    [ok("nonsense\r\n"), "a header line has no valid name"],
    [
      ok("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
      "the headers contain both a Content-Length and a Transfer-Encoding",
    ],
    ["HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.0 has no Transfer-Encoding"],
    [ok("Content-Length: 1\r\nContent-Length: 2\r\n"), "it has several Content-Lengths"],
    [ok("Content-Length: x\r\n"), "the Content-Length is not a number"],
    [`${CHUNKED_RESPONSE_HEAD}zz\r\n`, "the size line of a chunk is invalid"],
    [`${CHUNKED_RESPONSE_HEAD}1 0\r\n`, "the size line of a chunk is invalid"],
    [`${CHUNKED_RESPONSE_HEAD}1\r\nab`, "a chunk is longer than its stated size"],
    [`${CHUNKED_RESPONSE_HEAD}0\r\na: \0\r\n`, "a trailer has a control character"],
    [`${CHUNKED_RESPONSE_HEAD}0\r\nnonsense\r\n`, "a header line has no valid name"],
  ])("the error of the malformed response %j has the reason %j", async (text, reason) => {
    expect((await readResponseFromText(text)).error).toMatchObject({
      code: "protocol",
      reason: `the response is malformed: ${reason}`,
    });
  });
});

describe("HttpExchange implements ByteSource", () => {
  const reply = encodeLatin1("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd");
  const chunks = [reply.subarray(0, -4), ...["a", "b", "c", "d"].map(encodeLatin1)];

  it("an HttpExchange reads no more chunks than its reader accepts", async () => {
    const turns: string[] = [];
    const source = createChunkSource(chunks);
    const counting: ByteSource = {
      readChunks: (take) => source.readChunks((bytes) => (turns.push(String(bytes.length)), take(bytes))),
      cancel: () => source.cancel(),
    };
    const exchange = createHttpExchangeOnFakeConnection(counting);
    await exchange.readHead();
    expect(turns).toHaveLength(1);
    expect(await exchange.readChunks(() => false)).toBe("more");
    expect(turns).toHaveLength(2);
  });

  it("reading a cancelled HttpExchange rejects with aborted", async () => {
    const exchange = createHttpExchangeOnFakeConnection(createChunkSource(chunks));
    await exchange.readHead();
    exchange.cancel();
    await expect(exchange.readChunks(() => true)).rejects.toMatchObject({ code: "aborted" });
  });

  it("reading an HttpExchange rejects with the error that the callback threw", async () => {
    const exchange = createHttpExchangeOnFakeConnection(createChunkSource(chunks));
    await exchange.readHead();
    const failure = new AccessError("limit", "enough");
    const take = (): boolean => {
      throw failure;
    };
    await expect(exchange.readChunks(take)).rejects.toBe(failure);
    await expect(exchange.readChunks(() => true)).rejects.toBe(failure);
  });
});
