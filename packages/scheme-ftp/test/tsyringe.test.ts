import "@abraham/reflection";
import { CLIENT_TSYRINGE_TOKEN, registerClientInContainer } from "@anyscheme/core/tsyringe";
import { ftp } from "@anyscheme/scheme-ftp";
import { registerFtpInContainer } from "@anyscheme/scheme-ftp/tsyringe";
import { container } from "tsyringe";
import { expect, it } from "vitest";

it("registerFtpInContainer registers the ftp scheme with its options in a container", () => {
  const own = container.createChildContainer();
  registerFtpInContainer(own, { defaultTransferType: "a" });
  registerClientInContainer(own);
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
