import {
  createBodyFramingDecoder,
  ReceivedByteCounter,
} from "../../../packages/scheme-http/src/response/body-framing-decoder.ts";
import { ResponseHeadParser } from "../../../packages/scheme-http/src/response/head-parser.ts";
import { type FuzzedDecoder, assertCondition } from "../decoder-target.ts";

const responseSamples = [
  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a="b c"\r\nhello\r\n0a\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\nHTTP/1.1 ',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5  \r\nhello\r\n1\t; a = "b c" ; d \r\n!\r\n0 \r\n\r\n',
  "HTTP/1.0 404 Not Found\r\nServer: caf\xe9\r\nSet-Cookie: a\r\nset-cookie:\t b \r\n\r\nuntil the end",
  "\r\nHTTP/1.1 304 \r\nETag: x\r\nContent-Length: 5\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n",
];

export const fuzzedHttpResponseDecoders: readonly FuzzedDecoder[] = ["GET", "HEAD"].map((method) => ({
  name: `HTTP responses to ${method}`,
  samples: responseSamples,
  *decode(chunks, limits) {
    const received = new ReceivedByteCounter(limits);
    const head = new ResponseHeadParser(received);
    let decoder: ReturnType<typeof createBodyFramingDecoder> | undefined;
    let content = "";
    let trailingBytes = 0;
    try {
      for (const chunk of chunks) {
        let unread = chunk;
        if (!decoder) {
          const parsed = head.push(unread);
          if (!parsed) continue;
          assertCondition(
            parsed.consumedBytes <= unread.length,
            "the parser consumes more bytes than it received",
          );
          decoder = createBodyFramingDecoder(parsed.head, method, received);
          yield [parsed.head.status, Object.entries(parsed.head.headers), decoder.length];
          unread = unread.subarray(parsed.consumedBytes);
        }
        const consumed = decoder.push(unread, (bytes) => {
          received.resetBytesWithoutContent();
          content += Buffer.from(bytes).toString("latin1");
          return true;
        });
        assertCondition(consumed <= unread.length, "the parser consumes more bytes than it received");
        trailingBytes += unread.length - consumed;
        assertCondition(
          trailingBytes === 0 || decoder.isDone,
          "the decoder leaves bytes before the end of the body",
        );
      }
    } finally {
      yield [content, trailingBytes, decoder?.isDone];
    }
  },
}));
