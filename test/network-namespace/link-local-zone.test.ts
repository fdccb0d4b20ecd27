import { beforeAll, describe, expect, it } from "vitest";
import type { LinkLocalProgramReport } from "./link-local-program.ts";
import { createNetworkNamespaceRunner } from "./network-namespace.ts";

// Two interfaces with the same link-local address.
const namespace = createNetworkNamespaceRunner([
  "ip link set lo up",
  "ip link add one type veth peer name two",
  "ip link set one up",
  "ip link set two up",
  "ip -6 addr add fe80::aa/64 dev one nodad",
  "ip -6 addr add fe80::aa/64 dev two nodad",
]);
const title = "zones of link-local IPv6 addresses (RFC 4007, RFC 9844)";

describe.skipIf(!namespace.isAvailable)(
  namespace.isAvailable ? title : `${title}: unshare cannot create a network namespace here`,
  () => {
    let result: LinkLocalProgramReport;
    beforeAll(async () => {
      result = JSON.parse(await namespace.runNode("link-local-program.ts")) as LinkLocalProgramReport;
    }, 60_000);

    it.each<[keyof LinkLocalProgramReport["commands"], string]>([
      ["zone", "one"],
      ["oldForm", "two"],
      ["number", "two"],
      ["withoutScheme", "two"],
      ["redirect", "two"],
      ["ftp", "a file"],
    ])("the command connects through the interface of the zone: %s", (name, stdout) => {
      expect(result.commands[name]).toMatchObject({ exitCode: 0, stdout });
    });

    it("no request contains the zone", () => {
      const host = `[fe80::aa]:${result.httpPort}`;
      expect(result.httpRequests).toEqual([
        `one /name ${host}`,
        `two /old-form ${host}`,
        `two /number ${host}`,
        `two /without-scheme ${host}`,
        `two /redirect ${host}`,
        `two /target ${host}`,
        `one /zone ${host}`,
        `one /cached ${host}`,
        `two /cached ${host}`,
        ...Array.from({ length: 3 }, () => `two /library ${host}`),
      ]);
    });

    it("the trace shows the dialled address of the connection", () => {
      expect(result.commands["zone"]?.stderr).toContain(`* connect fe80::aa%one port ${result.httpPort}\n`);
    });

    it("the data connection of FTP goes through the interface of the control connection", () => {
      expect(result.ftpDataPeers).toEqual(["fe80::aa%one"]);
    });

    it("a redirect to a URL with a zone is refused", () => {
      expect(result.commands["redirectWithZone"]).toMatchObject({
        exitCode: 47,
        stdout: "",
        stderr: expect.stringContaining("the IPv6 address of a URL has no zone identifier") as string,
      });
    });

    it("an unknown zone is an error that names the interfaces", () => {
      expect(result.commands["unknown"]?.stderr).toMatch(
        /^anyscheme: unavailable: cannot connect to fe80::aa port \d+: the network interface nope does not exist, or has no link-local IPv6 address: http:\/\/\[fe80::aa\]:\d+\/unknown \(use (one or two|two or one)\)\n$/,
      );
    });

    it("the cache neither stores responses of an address with a zone nor answers requests to the address", () => {
      const { cached, cachedInOtherZone } = result.commands;
      expect([cached?.stdout, cachedInOtherZone?.stdout]).toEqual(["one", "two"]);
      expect(result.libraryCache).toEqual(["two", "two", "two", "unavailable"]);
    });

    it("datagrams go through the interface of the zone", () => {
      expect(result.datagram).toBe("a datagram");
    });
  },
);
