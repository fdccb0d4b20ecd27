import { expect, it } from "vitest";
import {
  predictItemFormatAndMediaType,
  predictFormatOnGopherPlusServer,
  type GopherFormatAndMediaType,
} from "../src/item-types.ts";
import { gopherSyntax } from "../src/syntax.ts";

function getExpectedForPath(path: string): GopherFormatAndMediaType | undefined {
  const { fields } = gopherSyntax.parse(`gopher://h/${path}`);
  const item = predictItemFormatAndMediaType(fields);
  return item && predictFormatOnGopherPlusServer(fields, item);
}

const MENU_MEDIA_TYPE = "application/gopher-menu";
const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

it.each([
  ["", "menu", MENU_MEDIA_TYPE],
  ["0/a.html", "text", "text/plain"],
  ["1/dir", "menu", MENU_MEDIA_TYPE],
  ["7/find%09words", "menu", MENU_MEDIA_TYPE],
  ["4/a", "bytes", "application/mac-binhex40"],
  ["5/a.zip", "bytes", "application/zip"],
  ["6/a", "bytes", "text/x-uuencode"],
  ["9/a.pdf", "bytes", "application/pdf"],
  ["9/a.pdf/b", "bytes", UNKNOWN_MEDIA_TYPE],
  ["9a%2Fb.png", "bytes", "image/png"],
  ["g/a", "bytes", "image/gif"],
  ["I/a.jpeg", "bytes", "image/jpeg"],
  ["I/a.txt", "bytes", UNKNOWN_MEDIA_TYPE],
  ["p/a", "bytes", "image/png"],
  ["h/a", "bytes", "text/html"],
  ["s/a.wav", "bytes", "audio/vnd.wave"],
  [";/a.mpg", "bytes", "video/mpeg"],
  [":/a.gif", "bytes", "image/gif"],
  ["%3C/a.au", "bytes", "audio/basic"],
  ["d/a.ps", "bytes", "application/postscript"],
  ["X/a", "bytes", UNKNOWN_MEDIA_TYPE],
  ["0/a%09%09+", "text", "text/plain"],
  ["1/a%09%09+", "menu", MENU_MEDIA_TYPE],
  ["1/a%09%09!", "attributes", "text/plain"],
  ["0/a%09%09!+ABSTRACT", "attributes", "text/plain"],
  ["1/a%09%09$+VIEWS", "items", "application/gopher+-menu"],
  ["1/a%09%09+application/gopher+-menu%20En_US", "items", "application/gopher+-menu"],
  ["0/a%09%09?", "form", "text/plain"],
  ["7/find", "search-form", MENU_MEDIA_TYPE],
  ["7/find%09", "menu", MENU_MEDIA_TYPE],
  ["0/a%09%09+Text/HTML%20En_US", "text", "text/html"],
  ["0/a%09%09+application/postscript", "bytes", "application/postscript"],
  ["1/a%09%09+application/gopher-menu%20En_US", "menu", MENU_MEDIA_TYPE],
  ["0/a%09%09+text/%E2%82%AC%20En_US", "bytes", UNKNOWN_MEDIA_TYPE],
  ["0/a%09%09+image/gif%FF", "bytes", UNKNOWN_MEDIA_TYPE],
  ["0/a%09%09+text/plain;charset=%C2%85", "bytes", UNKNOWN_MEDIA_TYPE],
  ["0/a%09%09+%091%0D%0A+-1%0D%0A.%0D%0A", "text", "text/plain"],
])(
  "the client that requests gopher://h/%s expects a response in the format %s with the media type %s",
  (path, format, mediaType) => {
    expect(getExpectedForPath(path)).toEqual({ format, mediaType });
  },
);

it.each(["2", "3", "8", "T", "i"])(
  "the client expects no response for an item of type %s, which Gopher servers do not serve",
  (type) => {
    expect(getExpectedForPath(`${type}x`)).toBeUndefined();
  },
);
