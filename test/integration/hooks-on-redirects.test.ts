import { anyAddress, createClient } from "@anyscheme/core";
import type { RequestHookHeaderChanges, RequestHookEvent, ResponseHookEvent } from "@anyscheme/core/plugin";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import { ftp } from "@anyscheme/scheme-ftp";
import { http } from "@anyscheme/scheme-http";
import { describe, expect, it } from "vitest";

/** Starts an HTTP server that redirects by `locations`, and answers other paths with the head of the request. */
function startRedirectingServer(locations: Readonly<Record<string, string>> = {}): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    for (;;) {
      const head: string[] = [];
      for (let line = await peer.readLine(); line; line = await peer.readLine()) head.push(line);
      if (head.length === 0) return;
      const location = locations[head[0]?.split(" ")[1] ?? ""];
      const body = head.join("\n").toLowerCase();
      peer.send(
        location === undefined
          ? `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
          : `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`,
      );
    }
  });
}

function createHttpClient() {
  return createClient({ schemes: [http()], policy: anyAddress() });
}

interface Case {
  readonly title: string;
  readonly from: "same" | "other" | "back";
  readonly changes: RequestHookHeaderChanges;
  readonly isReceived: boolean;
}

const token = { authorization: "Bearer s3cret" };

describe("hooks on redirects", () => {
  it.each<Case>([
    { title: "in the same origin", from: "same", changes: { headers: token }, isReceived: true },
    { title: "to another origin", from: "other", changes: { headers: token }, isReceived: false },
    { title: "through another origin", from: "back", changes: { headers: token }, isReceived: false },
    {
      title: "to another origin with crossOrigin: true",
      from: "other",
      changes: { headers: token, crossOrigin: true },
      isReceived: true,
    },
    {
      title: "to another origin with crossOrigin: false",
      from: "other",
      changes: { headers: token, crossOrigin: false },
      isReceived: false,
    },
  ])(
    "a server after a redirect $title receives a header of onRequest: $isReceived",
    async ({ from, changes, isReceived }) => {
      const locations: Record<string, string> = { "/same": "/end" };
      await using first = await startRedirectingServer(locations);
      await using second = await startRedirectingServer({ "/back": `http://127.0.0.1:${first.port}/end` });
      locations["/other"] = `http://127.0.0.1:${second.port}/end`;
      locations["/back"] = `http://127.0.0.1:${second.port}/back`;
      await using client = createHttpClient();
      const received = await client.text(`http://127.0.0.1:${first.port}/${from}`, {
        onRequest: () => changes,
      });
      expect(received.includes("bearer s3cret")).toBe(isReceived);
    },
  );

  it("onRequest sees each URL, and onResponse the last one with the redirects", async () => {
    await using other = await startRedirectingServer();
    const target = `http://127.0.0.1:${other.port}/c`;
    await using server = await startRedirectingServer({ "/a": "/b", "/b": target });
    await using client = createHttpClient();
    const requests: RequestHookEvent[] = [];
    const responses: ResponseHookEvent[] = [];
    const origin = `http://127.0.0.1:${server.port}`;
    const api = client.extend({
      baseUrl: `${origin}/`,
      headers: { "x-a": "1" },
      onRequest: (event) => {
        requests.push(event);
        return { headers: { "x-path": event.url.href.slice(-1) } };
      },
      onResponse: (event) => void responses.push(event),
    });
    expect(await (await api.fetch("a")).text()).not.toContain("x-path");
    const seen = requests.map(({ url, redirectChain, isCrossOrigin, headers, attempt }) => ({
      url: url.href,
      from: redirectChain.map((entry) => entry.fromUrl.href),
      isCrossOrigin,
      headers: headers.map(([name, value]) => `${name}=${value}`),
      attempt,
    }));
    expect(seen).toEqual([
      { url: `${origin}/a`, from: [], isCrossOrigin: false, headers: ["x-a=1"], attempt: 1 },
      {
        url: `${origin}/b`,
        from: [`${origin}/a`],
        isCrossOrigin: false,
        headers: ["x-a=1", "x-path=a"],
        attempt: 1,
      },
      { url: target, from: [`${origin}/a`, `${origin}/b`], isCrossOrigin: true, headers: [], attempt: 1 },
    ]);
    expect(
      responses.map(({ url, redirectChain, status }) => [url.href, redirectChain.length, status]),
    ).toEqual([[target, 2, 200]]);
  });

  it("the hooks of each attempt begin again with the first URL", async () => {
    let failures = 1;
    await using server = await startScriptedServer(async (peer) => {
      const path = (await peer.readLine())?.split(" ")[1];
      while (await peer.readLine());
      if (path === "/a") peer.send("HTTP/1.1 302 X\r\nLocation: /b\r\nConnection: close\r\n\r\n");
      else peer.send(`HTTP/1.1 ${failures-- > 0 ? 503 : 200} X\r\nContent-Length: 0\r\n\r\n`);
    });
    await using client = createHttpClient();
    const seen: string[] = [];
    await client.text(`http://127.0.0.1:${server.port}/a`, {
      retry: { backoffMs: 0 },
      onRequest: ({ url, attempt }) => void seen.push(`${attempt} ${url.href.slice(-2)}`),
    });
    expect(seen).toEqual(["1 /a", "1 /b", "2 /a", "2 /b"]);
  });

  it("an error of a hook masks the URL of a server that has received a secret", async () => {
    let isFirst = true;
    await using server = await startScriptedServer(async (peer) => {
      while (await peer.readLine());
      const head = isFirst ? '401 X\r\nWWW-Authenticate: Basic realm="a"' : "302 X\r\nLocation: /n33dle";
      isFirst = false;
      peer.send(`HTTP/1.1 ${head}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    });
    await using client = createHttpClient();
    const failure: unknown = await client
      .dereference(`http://joe:n33dle@127.0.0.1:${server.port}/`, {
        onRequest({ redirectChain }) {
          if (redirectChain.length > 0) throw new Error("a bug");
        },
      })
      .catch((error: unknown) => error);
    const url = `http://127.0.0.1:${server.port}/****`;
    expect(failure).toMatchObject({ code: "plugin", url });
    expect(String(failure)).not.toContain("n33dle");
  });

  it("a gateway receives no header of a hook, and its redirects call no hook", async () => {
    await using server = await startRedirectingServer({ "/gate/ftp://h.example/": "/end" });
    await using client = createClient({
      schemes: [http(), ftp()],
      policy: anyAddress(),
      gateways: { ftp: `http://127.0.0.1:${server.port}/gate/{+url}` },
    });
    const seen: string[] = [];
    const received = await client.text("ftp://h.example/", {
      onRequest({ url }) {
        seen.push(url.href);
        return { headers: token, crossOrigin: true };
      },
    });
    expect(received).not.toContain("s3cret");
    expect(seen).toEqual(["ftp://h.example/"]);
  });
});
