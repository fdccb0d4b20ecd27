import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readTableBelowHeading } from "../../../../test/docs/markdown-table.ts";
import { publicInternet, anyAddress } from "../../src/policy/policy.ts";
import {
  type NetworkKind,
  getNetworkKindOfAddresses,
  publicIfAnyServerIsPublic,
  selectRequestOrRedirectPolicy,
} from "../../src/policy/select-request-or-redirect-policy.ts";

const redirectPolicy = publicInternet();
const unrestrictedPolicy = anyAddress({ redirectPolicy });

/**
 * The side that named the target, the network kinds of that server and of the target, and the policy. `undefined` means
 * unknown.
 */
const ROWS: readonly (readonly [
  "caller" | "server",
  NetworkKind | undefined,
  NetworkKind | undefined,
  "the request's" | "redirectPolicy",
])[] = [
  ["caller", undefined, "private", "the request's"],
  ["caller", undefined, "public", "the request's"],
  ["caller", undefined, undefined, "the request's"],
  ["server", "private", "private", "the request's"],
  ["server", "private", "public", "redirectPolicy"],
  ["server", "private", undefined, "the request's"],
  ["server", "public", "private", "redirectPolicy"],
  ["server", "public", "public", "redirectPolicy"],
  ["server", "public", undefined, "redirectPolicy"],
  ["server", undefined, "private", "redirectPolicy"],
  ["server", undefined, "public", "redirectPolicy"],
  ["server", undefined, undefined, "redirectPolicy"],
];

describe("selectRequestOrRedirectPolicy selects the policy of a connection", () => {
  it.each(ROWS)(
    "a target named by the %s, from a %s server to a %s address, has the policy %s",
    (namedBy, serverScope, peer, name) => {
      expect(
        selectRequestOrRedirectPolicy(
          { requestPolicy: unrestrictedPolicy, targetNamedBy: namedBy, referringServerNetwork: serverScope },
          peer,
        ),
      ).toBe(name === "redirectPolicy" ? redirectPolicy : unrestrictedPolicy);
      const single = publicInternet();
      expect(
        selectRequestOrRedirectPolicy(
          { requestPolicy: single, targetNamedBy: namedBy, referringServerNetwork: serverScope },
          peer,
        ),
      ).toBe(single);
    },
  );

  it("selectRequestOrRedirectPolicy selects the policies of the table in SECURITY.md", () => {
    const page = readFileSync(new URL("../../../../SECURITY.md", import.meta.url), "utf8");
    const written = ROWS.filter(
      ([namedBy, serverScope, peer]) =>
        peer !== undefined && (namedBy === "caller" || serverScope !== undefined),
    );
    expect(readTableBelowHeading(page, "Which policy applies")).toEqual(
      written.map(([namedBy, scope = "–", peer = "", name]) => [namedBy, scope, peer, name]),
    );
  });
});

describe("the network kind of a server", () => {
  it.each<[readonly string[], NetworkKind]>([
    [["127.0.0.1"], "private"],
    [["10.0.0.1", "fd00::1"], "private"],
    [["10.0.0.1", "8.8.8.8"], "public"],
    [["8.8.8.8"], "public"],
    [["169.254.169.254"], "public"],
    [["168.63.129.16"], "public"],
    [["10.0.0.1", "169.254.169.254"], "public"],
    [["no address"], "public"],
    [[""], "public"],
    [[], "public"],
  ])("the addresses %j have the network kind %s", (addresses, place) =>
    expect(getNetworkKindOfAddresses(addresses)).toBe(place),
  );

  it.each([
    [undefined, "private", "private"],
    [undefined, "public", "public"],
    ["private", "private", "private"],
    ["private", "public", "public"],
    ["public", "private", "public"],
    ["public", "public", "public"],
  ] as const)(
    "publicIfAnyServerIsPublic of a %s server and a new %s address returns %s",
    (before, further, both) => expect(publicIfAnyServerIsPublic(before, further)).toBe(both),
  );
});
