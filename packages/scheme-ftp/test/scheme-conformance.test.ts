import { describeScheme, type ServedTestObject } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { startFtpTestServer } from "@anyscheme/servers";
import { describe, it } from "vitest";

async function startConformanceServer(): Promise<ServedTestObject> {
  const bytes = Buffer.from("GIF89a\0\r\n.\r\n and more\n\xff");
  const server = await startFtpTestServer({ files: { "pictures/picture.gif": bytes } });
  const at = (name: string) => (port: number | undefined) => `ftp://127.0.0.1:${port}/pictures/${name}`;
  return {
    bytes,
    port: server.port,
    url: at("picture.gif"),
    missingUrl: at("missing.gif"),
    stop: () => server.stop(),
  };
}

describeScheme({ describe, it }, "ftp", {
  scheme: ftp,
  valid: [
    "ftp://ftp.example.org",
    "ftp://ftp.example.org/",
    "ftp://ftp.example.org:2121/pub/a.txt",
    "ftp://ftp.example.org//etc/%2Fmotd;type=a",
    "ftp://ftp.example.org/pub/;type=D",
  ],
  invalid: [
    "ftp:",
    "ftp:/h/",
    "ftp:///",
    "ftp://a@b@h/",
    "ftp://h:port/",
    "ftp://h/a;type=x",
    "ftp://h/a;type=i/b",
  ],
  serve: startConformanceServer,
});
