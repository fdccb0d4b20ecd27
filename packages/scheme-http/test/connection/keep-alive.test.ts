import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { publicInternet, anyAddress } from "@anyscheme/core";
import { type Peer, type Script, startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { at, failureOf, getFrom, head, type HttpClient, newClient } from "../client.ts";

const reply = (content: string, fields = ""): string =>
  `HTTP/1.1 200 OK\r\n${fields}Content-Length: ${content.length}\r\n\r\n${content}`;

/** Answers one request after the other with its target. */
const patient: Script = async (peer) => {
  for (let [line] = await head(peer); line; [line] = await head(peer))
    peer.send(reply(line.split(" ")[1] ?? ""));
};

describe("a connection", () => {
  it("serves one request after another; concurrent requests have several connections", async () => {
    await using server = await startScriptedServer(patient);
    await using client = newClient();
    const text = async (path: string): Promise<string> => (await getFrom(client, at(server, path))).text();
    for (const path of ["/a", "/b", "/c"]) expect(await text(path)).toBe(path);
    expect(server.connections).toHaveLength(1);
    expect(await Promise.all(["/d", "/e", "/f"].map(text))).toEqual(["/d", "/e", "/f"]);
    expect(await Promise.all(["/g", "/h", "/i"].map(text))).toEqual(["/g", "/h", "/i"]);
    expect(server.connections).toHaveLength(3);
  });

  it.each<[string, string | ((peer: Peer) => void)]>([
    ["the server wants to close", reply("x", "Connection: close\r\n")],
    ["the server wants to close, among other things", reply("x", "Connection: x, Close\r\n")],
    ["the close ends the content", (peer) => (peer.send("HTTP/1.1 200 OK\r\n\r\nx"), peer.end())],
    ["it is of HTTP/1.0", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx"],
    ["more came than the content", `${reply("x")}HTTP/1.1 200 OK\r\n`],
  ])("is not reused when %s", async (_, answer) => {
    await using server = await startScriptedServer(async (peer) => {
      await head(peer);
      if (typeof answer === "string") peer.send(answer);
      else answer(peer);
      await peer.closed;
    });
    await using client = newClient();
    for (let count = 1; count <= 2; count++) {
      expect(await (await getFrom(client, at(server))).text()).toBe("x");
      await server.connections[count - 1]?.closed;
    }
    expect(server.connections).toHaveLength(2);
  });

  it("is not reused after unsolicited bytes", async () => {
    let more = (): void => undefined;
    await using server = await startScriptedServer(async (peer) => {
      await head(peer);
      peer.send(reply("x"));
      more = () => peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfake");
      await peer.closed;
    });
    await using client = newClient();
    expect(await (await getFrom(client, at(server))).text()).toBe("x");
    more();
    // The fake has arrived when this answer of another server has.
    await using other = await startScriptedServer(patient);
    for (let turn = 0; turn < 3; turn++) await (await getFrom(client, at(other))).text();
    const again = getFrom(client, at(server));
    expect(await (await again).text()).toBe("x");
    expect(server.connections).toHaveLength(2);
  });

  it("is not reused when its body was not read", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await head(peer);
      peer.send(connection === 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf" : reply("whole"));
      await peer.closed;
    });
    await using client = newClient();
    await (await getFrom(client, at(server))).close();
    await server.connections[0]?.closed;
    expect(await (await getFrom(client, at(server))).text()).toBe("whole");
  });

  it("is not reused for other credentials or under another policy", async () => {
    await using server = await startScriptedServer(patient);
    await using client = newClient();
    const [one, other] = [anyAddress(), anyAddress()];
    const options = [
      { policy: one },
      { policy: one, headers: { authorization: "Bearer one" } },
      { policy: one, headers: { authorization: "Bearer two" } },
      { policy: one, headers: { cookie: "Bearer two" } },
      { policy: other },
    ];
    for (const each of options) await (await getFrom(client, at(server), each)).bytes();
    expect(server.connections).toHaveLength(options.length);
    for (const each of options) await (await getFrom(client, at(server), each)).bytes();
    expect(server.connections).toHaveLength(options.length);
    const refused = getFrom(client, at(server), { policy: publicInternet() });
    expect(await failureOf(refused)).toMatchObject({ code: "refused-address" });
  });

  it("has the limits of each request", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await head(peer);
      peer.send(reply("x"));
      await peer.closed;
    });
    await using client = newClient();
    await (await getFrom(client, at(server), { limits: { firstByteTimeoutMs: 60_000 } })).bytes();
    const impatient = getFrom(client, at(server), { limits: { firstByteTimeoutMs: 20 } });
    expect(await failureOf(impatient)).toMatchObject({ code: "timeout", limit: "firstByteTimeoutMs" });
    expect(server.connections).toHaveLength(1);
  });
});

describe("a server that closes an idle connection when a request arrives", () => {
  /** Answers the first request of its first connection only, and hangs up at the second. */
  const forgetful: Script = async (peer, connection) => {
    await head(peer);
    peer.send(reply("x"));
    if (connection > 0) await peer.closed;
    else await head(peer);
  };

  it("receives a GET again on a new connection", async () => {
    await using server = await startScriptedServer(forgetful);
    await using client = newClient();
    for (let count = 0; count < 2; count++)
      expect(await (await getFrom(client, at(server))).text()).toBe("x");
    expect(server.connections).toHaveLength(2);
    expect(server.connections[0]?.received.toString().match(/GET/g)).toHaveLength(2);
  });

  it.each<[method: string, change: (client: HttpClient, url: `http://${string}`) => Promise<unknown>]>([
    ["DELETE", (client, url) => client.delete(url)],
    ["PUT", (client, url) => client.put(url, "hello")],
    ["PUT", (client, url) => client.put(url, "")],
  ])("receives a %s at most once", async (method, change) => {
    await using server = await startScriptedServer(forgetful);
    await using client = newClient();
    expect(await (await getFrom(client, at(server))).text()).toBe("x");
    await change(client, at(server));
    const received = server.connections.map((connection) => connection.received.toString());
    expect(received.join("").match(new RegExp(`^${method} `, "gm"))).toHaveLength(1);
  });

  it("receives a DELETE at most once, also when every connection is lost", async () => {
    await using server = await startScriptedServer(async (peer, connection) => {
      await head(peer);
      if (connection > 0) return;
      peer.send(reply("x"));
      await head(peer);
    });
    await using client = newClient();
    await (await getFrom(client, at(server))).text();
    expect(await failureOf(client.delete(at(server)))).toMatchObject({ code: "incomplete" });
    const received = server.connections.map((connection) => connection.received.toString());
    expect(received.join("").match(/^DELETE /gm)).toHaveLength(1);
  });

  it("does not receive a request again after the first byte of its response", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await head(peer);
      peer.send(reply("x"));
      await head(peer);
      peer.send("HTTP/1.1 200");
    });
    await using client = newClient();
    await (await getFrom(client, at(server))).text();
    expect(await failureOf(getFrom(client, at(server)))).toMatchObject({ code: "incomplete" });
    expect(server.connections).toHaveLength(1);
  });
});

it("idle connections do not keep the process alive", async () => {
  await using server = await startScriptedServer(patient);
  const program = `
    import { createClient, anyAddress } from "@anyscheme/core";
    import { http } from "@anyscheme/scheme-http";
    const client = createClient({ schemes: [http()], policy: anyAddress() });
    process.stdout.write(await (await client.dereference(process.argv[1])).text());
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", program, at(server, "/end")],
    // Less than connections wait: a process that they kept alive would be ended before, and that is a failure.
    { cwd: new URL("../../../cli", import.meta.url), timeout: 12_000 },
  );
  expect(stdout).toBe("/end");
});
