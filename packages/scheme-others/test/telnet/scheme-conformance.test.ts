import { describeScheme, startScriptedServer } from "@anyscheme/core/testing";
import { telnet } from "@anyscheme/scheme-others/telnet";
import { describe, it } from "vitest";

describeScheme({ describe, it }, "telnet", {
  scheme: telnet,
  valid: ["telnet://user:password@host.dom:23/", "telnet://host.dom", "telnet://user@10.0.0.1/"],
  invalid: ["telnet://", "telnet:host", "telnet://host/path", "telnet://host:99999/", "http://host/"],
  skip: {
    content: "a telnet URL designates no data object, and session.test.ts tests connect()",
  },
  async serve() {
    const server = await startScriptedServer((peer) => peer.closed);
    return {
      port: server.port,
      url: (port = server.port) => `telnet://127.0.0.1:${port}/`,
      stop: () => server.stop(),
    };
  },
});
