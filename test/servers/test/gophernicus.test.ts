import { expect, it } from "vitest";
import { describeWithServer } from "../src/describe-server.ts";
import { startGophernicus } from "../src/gophernicus/gophernicus.ts";
import { loopbackHasIpv6 } from "../src/loopback.ts";
import { exchange } from "./exchange.ts";
import { expectToStop } from "./processes.ts";

describeWithServer("gophernicus", "gophernicus", () => {
  it("serves its files", async () => {
    await using server = await startGophernicus({ files: { "dir/more.txt": "more\n" } });
    const rows: [request: string, answer: RegExp][] = [
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
    for (const [request, answer] of rows) {
      expect(await exchange(server.port, `${request}\r\n`), request).toMatch(answer);
    }
    await expectToStop(server);
  });

  it.runIf(loopbackHasIpv6)("listens on IPv6 too, and runs twice at once", async () => {
    const servers = await Promise.all([startGophernicus({ address: "::1" }), startGophernicus()]);
    for (const { port, address } of servers) {
      expect(await exchange(port, "/dir/in.txt\r\n", address)).toBe("inside\r\n");
    }
    await Promise.all(servers.map(expectToStop));
  });
});
