import { anyAddress, createClient, publicInternet } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http, https } from "@anyscheme/scheme-http";
import { news, nntp, nntps, prospero, telnet, wais } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";

// The client finds no interface with this name, so a request that the policy allows fails before it connects.
const linkLocalZone = "no-such-interface";
const newsServer = news({ servers: ["[fe80::1]"] });
const schemes = [ftp(), gopher(), gophers(), http(), https(), nntp(), nntps(), prospero(), telnet(), wais()];

describe("the policy judges a link-local address of a client with linkLocalZone", () => {
  it.each([
    "ftp://[fe80::1]/a",
    "gopher://[fe80::1]/0a",
    "gophers://[fe80::1]/0a",
    "http://[fe80::1]/",
    "http://[fe80:0:0::a9fe:a9fe]/",
    "https://[febf::1]/",
    "nntp://[fe80::1]/a.b/1",
    "nntps://[fe80::1]/a.b/1",
    "news:1@a.example",
    "prospero://[fe80::1]/a",
    "telnet://[fe80::1]/",
    "wais://[fe80::1]/d?q",
  ])("publicInternet() refuses %s, and with anyAddress() the client looks for the interface", async (url) => {
    await using client = createClient({ schemes: [...schemes, newsServer], linkLocalZone });
    const request = async (policy = publicInternet()): Promise<unknown> => {
      const resource = await client.dereference(url, { policy });
      return resource.kind === "service" ? await resource.connect() : resource;
    };
    await expect(request()).rejects.toMatchObject({ code: "refused-address" });
    await expect(request(publicInternet({ allowAddresses: ["fe80::2"] }))).rejects.toMatchObject({
      code: "refused-address",
    });
    await expect(request(anyAddress())).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`the network interface ${linkLocalZone} does not exist`) as string,
    });
  });
});
