import { describeScheme, type ServedTestObject } from "@anyscheme/core/testing";
import { news } from "@anyscheme/scheme-others/news";
import { startNntpTestServer } from "@anyscheme/servers";
import { describe, it } from "vitest";

const articleText = "Subject: caf\xe9\nMessage-ID: <one@example.org>\n\n.dot\n..\n.\nlast\n";
let serverPort = 119;

async function startNewsServer(): Promise<ServedTestObject> {
  const bytes = Buffer.from(articleText.replaceAll("\n", "\r\n"), "latin1");
  const server = await startNntpTestServer({ groups: { "test.general": { articles: [bytes] } } });
  ({ port: serverPort } = server);
  return {
    bytes,
    url: () => "news:one@example.org",
    missingUrl: () => "news:two@example.org",
    stop: () => server.stop(),
  };
}

describeScheme({ describe, it }, "news", {
  scheme: () => news({ servers: [{ host: "127.0.0.1", port: serverPort }] }),
  valid: ["news:comp.infosystems.www.misc", "news:*", "news:12345.abc/def?x@news.example.org"],
  invalid: ["news:", "news:@h", "news:a b", "news:a@", "news:<x@y", "news:/x"],
  serve: startNewsServer,
  skip: {
    network:
      "a news URL has no port for a recording proxy, and test/news/dereference.test.ts tests the sent commands",
  },
});
