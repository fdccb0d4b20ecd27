import { describe, expect, it } from "vitest";
import { html, escapePreformattedText } from "../../src/pages/html.ts";

describe("the template tag html escapes texts in markup", () => {
  it.each([
    ["<script>", "&lt;script&gt;"],
    [`"'&`, "&quot;&#39;&amp;"],
    ["a\u001b[2Jb", "a\\x1b[2Jb"],
    ["evil\u202egpj.exe", "evil\\u{202e}gpj.exe"],
    ["déjà", "déjà"],
  ])("html escapes the text %j in markup as %s", (text, escaped) => {
    expect(html`<b>${text}</b>`.markup).toBe(`<b>${escaped}</b>`);
  });

  it("html inserts markup unescaped into a template, and undefined as an empty text", () => {
    expect(html`${html`<i>`}${[html`<b>`, html`<u>`]}${undefined}${7}`.markup).toBe("<i><b><u>7");
  });

  it("escapePreformattedText keeps line feeds and tabs, and escapes other control characters", () => {
    expect(escapePreformattedText("a\r\n\tb\n<\rc\u0007").markup).toBe("a\n\tb\n&lt;\\x0dc\\x07");
  });
});
