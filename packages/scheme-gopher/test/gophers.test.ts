import { createClient, anyAddress } from "@anyscheme/core";
import { type NginxServer, startNginx } from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { gophers } from "../src/index.ts";
import { readBodyTextAndCompleteness, matchErrorWithCode } from "./scripted-gopher-server.ts";

// nginx with HTTP/0.9 behaves like a gophers server. In HTTP/0.9 the request is one line, and the response ends when
// the connection closes.
describeIfServerAvailable("nginx", "the client sends requests to a gophers server", () => {
  let server: NginxServer;
  beforeAll(async () => {
    server = await startNginx();
  });
  afterAll(() => server.stop());

  const url = (): `gophers://${string}` => `gophers://127.0.0.1:${server.tlsPort}/0GET%20/hello.txt`;
  const policy = (): ReturnType<typeof anyAddress> =>
    anyAddress({ allowPorts: { gophers: [server.tlsPort] } });

  it("the client sends the planned bytes of a gophers request over TLS", async () => {
    const ca = await readFile(server.certificatePath, "utf8");
    const sent: (Uint8Array | undefined)[] = [];
    const actions: string[] = [];
    const client = createClient({ schemes: [gophers({ ca })], policy: policy() });
    const resource = await client.dereference(url(), {
      trace({ action, step }) {
        actions.push(action);
        if (action === "send") sent.push(step?.bytes);
      },
    });
    expect(await readBodyTextAndCompleteness(resource)).toEqual(["hello\n", "unverified"]);
    expect(Buffer.from(sent[0] ?? []).toString()).toBe("GET /hello.txt\r\n");
    expect(actions).toEqual(["connect", "tls", "send", "transfer"]);
    expect((await server.loggedRequests(1))[0]).toMatchObject({
      request: "GET /hello.txt",
      tls: expect.stringMatching(/^TLS/) as string,
    });
  });

  it("without the option ca, the client rejects the certificate of the test server", async () => {
    const client = createClient({ schemes: [gophers()], policy: policy() });
    await expect(client.dereference(url())).rejects.toThrow(
      matchErrorWithCode("unavailable", /TLS with 127\.0\.0\.1 failed/),
    );
  });
});
