import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskPassword } from "../../src/output/mask-password.ts";

describe("maskPassword", () => {
  const rows: [name: string, text: string, masked: string][] = [
    ["a URL with a password", "ftp://joe:secret@h/", "ftp://joe:******@h/"],
    ["a URL whose password contains a colon", "ftp://joe:a:b@h/", "ftp://joe:***@h/"],
    ["a URL whose password contains an @", "ftp://joe:a@b@h/", "ftp://joe:***@h/"],
    ["a URL whose password contains a slash", "ftp://joe:a/b@h/", "ftp://joe:***@h/"],
    ["a URL whose password contains a #", "ftp://joe:a#b@h/", "ftp://joe:***@h/"],
    ["a URL with an empty password", "ftp://joe:@h/", "ftp://joe:@h/"],
    ["a URL with an empty user name", "ftp://:p@h/", "ftp://:*@h/"],
    ["a URL without slashes", "ftp:joe:secret@h/", "ftp:joe:******@h/"],
    ["a login without a scheme", "joe:secret@h.example", "joe:******@h.example"],
    ["a login without a scheme, with an @ and a slash", "joe:a@/b@h.example/", "joe:****@h.example/"],
    ["a login after a scheme without its colon", "http//joe:secret@h.example", "http//joe:******@h.example"],
    ["a login after slashes", "//joe:secret@h.example/", "//joe:******@h.example/"],
    ["a login after backslashes", "http:\\\\joe:secret@h.example", "http:\\\\joe:******@h.example"],
    ["a login after a blank", " ftp://joe:secret@h/a:b@c", " ftp://joe:******@h/a:b@c"],
    ["a login in brackets", "<URL:ftp://joe:secret@h", "<URL:ftp://joe:******@h"],
    ["a login after a slash", "/joe:secret@h", "/joe:******@h"],
    ["a login after a scheme and a slash", "http/joe:secret@h", "http/joe:******@h"],
    ["a login whose @ is encoded", "joe:secret%40h.example", "joe:******%40h.example"],
    ["a login of a URL whose @ is encoded", "ftp://joe:secret%40h/a", "ftp://joe:******%40h/a"],
    ["slashes before a host with a port", "//h:80/a@b", "//h:80/a@b"],
    ["slashes before a host", "//h/a:b@c", "//h/a:b@c"],
    ["a host and a port, and an encoded @ in the path", "h:80/a%40b", "h:80/a%40b"],
    ["a host and a port", "h.example:80/a", "h.example:80/a"],
    ["a URL with a port, and with an @ in its path", "http://h:80/a@b", "http://h:80/a@b"],
    ["no login", "http://h/a:b@c", "http://h/a:b@c"],
    ["a URL with a user name and no password", "ftp://joe@h/", "ftp://joe@h/"],
    ["a user only", "ftp://joe@h/a:b@c", "ftp://joe@h/a:b@c"],
    ["a news URL with a message-id", "news:abc:def@host", "news:abc:def@host"],
    ["a text that is not a URL", "hello", "hello"],
  ];
  it.each(rows)("maskPassword masks the password of %s", (_, text, masked) =>
    expect(maskPassword(text)).toBe(masked),
  );

  it("maskPassword masks the password for any user name and path, and keeps the length of the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), (user, rest) => {
        const text = `ftp://${user.replace(/[/:@]/g, "")}:Needle@h/${rest.replace(/Needle/g, "")}`;
        expect(maskPassword(text)).not.toContain("Needle");
        expect(maskPassword(text)).toHaveLength(text.length);
      }),
    );
  });
});
