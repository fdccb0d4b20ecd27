import { expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { startGophernicus } from "../../src/gophernicus/gophernicus.ts";
import { loopbackHasIpv6 } from "../../src/loopback.ts";
import { sendAndReceiveAll } from "../test-servers/send-and-receive.ts";
import { stopServerAndExpectCleanup } from "./stop-server-and-expect-cleanup.ts";

describeIfServerAvailable("gophernicus", "gophernicus", () => {
  it("gophernicus serves the sample files and additional files", async () => {
    await using server = await startGophernicus({ files: { "dir/more.txt": "more\n" } });
    const expectedResponses: [request: string, answer: RegExp][] = [
      [
        "",
        /^iWelcome to the test hole\t[^]*\r\n0A text file\t\/hello\.txt\tlocalhost\t\d+\r\n[^]*\r\n\.\r\n$/,
      ],
      ["", new RegExp(`\r\n1A folder\t/dir\tlocalhost\t${server.port}\r\n`)],
      ["", /\r\nTTN3270\tguest\t127\.0\.0\.1\t23\r\n/],
      ["/hello.txt", /^hello\r\n\.dot line\r\nlast\r\n$/],
      ["/pic.gif", /^GIF89a[^]{28};$/],
      ["/dir", /\t\/dir\/in\.txt\t[^]*\t\/dir\/more\.txt\t/],
      ["/cgi-bin/search\tfoo bar", /^query=\[foo bar\] \[foo bar\]\r\n$/],
      ["/missing", /^Error: File or directory not found!/],
    ];
    for (const [request, response] of expectedResponses) {
      expect(await sendAndReceiveAll(server.port, `${request}\r\n`), request).toMatch(response);
    }
    await stopServerAndExpectCleanup(server);
  });

  it.runIf(loopbackHasIpv6)("two gophernicus servers run at once, one of them on IPv6", async () => {
    const servers = await Promise.all([startGophernicus({ address: "::1" }), startGophernicus()]);
    for (const { port, address } of servers) {
      expect(await sendAndReceiveAll(port, "/dir/in.txt\r\n", address)).toBe("inside\r\n");
    }
    await Promise.all(servers.map(stopServerAndExpectCleanup));
  });
});
