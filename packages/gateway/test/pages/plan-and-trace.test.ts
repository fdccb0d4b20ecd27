import type { TraceEvent } from "@anyscheme/core";
import { describe, expect, it } from "vitest";
import { renderPlanAndTrace } from "../../src/pages/plan-and-trace.ts";

/** Returns the markup of a trace event with the given text, between `<code>` and `</code>`. */
function renderTraceText(text: string): string | undefined {
  const event: TraceEvent = { action: "send", text, atMs: 1, url: "x://h/", step: undefined };
  return /<code>(.*)<\/code>/s.exec(renderPlanAndTrace(undefined, [event]).markup)?.[1];
}

describe("renderPlanAndTrace shows each line of a trace event on a line of its own", () => {
  it.each([
    ["GET / HTTP/1.1\r\nhost: h.example\r\n", "GET / HTTP/1.1<br>host: h.example"],
    ["220-Welcome\n220 ready", "220-Welcome<br>220 ready"],
    ["USER anonymous", "USER anonymous"],
    ["a\rb\r\n\r\n", "a\\x0db<br>"],
    ["", ""],
  ])("the markup of the text %j is: %s", (text, markup) => {
    expect(renderTraceText(text)).toBe(markup);
  });

  it("each long line of a trace event is shortened, and the lines after it are shown", () => {
    const text = `HTTP/1.1 200 OK\r\nset-cookie: ${"x".repeat(3_000)}\r\ncontent-type: text/plain`;
    expect(renderTraceText(text)?.split("<br>")).toEqual([
      "HTTP/1.1 200 OK",
      `set-cookie: ${"x".repeat(1_987)}…`,
      "content-type: text/plain",
    ]);
  });
});
