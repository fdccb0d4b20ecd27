import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ServerTextMasker } from "../../src/client/trace.ts";
import { maskPossibleSecretsInServerText } from "../../src/errors/mask-possible-secrets.ts";

describe("maskPossibleSecretsInServerText", () => {
  it.each([
    ["230 Login successful.", "230 Login successful."],
    ["530 Login incorrect.", "530 Login incorrect."],
    ["331 Please specify the password.", "331 Please specify the password."],
    ["530-Sorry, no more connections\n530 Not logged in", "530-Sorry, no more connections\n530 Not logged in"],
    ["550 hunter2: No such file or directory", "550 **** No such file or directory"],
    ["550 /sesame/letmein/hunter2: No such file", "550 **** No such file"],
    ["227 Entering Passive Mode (127,0,0,1,195,80).", "227 Entering Passive Mode (127,0,0,1,195,80)."],
    ["229 Entering Extended Passive Mode (|||50000|)", "229 Entering Extended Passive Mode ****"],
    ['257 "/home/me" is the current directory', "257 **** is the current directory"],
    ["150 Opening BINARY mode data connection for a.txt (12345 bytes).", "150 Opening BINARY mode data connection for **** bytes)."],
    ["HTTP/1.1 401 Unauthorized", "HTTP/1.1 401 Unauthorized"],
    ["411 no such group alt.hunter2", "411 no such group ****"],
    ["481 Authentication failed: me/hunter2", "481 Authentication failed: ****"],
    ["the answer is 42", "the **** is ****"],
    ["correct horse battery staple", "****"],
    ["aHVudGVyMg== and 68756e74657232", "**** and ****"],
    ["!!!! ---- no", "**** no"],
    ["", ""],
  ])("maskPossibleSecretsInServerText masks the server text %j as %j", (text, shown) => expect(maskPossibleSecretsInServerText(text)).toBe(shown)); // prettier-ignore

  it("maskPossibleSecretsInServerText masks every word that is not a common word of server replies", () => {
    const secret = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter(
        (text) =>
          /\S/.test(text) &&
          text.split(/\s+/).every((part) => part === "" || maskPossibleSecretsInServerText(part) === "****"),
      );
    fc.assert(
      fc.property(secret, (text) => {
        expect(maskPossibleSecretsInServerText(`530 Login failed ${text} for you`)).toBe(
          "530 Login failed **** for you",
        );
        for (const spelling of [encodeURIComponent(`${text}é`), Buffer.from(`${text}1`).toString("hex")])
          expect(maskPossibleSecretsInServerText(`not ${spelling}.`)).toBe("not ****");
      }),
      { seed: 1738 },
    );
  });

  it("maskPossibleSecretsInServerText masks a server text of a million characters in a short time", () => {
    expect(maskPossibleSecretsInServerText("x".repeat(1_000_000))).toBe("****");
    expect(maskPossibleSecretsInServerText("((((.".repeat(200_000))).toBe("****");
    expect(maskPossibleSecretsInServerText("secret ".repeat(100_000))).toBe(
      "secret "
        .repeat(100_000)
        .replace(/secret/g, maskPossibleSecretsInServerText("secret"))
        .replace(/\*{4}( \*{4})+/g, "****"),
    );
  });
});

describe("ServerTextMasker", () => {
  it("a masker shows server texts unchanged until a secret is sent", () => {
    const masker = new ServerTextMasker();
    expect([masker.isMasking, masker.mask("220 hunter2 is my name")]).toEqual([
      false,
      "220 hunter2 is my name",
    ]);
    masker.startMasking();
    expect([masker.isMasking, masker.mask("220 hunter2 is my name")]).toEqual([true, "220 **** is my name"]);
  });
});
