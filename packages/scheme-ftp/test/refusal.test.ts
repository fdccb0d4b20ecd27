import { describe, expect, it } from "vitest";
import { refusal } from "../src/refusal.ts";

describe("what a refusal means", () => {
  it.each<[string, string, string | undefined, boolean, string]>([
    ["421", "too many connections", undefined, false, "unavailable"],
    ["425", "no data connection", "RETR x", false, "unavailable"],
    ["450", "busy", "RETR x", false, "unavailable"],
    ["450", "x: No such file or directory", "NLST x", false, "not-found"],
    ["451", "local error", "RETR x", false, "unavailable"],
    ["499", "later", "RETR x", false, "unavailable"],
    ["500", "what?", "EPSV", false, "unsupported"],
    ["501", "missing argument", "CWD (a null argument)", false, "unsupported"],
    ["502", "no", "NLST", false, "unsupported"],
    ["504", "no", "TYPE A (as given)", false, "unsupported"],
    ["522", "use (1)", "EPSV", false, "unsupported"],
    ["530", "login incorrect", "PASS ****", false, "permission-denied"],
    ["430", "login incorrect", "PASS ****", false, "permission-denied"],
    ["530", "no anonymous users", "USER anonymous", true, "needs-credentials"],
    ["530", "not here", "RETR x", true, "permission-denied"],
    ["532", "account", "RETR x", false, "needs-credentials"],
    ["550", "Failed to open file.", "RETR x", false, "not-found"],
    ["550", "x: Permission denied", "RETR x", false, "permission-denied"],
    ["551", "page type unknown", "RETR x", false, "unsupported"],
    ["552", "too much", "RETR x", false, "unavailable"],
    ["553", "bad name", "RETR x", false, "permission-denied"],
    ["599", "no", "RETR x", false, "unavailable"],
    ["226", "done", "RETR x", false, "protocol"],
    ["350", "go on", "USER x", false, "protocol"],
  ])("%s %s to %s (anonymous: %s → %s)", (code, words, said, anonymous, expected) => {
    const error = refusal({ code, text: `${code} ${words}` }, { said, anonymous });
    expect(error.code).toBe(expected);
    expect(error.message).toContain(`${code} ${words}`);
  });
});
