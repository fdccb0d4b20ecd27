import { startScriptedServer } from "@anyscheme/core/testing";
import { describe, expect, it } from "vitest";
import { startTestGateway } from "../test-gateway.ts";

const ASK_FORM_RESPONSE =
  "+-1\r\n+INFO: 0Order\t/order\tlocalhost\t70\t?\r\n+ASK:\r\n Ask: Name\r\n AskP: Password\r\n Ask: __proto__\r\n.\r\n";

describe("the gateway submits Gopher+ forms (RFC 1738 §3.4.9)", () => {
  it.each([
    ["a text", "+-1\r\nThank you\r\n.\r\n", 200, "Thank you"],
    ["a failure", "--1\r\n1 Nobody\r\nNo such file.\r\n.\r\n", 404, "No such file."],
  ])(
    "the gateway shows and submits a form whose response is %s, without the form values in the page",
    async (_, reply, status, text) => {
      const received: string[] = [];
      await using server = await startScriptedServer(async (peer) => {
        if ((await peer.readLine()) !== "/order\t+\t1") return peer.send(ASK_FORM_RESPONSE);
        for (
          let line = await peer.readLine();
          line !== undefined && line !== ".";
          line = await peer.readLine()
        )
          received.push(line);
        peer.send(reply);
      });
      await using fixture = await startTestGateway([server.port]);
      const form = await fixture.request(`/gopher/127.0.0.1:${server.port}/0/order%09%09?`);
      expect(form.text).toContain('<label for="f1">Password</label>');
      // With "no-referrer", browsers would send the form with `Origin: null`.
      expect(form.headers["referrer-policy"]).toBe("same-origin");
      const url = /name="url" value="([^"]+)" \/>/.exec(form.text)?.[1] ?? "";
      const body = new URLSearchParams({ url, f0: "Some One", f1: "needle", f2: "third" }).toString();
      const headers = { origin: fixture.origin, "sec-fetch-site": "same-origin" };
      const answer = await fixture.request("/~form", { method: "POST", headers, body });
      expect({ received, status: answer.status }).toEqual({
        received: ["+-1", "Some One", "needle", "third"],
        status,
      });
      expect(answer.text).toContain(text);
      expect(answer.text + JSON.stringify(answer.headers)).not.toMatch(/needle|Some.{1,3}One/);
    },
  );

  it("a page with a form above 2 MiB of markup is incomplete and has no Send button", async () => {
    const question = ` Choose: a${"\t'".repeat(1_990)}\r\n`;
    const intro = ASK_FORM_RESPONSE.slice(0, ASK_FORM_RESPONSE.indexOf(" Ask"));
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      peer.send(`${intro}${question.repeat(200)}.\r\n`);
    });
    await using fixture = await startTestGateway([server.port]);
    const { text } = await fixture.request(`/gopher/127.0.0.1:${server.port}/0/order%09%09?`);
    expect(text.length).toBeLessThan(2_300_000);
    expect(text).toContain("The page is incomplete: The form is longer than 2097152 characters");
    expect(text).not.toContain("Send</button>");
  });

  it("the gateway sends 400 for a submitted form with a URL that has no form", async () => {
    await using server = await startScriptedServer(async (peer) => {
      await peer.readLine();
      peer.send("text\r\n.\r\n");
    });
    await using fixture = await startTestGateway([server.port]);
    const body = `url=gopher://127.0.0.1:${server.port}/0x`;
    expect((await fixture.request("/~form", { method: "POST", body })).status).toBe(400);
  });
});
