import "@abraham/reflection";
import { CLIENT_TSYRINGE_TOKEN, registerClientInTsyringe } from "@anyscheme/core/tsyringe";
import { ftp } from "@anyscheme/scheme-ftp";
import { registerFtpInTsyringe } from "@anyscheme/scheme-ftp/tsyringe";
import { container } from "tsyringe";
import { expect, it } from "vitest";

it("registerFtpInTsyringe registers the ftp scheme with its options in a container", () => {
  const own = container.createChildContainer();
  registerFtpInTsyringe(own, { defaultTransferType: "a" });
  registerClientInTsyringe(own);
  const client = own.resolve(CLIENT_TSYRINGE_TOKEN);
  expect(client.schemes).toEqual(["ftp"]);
  expect(
    client.plan("ftp://h.dom/data.bin").steps.some(({ description: text }) => text.startsWith("TYPE A")),
  ).toBe(true);
});

it("the ftp scheme allows unprivileged ports, and has the default port 21", () => {
  expect(ftp()).toMatchObject({ name: "ftp", portRange: "unprivileged" });
  expect(ftp().syntax.defaultPort).toBe(21);
});
