import { describe, expect, it } from "vitest";
import { BAD_PORTS } from "../../src/policy/ports.ts";
import { type Policy, publicInternet, anyAddress } from "../../src/policy/policy.ts";
import { applyPortRule, type SchemePortProperties } from "../../src/policy/ports.ts";

// The "bad ports" of the Fetch standard that no other rule refuses.
const BAD_PORTS_ABOVE_1023 = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
];

const ftpPorts: SchemePortProperties = { scheme: "ftp", defaultPort: 21, portRange: "unprivileged" };
const gopher: SchemePortProperties = { scheme: "gopher", defaultPort: 70, portRange: "default" };
const waisPorts: SchemePortProperties = { scheme: "wais", defaultPort: 210, portRange: "default" };
const prosperoPorts: SchemePortProperties = { scheme: "prospero", defaultPort: 1525, portRange: "default" };
const nameless: SchemePortProperties = { scheme: "x-echo", defaultPort: undefined, portRange: "default" };

/** The ports that a scheme may use: inclusive ranges, and the refused ports within them. */
interface ExpectedPorts {
  readonly allowed: readonly (readonly [from: number, to: number])[];
  readonly refusedPorts?: readonly number[];
}

describe("applyPortRule decides about all 65 536 ports", () => {
  const rows: readonly (readonly [
    name: string,
    one: SchemePortProperties,
    policy: Policy,
    expected: ExpectedPorts,
  ])[] = [
    [
      "a scheme whose server sends first",
      ftpPorts,
      publicInternet(),
      {
        allowed: [
          [21, 21],
          [1024, 65535],
        ],
        refusedPorts: BAD_PORTS_ABOVE_1023,
      },
    ],
    ["a scheme whose client sends first", gopher, publicInternet(), { allowed: [[70, 70]] }],
    ["a scheme with the default port 210", waisPorts, publicInternet(), { allowed: [[210, 210]] }],
    ["a scheme with a default port above 1023", prosperoPorts, publicInternet(), { allowed: [[1525, 1525]] }],
    ["a scheme without a default port", nameless, publicInternet(), { allowed: [] }],
    ["anyAddress() for a scheme whose client sends first", gopher, anyAddress(), { allowed: [[70, 70]] }],
    [
      "anyAddress() for a scheme whose server sends first",
      ftpPorts,
      anyAddress(),
      {
        allowed: [
          [21, 21],
          [1024, 65535],
        ],
        refusedPorts: BAD_PORTS_ABOVE_1023,
      },
    ],
    [
      "ports that the caller allows, including reserved ports and bad ports",
      gopher,
      publicInternet({ allowPorts: { gopher: [1, 1023, 6000, 7070, 65535] } }),
      {
        allowed: [
          [70, 70],
          [1, 1],
          [1023, 1023],
          [6000, 6000],
          [7070, 7070],
          [65535, 65535],
        ],
      },
    ],
    [
      "ports that the caller allows for a scheme name in another case",
      nameless,
      publicInternet({ allowPorts: { "X-Echo": [7] } }),
      { allowed: [[7, 7]] },
    ],
    [
      "ports that the caller allows for another scheme",
      gopher,
      publicInternet({ allowPorts: { ftp: [7070] } }),
      { allowed: [[70, 70]] },
    ],
    ["the option strictPorts", ftpPorts, anyAddress({ strictPorts: true }), { allowed: [[21, 21]] }],
    [
      "the options strictPorts and allowPorts together",
      ftpPorts,
      anyAddress({ strictPorts: true, allowPorts: { ftp: [2121] } }),
      {
        allowed: [
          [21, 21],
          [2121, 2121],
        ],
      },
    ],
  ];
  it.each(rows)(
    "applyPortRule allows exactly the expected ports: %s",
    (_name, one, policy, { allowed, refusedPorts: except = [] }) => {
      const wrong: number[] = [];
      for (let port = 0; port < 65536; port++) {
        const expected = allowed.some(([from, to]) => port >= from && port <= to) && !except.includes(port);
        if (applyPortRule(port, one, policy).allowed !== expected) wrong.push(port);
      }
      expect(wrong).toEqual([]);
    },
  );

  it("applyPortRule requires confirmPort only for a port that no other rule refuses", () => {
    const policy = publicInternet({ confirmPort: () => true });
    for (const [one, expected] of [
      [gopher, 65536 - 1024 - BAD_PORTS_ABOVE_1023.length],
      [ftpPorts, 0],
    ] as const) {
      let asked = 0;
      for (let port = 0; port < 65536; port++) {
        const verdict = applyPortRule(port, one, policy);
        if (!verdict.allowed && verdict.needsConfirmation) asked++;
      }
      expect(asked).toBe(expected);
    }
  });

  it.each([-1, 65536, 0.5, NaN, Infinity, 0])("applyPortRule never allows the port %d", (port) => {
    const policy: Policy = { ...anyAddress(), allowPorts: new Map([["ftp", new Set([port])]]) };
    expect(applyPortRule(port, { ...ftpPorts, defaultPort: port }, policy)).toMatchObject({
      allowed: false,
      needsConfirmation: false,
    });
  });

  it("applyPortRule returns the reason for refusing a port", () => {
    const why = (port: number, one: SchemePortProperties): string => {
      const verdict = applyPortRule(port, one, publicInternet());
      return verdict.allowed ? "" : verdict.reason;
    };
    expect(why(25, ftpPorts)).toBe("port 25 is below 1024 and is not the default port of ftp");
    expect(why(6000, ftpPorts)).toBe("port 6000 belongs to another protocol");
    expect(why(7070, gopher)).toBe("port 7070 is not the default port of gopher");
  });
});

it("the bad ports of the Fetch standard are 83 ports, port 0 included", () => {
  expect(BAD_PORTS.size).toBe(83);
  expect(BAD_PORTS.has(0)).toBe(true);
  expect([...BAD_PORTS].filter((port) => port > 1023)).toEqual(BAD_PORTS_ABOVE_1023);
});
