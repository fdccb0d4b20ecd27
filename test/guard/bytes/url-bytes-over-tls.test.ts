import type { Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gophers } from "@anyscheme/scheme-gopher";
import { https } from "@anyscheme/scheme-http";
import { nntps } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";
import { TEST_CERTIFICATE_PEM as ca } from "../../../packages/core/test/network/test-certificate.ts";
import { URL_INJECTION_CASES } from "./url-injection-cases.ts";
import { createUrlComponentInjectionTest } from "./url-component-injection-test.ts";
import { createTlsRecordingServerStarter } from "../servers/tls-recording-server.ts";
import { ALL_BYTE_VALUES } from "./placeholder-template.ts";

/** The boundaries of the byte ranges that encoders distinguish, and bytes that end a line, a field or a name. */
const BOUNDARY_BYTES = [
  0x00, 0x01, 0x08, 0x09, 0x0a, 0x0b, 0x0d, 0x1f, 0x20, 0x25, 0x2f, 0x7e, 0x7f, 0x80, 0xff,
];

/** The TLS variants of the tested schemes, by the name of the scheme without TLS. */
const TLS_SCHEMES: Readonly<Record<string, readonly [name: string, scheme: () => Scheme]>> = {
  ftp: ["ftp", () => ftp({ tls: "implicit", ca, idleTimeoutMs: 0 })],
  gopher: ["gophers", () => gophers({ ca })],
  http: ["https", () => https({ ca })],
  nntp: ["nntps", () => nntps({ ca })],
};

/** The URL components of the schemes with TLS. */
const TLS_COMPONENTS = Object.entries(URL_INJECTION_CASES).flatMap(([name, component]) => {
  const schemeWithoutTls = name.split(/[ +]/, 1)[0] ?? "";
  const [scheme, createScheme] = TLS_SCHEMES[schemeWithoutTls] ?? [];
  if (!scheme || !createScheme) return [];
  const createUrl = (text: string, port: number): string =>
    component.createUrl(text, port).replace(/^\w+/, scheme).replace("h.example", "secure.example");
  const tlsComponent = {
    ...component,
    createScheme,
    startRecordingServer: createTlsRecordingServerStarter(component.startRecordingServer),
    createUrl,
  };
  return [[`${name}, over TLS`, tlsComponent] as const];
});

it("every scheme over TLS has test cases", () => {
  const named = TLS_COMPONENTS.map(([name]) => name.split(/[ +]/, 1)[0]);
  expect([...new Set(named)]).toEqual(Object.keys(TLS_SCHEMES));
});

describe.each(TLS_COMPONENTS)("the bytes sent over TLS for the URL component %s", (_, component) => {
  const { isRejected, isAllowedByControlCharacterOption = () => false, separatorBytes = {} } = component;

  it("the client refuses boundary bytes before the DNS lookup, or sends the same bytes as without TLS", async () => {
    await using recorder = await component.startRecordingServer();
    const check = await createUrlComponentInjectionTest(component, recorder);
    const isTestedAlone = (byte: number): boolean => isRejected(byte) || separatorBytes[byte] !== undefined;
    for (const byte of BOUNDARY_BYTES.filter(isTestedAlone)) await check([byte]);
    const together = BOUNDARY_BYTES.filter((byte) => !isTestedAlone(byte));
    if (together.length > 0) await check(together);
    const allowed = ALL_BYTE_VALUES.filter(isAllowedByControlCharacterOption);
    if (allowed.length > 0) await check(allowed, true);
    for (const byte of [0x00, 0x0a, 0x0d]) await check([byte], true);
  });
});
