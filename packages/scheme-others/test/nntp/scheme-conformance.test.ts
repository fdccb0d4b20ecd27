import { describeScheme, type ServedTestObject } from "@anyscheme/core/testing";
import { nntp } from "@anyscheme/scheme-others/nntp";
import { startNntpTestServer } from "@anyscheme/servers";
import { describe, it } from "vitest";

const articleText = "Subject: caf\xe9\nMessage-ID: <one@example.org>\n\n.dot\n..\n.\nlast\n";

async function startNewsServer(): Promise<ServedTestObject> {
  const bytes = Buffer.from(articleText.replaceAll("\n", "\r\n"), "latin1");
  const server = await startNntpTestServer({ groups: { "test.general": { articles: [bytes] } } });
  const createUrlBuilder = (number: number) => (port: number | undefined) =>
    `nntp://127.0.0.1:${port}/test.general/${number}`;
  return {
    bytes,
    port: server.port,
    url: createUrlBuilder(1),
    missingUrl: createUrlBuilder(2),
    stop: () => server.stop(),
  };
}

describeScheme({ describe, it }, "nntp", {
  scheme: nntp,
  valid: [
    "nntp://news.example.org/comp.infosystems.www.misc/4711",
    "nntp://news.example.org:119/comp.lang.c",
    "nntp://news.example.org:1119/comp.lang.c++",
  ],
  invalid: [
    "nntp:",
    "nntp:/h/a",
    "nntp:///a/1",
    "nntp://u@h/a/1",
    "nntp://h:port/a",
    "nntp://h/*",
    "nntp://h/a/x",
  ],
  serve: startNewsServer,
});
