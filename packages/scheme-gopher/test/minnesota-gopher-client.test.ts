import { createClient, anyAddress } from "@anyscheme/core";
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";
import {
  canCreateTerminal,
  type KeysAfterScreenText,
  runGopherClientWithKeystrokes,
} from "@anyscheme/servers";
import { describeIfServerAvailable } from "@anyscheme/servers/describe-if-server-available";
import { expect, it } from "vitest";
import { gopher } from "../src/index.ts";
import { ASK_BLOCK } from "./gopher-plus/gopherd-responses.ts";

const ADMIN_BLOCK = "+ADMIN:\r\n Admin: A <a@b.example>\r\n Mod-Date: x <20261120205720>\r\n";

/**
 * Starts a Gopher server whose menu has a form item and a search item. The promise `request` resolves with the first
 * received request that matches the pattern.
 */
async function startFormServer(
  wanted: RegExp,
): Promise<{ server: LoopbackServer; request: Promise<string> }> {
  let arrived: (request: string) => void = () => undefined;
  const request = new Promise<string>((resolve) => (arrived = resolve));
  const server = await startScriptedServer(async (peer, connection) => {
    const line = (await peer.readLine()) ?? "";
    let received = `${line}\r\n`;
    if (line.endsWith("\t1"))
      for (
        let more = await peer.readLine();
        more !== undefined;
        more = more === "." ? undefined : await peer.readLine()
      )
        received += `${more}\r\n`;
    if (wanted.test(received)) arrived(received);
    const { port } = server;
    const items = [
      `+INFO: 0order\t0/order\t127.0.0.1\t${port}\t?\r\n${ADMIN_BLOCK}+VIEWS:\r\n Text/plain En_US: <1k>\r\n${ASK_BLOCK}`,
      `+INFO: 7find\t7/find\t127.0.0.1\t${port}\t+\r\n${ADMIN_BLOCK}`,
    ];
    peer.send(/\t[$!]/.test(line) || connection === 0 ? `+-1\r\n${items.join("")}.\r\n` : "+-1\r\n.\r\n");
  });
  return { server, request };
}

describeIfServerAvailable(
  "gopher",
  "the scheme sends the same requests as the Gopher client of the University of Minnesota",
  () => {
    const welcome: KeysAfterScreenText = { afterText: "RETURN", keys: "\r" };

    it.runIf(canCreateTerminal)(
      "the client submits a form in one of its views with the same bytes as Anyscheme",
      async () => {
        const { server, request } = await startFormServer(/\t1\r\n/);
        await using _ = server;
        const keys = "\x15220\tsecret\tfirst line\nsecond line\x18";
        await runGopherClientWithKeystrokes(
          server.port,
          [welcome, { afterText: "find", keys: "\r" }, { afterText: "volts", keys }],
          request,
        );
        const sent = await request;

        const client = createClient({
          schemes: [gopher()],
          policy: anyAddress({ allowPorts: { gopher: [server.port] } }),
        });
        const item = `gopher://127.0.0.1:${server.port}/00/order%09%09`;
        const form = await client.dereference(`${item}?`);
        if (form.kind !== "form") throw new Error("it is no form");
        const filled = form.fill({
          "How many volts?": "220",
          Password: "secret",
          // The text editor of the tested Gopher client adds an empty line.
          Comments: "first line\nsecond line\n\n",
        });
        const inView: `gopher://${string}` = `gopher://${filled.href
          .slice("gopher://".length)
          .replace("%09%09+%09", "%09%09+Text/plain%20En_US%09")}`;
        const plan = client.plan(inView, { allowForms: true });
        const ours = plan.steps.find(({ action }) => action === "send")?.bytes ?? [];
        expect(Buffer.from(ours).toString("latin1")).toBe(sent);
      },
    );

    it.runIf(canCreateTerminal)("the client sends a search with the same bytes as Anyscheme", async () => {
      const { server, request } = await startFormServer(/^7\/find\t/);
      await using _ = server;
      await runGopherClientWithKeystrokes(
        server.port,
        [welcome, { afterText: "find", keys: "2\r" }, { afterText: "earch", keys: "two words+\r" }],
        request,
      );
      expect(await request).toBe("7/find\ttwo words+\t$\r\n");
      const plan = createClient({ schemes: [gopher()] }).plan(
        "gopher://h.example/77/find%09two%20words+%09$",
      );
      const ours = plan.steps.find(({ action }) => action === "send")?.bytes ?? [];
      expect(Buffer.from(ours).toString("latin1")).toBe(await request);
    });
  },
);
