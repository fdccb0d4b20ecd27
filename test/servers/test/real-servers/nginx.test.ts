import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import { describeIfServerAvailable } from "../../src/describe-if-server-available.ts";
import { loopbackHasIpv6 } from "../../src/loopback.ts";
import { startNginx } from "../../src/nginx/nginx.ts";
import { sendAndReceiveAll } from "../test-servers/send-and-receive.ts";
import { stopServerAndExpectCleanup } from "./stop-server-and-expect-cleanup.ts";

function formatGetRequest(path: string, fields: readonly string[] = []): string {
  return `${[`GET ${path} HTTP/1.1`, "Host: a.example", "Connection: close", ...fields].join("\r\n")}\r\n\r\n`;
}

describeIfServerAvailable("nginx", "nginx", () => {
  it("nginx serves files and logs the requests", async () => {
    await using server = await startNginx({ files: { "dir/a b.txt": "inside\n" } });
    expect(
      await sendAndReceiveAll(server.port, formatGetRequest("/hello.txt", ["Range: bytes=1-3"])),
    ).toMatch(/206[^]*\r\n\r\nell$/);
    expect(await sendAndReceiveAll(server.port, formatGetRequest("//dir/a%20b.txt"))).toMatch(/\r\n\r\n/);
    expect(
      await sendAndReceiveAll(
        server.port,
        formatGetRequest("/dir/a%20b.txt"),
        loopbackHasIpv6 ? "::1" : "127.0.0.1",
      ),
    ).toMatch(/200 OK[^]*inside\n$/);
    expect(await server.loggedRequests(3)).toMatchObject([
      { request: "GET /hello.txt HTTP/1.1", status: "206", host: "a.example", range: "bytes=1-3", tls: "" },
      { request: "GET //dir/a%20b.txt HTTP/1.1" },
      { request: "GET /dir/a%20b.txt HTTP/1.1", status: "200" },
    ]);
    await stopServerAndExpectCleanup(server);
  });

  it("nginx serves redirects, statuses, encodings and the other configured locations", async () => {
    await using server = await startNginx();
    const expectedResponses: [path: string, answer: RegExp, fields?: string[]][] = [
      ["/r301", /^HTTP\/1\.1 301 [^]*Location: \/hello\.txt\r\n/],
      ["/r308", /^HTTP\/1\.1 308 [^]*Location: \/hello\.txt\r\n/],
      ["/rabs", new RegExp(`302 [^]*Location: http://127.0.0.1:${server.port}/hello.txt\r\n`)],
      ["/rloop", /302 [^]*Location: \/rloop\r\n/],
      ["/rchain/10", /302 [^]*Location: \/rchain\/100\r\n/],
      ["/rfile", /302 [^]*Location: file:\/\/\/etc\/passwd\r\n/],
      ["/rftp", /302 [^]*Location: ftp:\/\/127\.0\.0\.1:21\/x\r\n/],
      ["/rgopher", /302 [^]*Location: gopher:\/\/127\.0\.0\.1:6379\/_INFO\r\n/],
      ["/rspace", /302 [^]*Location: \/hello\.txt\?a b\r\n/],
      ["/rnoloc", /^(?![^]*Location: \S)HTTP\/1\.1 302 /],
      ["/s204", /^HTTP\/1\.1 204 /],
      ["/s404", /^HTTP\/1\.1 404 [^]*nothing here\n/],
      ["/s500", /^HTTP\/1\.1 500 /],
      ["/cut", /^$/],
      ["/gz", /200 OK[^]*Content-Encoding: gzip/, ["Accept-Encoding: gzip"]],
      ["/chunked", /200 OK[^]*Transfer-Encoding: chunked/],
      ["/auth", /401 [^]*WWW-Authenticate: Basic realm="realm \\"q\\""/],
      ["/auth", /200 OK[^]*hello\n$/, ["Authorization: Basic Ym9iOnNlY3JldA=="]],
      ["/drip", /200 OK[^]*a\n[^]*b\n[^]*c\n/],
      ["/bighdr", /200 OK[^]*X-Big: x{4000}\r\n/],
      ["/headers", /200 OK[^]*host=a\.example\|[^]*\|uri=\/headers\|v=HTTP\/1\.1\n$/],
    ];
    for (const [path, response, fields] of expectedResponses) {
      expect(await sendAndReceiveAll(server.port, formatGetRequest(path, fields)), path).toMatch(response);
    }
  });

  it("nginx pauses in the middle of the body of /stall", async () => {
    await using server = await startNginx();
    const stalled = request({ port: server.port, path: "/stall" }).end();
    const [response] = (await once(stalled, "response")) as [NodeJS.ReadableStream];
    const [portion] = (await once(response, "data")) as [Buffer];
    expect(portion.toString()).toBe("first part ");
    stalled.destroy();
  });

  it("nginx serves TLS with the generated certificate", async () => {
    await using server = await startNginx();
    const ca = await readFile(server.certificatePath);
    const socket = connect({ host: "127.0.0.1", port: server.tlsPort, ca, servername: "localhost" });
    await once(socket, "secureConnect");
    socket.write(formatGetRequest("/hello.txt"));
    let received = "";
    for await (const portion of socket) received += String(portion);
    expect(received).toMatch(/200 OK[^]*hello\n$/);
    expect(await server.loggedRequests(1)).toMatchObject([{ tls: "TLSv1.3" }]);
  });

  it("two nginx servers run at once", async () => {
    const servers = await Promise.all([startNginx(), startNginx()]);
    for (const { port } of servers)
      expect(await sendAndReceiveAll(port, formatGetRequest("/hello.txt"))).toContain("200 OK");
    await Promise.all(servers.map(stopServerAndExpectCleanup));
  });
});
