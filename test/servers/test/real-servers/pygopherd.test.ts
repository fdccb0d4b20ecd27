import { expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { startPygopherd } from "../../src/pygopherd/pygopherd.ts";
import { sendAndReceiveAll } from "../test-servers/send-and-receive.ts";
import { stopServerAndExpectCleanup } from "./stop-server-and-expect-cleanup.ts";

describeIfServerAvailable("pygopherd", "pygopherd", () => {
  it("pygopherd serves the sample files over Gopher and Gopher+", async () => {
    await using server = await startPygopherd({ files: { "dir/more.txt": "more\n" } });
    const expectedResponses: [request: string, answer: RegExp][] = [
      ["", new RegExp(`^hThe title\t/page\\.html\tlocalhost\t${server.port}\t\\+\r\n1dir\t/dir\t`)],
      ["/hello.txt", /^hello\n\.dot line\nlast\n$/],
      ["/pic.gif", /^GIF89a[^]{28};$/],
      ["/dir", /\t\/dir\/in\.txt\t[^]*\t\/dir\/more\.txt\t/],
      ["/hello.txt\t+", /^\+21\r\nhello\n/],
      [
        "/hello.txt\t!",
        /^\+-2\r\n\+INFO: 0hello\.txt\t[^]*\+ABSTRACT:\r\n Two lines of\r\n abstract text\r\n$/,
      ],
      ["/form.txt\t!", /\r\n\+ASK:\r\n Note: fill this in\r\n[^]* ChooseF: Which file\r\n$/],
      ["/missing", /^3'\/missing' does not exist/],
      ["/missing\t+", /^--2\r\n1 Test Admin <admin@example\.invalid>\r\n'\/missing' does not exist/],
    ];
    for (const [request, response] of expectedResponses) {
      expect(await sendAndReceiveAll(server.port, `${request}\r\n`), request).toMatch(response);
    }
    await stopServerAndExpectCleanup(server);
  });

  it("two pygopherd servers run at once", async () => {
    const servers = await Promise.all([startPygopherd(), startPygopherd()]);
    for (const { port } of servers) expect(await sendAndReceiveAll(port, "/dir/in.txt\r\n")).toBe("inside\n");
    await Promise.all(servers.map(stopServerAndExpectCleanup));
  });
});
