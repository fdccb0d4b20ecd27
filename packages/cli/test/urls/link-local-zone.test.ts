import "@abraham/reflection";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { publicInternet } from "@anyscheme/core";
import { LINK_LOCAL_ZONE_TSYRINGE_TOKEN, POLICY_TSYRINGE_TOKEN } from "@anyscheme/core/tsyringe";
import { container } from "tsyringe";
import { describe, expect, it } from "vitest";
import { extractZoneFromOperandUrls } from "../../src/urls/link-local-zone.ts";
import { runCommandInProcess } from "../command-in-process.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

const extract = (...operands: string[]): ReturnType<typeof extractZoneFromOperandUrls> =>
  extractZoneFromOperandUrls({ command: "get", operands, optionValues: {} });

describe("a user may type the zone of a link-local address (RFC 9844)", () => {
  it.each([
    ["http://[fe80::1%eth0]/", "http://[fe80::1]/", "eth0"],
    ["http://[fe80::1%25eth0]/", "http://[fe80::1]/", "eth0"],
    ["http://[fe80::1%4]:8080/a%25b", "http://[fe80::1]:8080/a%25b", "4"],
    ["http://[fe80::1%25]/", "http://[fe80::1]/", "25"],
    ["http://[fe80::1%25250]/", "http://[fe80::1]/", "250"],
    ["http://[FEBF::1%en1.100]?q", "http://[FEBF::1]?q", "en1.100"],
    ["ftp://joe:a%40b@[fe80::1%a-b_c~d]:21/a", "ftp://joe:a%40b@[fe80::1]:21/a", "a-b_c~d"],
    ["[fe80::1%eth0]:8080/x", "[fe80::1]:8080/x", "eth0"],
    ["  gopher://[fe80::1%eth0]\n", "  gopher://[fe80::1]\n", "eth0"],
  ])("the operand %j is the URL %j in the zone %s", (operand, url, linkLocalZone) => {
    expect(extract(operand)).toMatchObject({ operands: [url], linkLocalZone });
  });

  it.each([
    "http://[fe80::1]/",
    "http://[::1]/a[fe80::1%eth0]",
    "http://h/?[fe80::1%eth0]",
    "http://h/#[fe80::1%eth0]",
    "http://h/[fe80::1%eth0]",
    "http:[fe80::1%eth0]/",
    "http://[%31::1]/",
    "mailto:joe@[fe80::1%eth0]",
    "joe@[fe80::1%eth0]/a",
    "http://a]@[fe80::1%eth0]/",
    "http://[fe80::1%eth0",
  ])("the operand %j does not change", (operand) => {
    expect(extract(operand)).toEqual({ command: "get", operands: [operand], optionValues: {} });
  });

  it("several URLs may have the same zone", () => {
    expect(extract("http://[fe80::1%eth0]/", "http://h/", "ftp://[fe80::2%25eth0]/")).toMatchObject({
      operands: ["http://[fe80::1]/", "http://h/", "ftp://[fe80::2]/"],
      linkLocalZone: "eth0",
    });
  });
});

const INVALID_ZONE =
  'the zone of an IPv6 address has 1 to 32 letters, digits, ".", "_", "~" and "-", as in [fe80::1%eth0]';

describe("a wrong zone is a usage error", () => {
  it.each([
    [["http://[fe80::1%]/"], INVALID_ZONE],
    [["http://[fe80::1%eth 0]/"], INVALID_ZONE],
    [["http://[fe80::1%25en1%2F]/"], INVALID_ZONE],
    [[`http://[fe80::1%${"x".repeat(33)}]/`], INVALID_ZONE],
    [
      ["http://[2001:db8::1%eth0]/"],
      "2001:db8::1 is not link-local, and only link-local addresses (fe80::/10) have a zone; write [2001:db8::1]",
    ],
    [
      ["http://[::1%25lo]/"],
      "::1 is not link-local, and only link-local addresses (fe80::/10) have a zone; write [::1]",
    ],
    [
      ["http://[fe80::1%eth0]/", "http://[fe80::1%wlan0]/"],
      "the URLs have the zones eth0 and wlan0; run one command for each zone",
    ],
  ])("get %j is a usage error, because a zone is wrong", async (urls, message) => {
    const { exitCode, stdout, stderr } = await runCommandInProcess(["get", ...urls]);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `anyscheme: ${message}\nsee: anyscheme --help get\n`,
    });
  });
});

describe("the commands with a zone", () => {
  const url = "http://[fe80::1%no-such-interface]/";
  const failure =
    /^anyscheme: unavailable: cannot connect to fe80::1 port \d+: the network interface no-such-interface does not exist, or has no link-local IPv6 address: \w+:\/\/\[fe80::1\]/m;

  it.each([
    ["get", "http://[fe80::1%no-such-interface]/"],
    ["get", "https://[fe80::1%no-such-interface]/"],
    ["get", "ftp://[fe80::1%no-such-interface]/a"],
    ["ls", "ftp://[fe80::1%25no-such-interface]/"],
    ["form", "gopher://[fe80::1%no-such-interface]/7a"],
    ["open", "telnet://[fe80::1%no-such-interface]/"],
    ["get", "nntp://[fe80::1%no-such-interface]/a.b/1"],
    ["get", "wais://[fe80::1%no-such-interface]/d?q"],
  ])("the command %s of the URL %s connects through the interface of the zone", async (command, text) => {
    const { exitCode, stderr } = await runCommandInProcess([command, text], { answers: ["a"] });
    expect(stderr).toMatch(failure);
    expect(exitCode).toBe(7);
  });

  it("get of a prospero URL sends datagrams through the interface of the zone", async () => {
    const { stderr } = await runCommandInProcess(["get", "prospero://[fe80::1%no-such-interface]/a"]);
    expect(stderr).toContain("cannot send datagrams to fe80::1: the network interface no-such-interface");
  });

  it("get -r connects through the interface of the zone", async () => {
    const output = createTemporaryFolder();
    const args = ["get", "-r", "-o", output, "ftp://[fe80::1%no-such-interface]/"];
    expect((await runCommandInProcess(args)).stderr).toMatch(failure);
  });

  it("plan shows the address without the zone", async () => {
    const { exitCode, stdout } = await runCommandInProcess(["plan", url]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("[fe80::1] port 80");
    expect(stdout).not.toContain("no-such-interface");
  });

  it("parse reports the zone, because no URL has a zone", async () => {
    const { exitCode, stderr } = await runCommandInProcess(["parse", "http://[fe80::1%eth0]/"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: [
        "anyscheme: zone-id: the IPv6 address of a URL has no zone identifier (RFC 1738 §3.1)",
        "  http://[fe80::1%eth0]/",
        "                 ^",
        'leave the "%" and the zone out\n',
      ].join("\n"),
    });
  });

  it("lint reports the fault zone-id of a URL with a zone in a file", async () => {
    const file = join(createTemporaryFolder(), "urls.txt");
    writeFileSync(file, "<URL:http://[fe80::1%25eth0]/>\n");
    const { exitCode, stdout } = await runCommandInProcess(["lint", file]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("zone-id: the IPv6 address of a URL has no zone identifier");
  });

  it.each([
    ["--proxy", ["-x", "http://127.0.0.1:1"], {}],
    ["the variable http_proxy", [], { http_proxy: "http://127.0.0.1:1" }],
  ])("a URL with a zone is an error with a proxy: %s", async (_, options, environment) => {
    const args = ["get", ...options, "http://[fe80::1%eth0]/"];
    expect(await runCommandInProcess(args, { environment })).toMatchObject({
      stderr:
        "anyscheme: unsupported: the zone eth0 of the link-local address fe80::1 has no meaning for a proxy: http://[fe80::1]/ (use --no-proxy for this URL)\n",
    });
  });

  it("a URL with a zone is an error with a gateway", async () => {
    const args = ["get", "--gateway", "wais=http://127.0.0.1:1/{url}", "wais://[fe80::1%eth0]/d?q"];
    expect((await runCommandInProcess(args)).stderr).toBe(
      "anyscheme: unsupported: the zone eth0 of the link-local address fe80::1 has no meaning for a gateway: wais://[fe80::1]/d?q (use no gateway for this URL)\n",
    );
  });

  it("the policy of an embedding program applies to the address, and the zone on the command line replaces the zone of the embedding program", async () => {
    const hostContainer = container.createChildContainer();
    hostContainer.register(LINK_LOCAL_ZONE_TSYRINGE_TOKEN, { useValue: "eth9" });
    expect((await runCommandInProcess(["get", url], { hostContainer })).stderr).toMatch(failure);
    hostContainer.register(POLICY_TSYRINGE_TOKEN, { useValue: publicInternet() });
    expect((await runCommandInProcess(["get", url], { hostContainer })).stderr).toMatch(
      /^anyscheme: refused-address: the address fe80::1 is refused: outside 2000::\/3: /,
    );
  });
});
