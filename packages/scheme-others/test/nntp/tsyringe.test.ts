import "@abraham/reflection";
import { CLIENT_TSYRINGE_TOKEN, registerClientInTsyringe } from "@anyscheme/core/tsyringe";
import { news, snews } from "@anyscheme/scheme-others/news";
import { registerNewsInTsyringe } from "@anyscheme/scheme-others/news/tsyringe";
import { nntp, nntps } from "@anyscheme/scheme-others/nntp";
import { registerNntpInTsyringe } from "@anyscheme/scheme-others/nntp/tsyringe";
import { container } from "tsyringe";
import { expect, it } from "vitest";

it("registerNntpInTsyringe and registerNewsInTsyringe add their schemes with the options to a tsyringe container", () => {
  const own = container.createChildContainer();
  registerNntpInTsyringe(own, { startTls: "require" });
  registerNewsInTsyringe(own, { servers: ["news.example.org"] });
  registerClientInTsyringe(own);
  const client = own.resolve(CLIENT_TSYRINGE_TOKEN);
  expect(client.schemes.toSorted()).toEqual(["news", "nntp", "nntps", "snews"]);
  expect(client.plan("nntp://h.dom/a/1").steps.some(({ description: text }) => text === "STARTTLS")).toBe(
    true,
  );
  expect(client.plan("news:a@b").steps[0]?.description).toBe("news.example.org");
  expect(JSON.stringify(client.plan("news:a@b"))).not.toContain("requests");
});

it("the client permits ports from 1024 on for news and nntp, because the server sends the first bytes", () => {
  for (const [scheme, port] of [
    [nntp(), 119],
    [nntps(), 563],
    [news(), 119],
    [snews(), 563],
  ] as const) {
    expect(scheme.portRange).toBe("unprivileged");
    expect(scheme.syntax.defaultPort).toBe(port);
  }
});
