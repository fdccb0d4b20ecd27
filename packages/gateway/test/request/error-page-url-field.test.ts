import { describe, expect, it } from "vitest";
import { startTestGateway } from "../test-gateway.ts";

/** Returns the value of the URL field of a page. */
function getUrlFieldValue(page: string): string | undefined {
  const value = /<input\s+type="text"\s+id="url"[^>]*?\svalue="([^"]*)"/s.exec(page)?.[1];
  return value?.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

describe("an error page of the gateway has a field with the URL", () => {
  it.each([
    ["a typed URL with a refused port", "/?url=gopher%3A%2F%2Fh.example%3A25%2F", 303, undefined],
    ["a URL with a refused port", "/gopher/h.example:25/", 403, "gopher://h.example:25/"],
    ["a URL with a fault in the host", "/?url=gopher%3A%2F%2Fh%250D%2F", 400, "gopher://h%0D/"],
    ["a text that is no URL", "/?url=nonsense+with+%3Cblanks%3E", 400, "nonsense with <blanks>"],
    ["a text that is not a URL, requested in the raw view", "/~raw?url=nonsense", 400, "nonsense"],
    ["an unknown scheme", "/x-none/h/a", 404, "x-none://h/a"],
    ["a search", "/~search?url=ftp%3A%2F%2Fh.example%2F&q=x", 400, "ftp://h.example/"],
    ["a search without a URL", "/~search?url=nonsense&q=x", 400, "nonsense"],
    ["the URL of a proxy client", "gopher://h.example:25/", 403, "gopher://h.example:25/"],
    ["a login", "/?url=ftp%3A%2F%2Fu%3Aneedle%40h.example%2F", 403, ""],
    ["a login in a text that is not a URL", "/?url=ftp%3A%2Fu%3Aneedle%40h+x", 400, ""],
    ["a login that is escaped twice", "/?url=ftp%253A%252F%252Fu%253Aneedle%2540h", 400, ""],
    ["no URL", "/~nothing", 404, ""],
  ])(
    "the URL field of the response shows no login for a request with %s: %s",
    async (_, target, status, value) => {
      await using fixture = await startTestGateway([]);
      const answer = await fixture.request(target);
      expect(answer.status).toBe(status);
      expect(getUrlFieldValue(answer.text)).toBe(value);
      expect(answer.text).not.toContain("needle");
    },
  );

  it("the gateway shows the URL of a form that cannot be submitted", async () => {
    await using fixture = await startTestGateway([]);
    const body = `url=${encodeURIComponent("gopher://h.example:25/0/x")}&f0=needle`;
    const { status, text } = await fixture.request("/~form", { method: "POST", body });
    expect([status, getUrlFieldValue(text)]).toEqual([403, "gopher://h.example:25/0/x"]);
    expect(text).not.toContain("needle");
  });
});
