import { expect, it } from "vitest";
import { representationOf } from "../src/representation.ts";
import { gopherSyntax } from "../src/syntax.ts";

const menu = "application/gopher-menu";
const unknown = "application/octet-stream";

it.each([
  ["", "menu", menu],
  ["0/a.html", "text", "text/plain"],
  ["1/dir", "menu", menu],
  ["7/find%09words", "menu", menu],
  ["4/a", "octets", "application/mac-binhex40"],
  ["5/a.zip", "octets", "application/zip"],
  ["6/a", "octets", "text/x-uuencode"],
  ["9/a.pdf", "octets", "application/pdf"],
  ["9/a.pdf/b", "octets", unknown],
  ["9a%2Fb.png", "octets", "image/png"],
  ["g/a", "octets", "image/gif"],
  ["I/a.jpeg", "octets", "image/jpeg"],
  ["I/a.txt", "octets", unknown],
  ["p/a", "octets", "image/png"],
  ["h/a", "octets", "text/html"],
  ["s/a.wav", "octets", "audio/vnd.wave"],
  [";/a.mpg", "octets", "video/mpeg"],
  [":/a.gif", "octets", "image/gif"],
  ["%3C/a.au", "octets", "audio/basic"],
  ["d/a.ps", "octets", "application/postscript"],
  ["X/a", "octets", unknown],
  ["0/a%09%09+", "text", "text/plain"],
  ["1/a%09%09+", "menu", menu],
  ["1/a%09%09!", "attributes", "text/plain"],
  ["0/a%09%09!+ABSTRACT", "attributes", "text/plain"],
  ["1/a%09%09$+VIEWS", "items", "application/gopher+-menu"],
  ["1/a%09%09+application/gopher+-menu%20En_US", "items", "application/gopher+-menu"],
  ["0/a%09%09?", "form", "text/plain"],
  ["7/find", "words", menu],
  ["7/find%09", "menu", menu],
  ["0/a%09%09+Text/HTML%20En_US", "text", "text/html"],
  ["0/a%09%09+application/postscript", "octets", "application/postscript"],
  ["1/a%09%09+application/gopher-menu%20En_US", "menu", menu],
  ["0/a%09%09+%091%0D%0A+-1%0D%0A.%0D%0A", "text", "text/plain"],
])("gopher://h/%s is answered with %s of %s", (path, answer, mediaType) => {
  expect(representationOf(gopherSyntax.parse(`gopher://h/${path}`).fields)).toEqual({ answer, mediaType });
});

it.each(["2", "3", "8", "T", "i"])("no server answers an item of type %s", (type) => {
  expect(representationOf(gopherSyntax.parse(`gopher://h/${type}x`).fields)).toBeUndefined();
});
