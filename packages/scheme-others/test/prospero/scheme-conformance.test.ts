import { describeScheme, startDatagramRecordingProxy } from "@anyscheme/core/testing";
import { prospero } from "@anyscheme/scheme-others/prospero";
import { startProsperoTestServer } from "@anyscheme/servers";
import { describe, it } from "vitest";

/** Removes the header of a datagram, whose first byte is the length of the header. */
const removePacketHeader = (datagram: Uint8Array): Uint8Array => datagram.subarray(datagram[0]);

describeScheme({ describe, it }, "prospero", {
  scheme: prospero,
  valid: [
    "prospero://host.dom//pros/name",
    "prospero://host.dom:1525//pros/name;OBJECT-VERSION=2",
    "prospero://host.dom/ARCHIE/MATCH(100,0,=)/prospero.tar.Z",
    "prospero://h/",
    "prospero://h/it's;=;a=%20b",
  ],
  invalid: [
    "prospero:",
    "prospero:///x",
    "prospero://h",
    "prospero://u@h/x",
    "prospero://h/x;a",
    "prospero://h:p/",
  ],
  recordingProxy: (port) => startDatagramRecordingProxy(port, removePacketHeader),
  async serve() {
    const bytes = Buffer.from("one\r\nit's\0\xff\n");
    const server = await startProsperoTestServer({ objects: { "/docs/greeting.txt": bytes } });
    return {
      bytes,
      port: server.port,
      url: (port) => `prospero://127.0.0.1:${port}//docs/greeting.txt`,
      missingUrl: (port) => `prospero://127.0.0.1:${port}//docs/nothing`,
      stop: () => server.stop(),
    };
  },
});
