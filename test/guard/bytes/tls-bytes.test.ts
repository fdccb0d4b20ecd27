import type { Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gophers } from "@anyscheme/scheme-gopher";
import { https } from "@anyscheme/scheme-http";
import { nntps } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";
import { certificate as ca } from "../../../packages/core/test/network/certificate.ts";
import { COMPONENTS } from "./url-components.ts";
import { byteCheck } from "./byte-check.ts";
import { withTls } from "../servers/tls-recorder.ts";
import { BYTES } from "./texts.ts";

/** The boundaries of the ranges that encoders distinguish, and bytes that end a line, a field or a name. */
const BOUNDARIES = [0x00, 0x01, 0x08, 0x09, 0x0a, 0x0b, 0x0d, 0x1f, 0x20, 0x25, 0x2f, 0x7e, 0x7f, 0x80, 0xff];

/** The TLS variant of each scheme. */
const OVER_TLS: Readonly<Record<string, readonly [name: string, scheme: () => Scheme]>> = {
  ftp: ["ftp", () => ftp({ tls: "implicit", ca, idleTimeoutMs: 0 })],
  gopher: ["gophers", () => gophers({ ca })],
  http: ["https", () => https({ ca })],
  nntp: ["nntps", () => nntps({ ca })],
};

/** The components of those schemes over TLS. */
const ROWS = Object.entries(COMPONENTS).flatMap(([name, component]) => {
  const plain = name.split(/[ +]/, 1)[0] ?? "";
  const [scheme, make] = OVER_TLS[plain] ?? [];
  if (!scheme || !make) return [];
  const url = (text: string, port: number): string =>
    component.url(text, port).replace(/^\w+/, scheme).replace("h.example", "secure.example");
  const row = { ...component, scheme: make, recorder: withTls(component.recorder), url };
  return [[`${name}, over TLS`, row] as const];
});

it("every scheme over TLS has test cases", () => {
  const named = ROWS.map(([name]) => name.split(/[ +]/, 1)[0]);
  expect([...new Set(named)]).toEqual(Object.keys(OVER_TLS));
});

describe.each(ROWS)("the bytes sent over TLS for the URL component %s", (_, component) => {
  const { refuses, allows = () => false, separators: separates = {} } = component;

  it("boundary bytes of a URL are refused before the DNS lookup, or sent as without TLS", async () => {
    await using recorder = await component.recorder();
    const check = await byteCheck(component, recorder);
    const isAlone = (byte: number): boolean => refuses(byte) || separates[byte] !== undefined;
    for (const byte of BOUNDARIES.filter(isAlone)) await check([byte]);
    const together = BOUNDARIES.filter((byte) => !isAlone(byte));
    if (together.length > 0) await check(together);
    const allowed = BYTES.filter(allows);
    if (allowed.length > 0) await check(allowed, true);
    for (const byte of [0x00, 0x0a, 0x0d]) await check([byte], true);
  });
});
