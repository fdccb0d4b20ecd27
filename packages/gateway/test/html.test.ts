import { describe, expect, it } from "vitest";
import { html, preformatted } from "../src/html.ts";

describe("markup", () => {
  it.each([
    ["<script>", "&lt;script&gt;"],
    [`"'&`, "&quot;&#39;&amp;"],
    ["a\u001b[2Jb", "a\\x1b[2Jb"],
    ["evil\u202egpj.exe", "evil\\u{202e}gpj.exe"],
    ["déjà", "déjà"],
  ])("%j stands in it as %s", (text, escaped) => {
    expect(html`<b>${text}</b>`.markup).toBe(`<b>${escaped}</b>`);
  });

  it("takes markup and lists of it as they are, and nothing for nothing", () => {
    expect(html`${html`<i>`}${[html`<b>`, html`<u>`]}${undefined}${7}`.markup).toBe("<i><b><u>7");
  });

  it("keeps the lines of a long text, and nothing else that moves the cursor", () => {
    expect(preformatted("a\r\n\tb\n<\rc\u0007").markup).toBe("a\n\tb\n&lt;\\x0dc\\x07");
  });
});
