import { createClient } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { gopher, gophers } from "../src/index.ts";

const gopherClient = createClient({ schemes: [gopher(), gophers()] });

function formatPlanSteps(text: string): string[] {
  return gopherClient
    .plan(text)
    .steps.map(({ action, spec, description }) => `${action} ${spec} ${description}`);
}

describe("planGopher plans a Gopher request", () => {
  it.each([
    [
      "gopher://h.example/0/a.txt",
      [
        "resolve 3.1 h.example",
        "connect 3.1 h.example port 70",
        "send 3.4.1 /a.txt<cr><lf>",
        "transfer RFC 1436 Appendix the server sends a text until it closes; the client removes a final line of one dot",
        "close RFC 1436 2 by the server",
      ],
    ],
    [
      "gopher://192.0.2.1:7070/",
      [
        "connect 3.1 192.0.2.1 port 7070",
        "send 3.4.1 <cr><lf>",
        "transfer RFC 1436 Appendix the server sends a menu up to a line of one dot, or until it closes",
        "close RFC 1436 2 by the server",
      ],
    ],
    [
      "gophers://192.0.2.1/9/b.zip%09%09+",
      [
        "connect 3.1 192.0.2.1 port 70",
        "tls RFC 8446 TLS with 192.0.2.1",
        "send 3.4.4 /b.zip<tab>+<cr><lf> (without the empty search string)",
        "transfer RFC 1436 Appendix the server sends bytes until it closes; or up to the end that a Gopher+ header states",
        "close RFC 1436 2 by the server",
      ],
    ],
    [
      "gopher://h.example/7/find",
      ["redirect 3.4.2 to a form for the search string, which the URL does not contain"],
    ],
    ["gopher://h.example:23/8guest", ["redirect RFC 1436 3.8 a telnet session has no content"]],
    ["gopher://h.example:105/2", ["redirect RFC 1436 3.8 a CSO phone book needs a protocol of its own"]],
  ])("planGopher plans the steps of a Gopher request for %s", (text, steps) => {
    expect(formatPlanSteps(text)).toEqual(steps);
  });

  it("planGopher uses the option emptySearch of the request instead of the option of the scheme", () => {
    const url = "gopher://h.example/0a%09%09+";
    const other = createClient({ schemes: [gopher({ emptySearch: "send" })] });
    const sent = (plan: ReturnType<typeof gopherClient.plan>): string | undefined =>
      plan.steps.find(({ action }) => action === "send")?.description;
    expect(sent(other.plan(url))).toBe("a<tab><tab>+<cr><lf>");
    expect(sent(other.plan(url, { emptySearch: "omit" }))).toMatch(/^a<tab>\+/);
  });

  it("planGopher masks the values of a form in the descriptions and the JSON of a plan", () => {
    const url = "gopher://h.example/0a%09%09+%091%0D%0A+-1%0D%0As3cret%0D%0A.%0D%0A";
    const plan = gopherClient.plan(url, { allowForms: true });
    expect(JSON.stringify(plan.steps)).not.toContain("s3cret");
    expect(() => gopherClient.plan(url)).toThrow(
      expect.objectContaining({ code: "refused-characters" }) as Error,
    );
  });
});
