import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { parseGatewaysByScheme } from "../../src/args/gateways-by-scheme.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";

it.each<[text: string, scheme: string, urlTemplate: string, when: string]>([
  ["wais=http://gw.example/?url={url}", "wais", "http://gw.example/?url={url}", "always"],
  ["X-A=http://gw.example/{+url},unregistered", "x-a", "http://gw.example/{+url}", "unregistered"],
  ["ftp=http://gw.example/a,b={url},unavailable", "ftp", "http://gw.example/a,b={url}", "unavailable"],
])("parseGatewaysByScheme parses --gateway %s", (text, scheme, urlTemplate, when) => {
  expect(parseGatewaysByScheme([text])).toEqual({ [scheme]: { urlTemplate, when } });
});

it.each<[gateway: string, reported: string]>([
  ["wais", "--gateway needs a scheme and a URL template, as in wais=http://gw.example/?url={url}"],
  ["=http://h/{url}", "--gateway needs a scheme and a URL template, as in wais=http://gw.example/?url={url}"],
  ["wais=", "--gateway for wais needs the URL of a gateway"],
  ["wais=gw.example/{url}", "--gateway for wais needs the URL of a gateway"],
  ["wais= http://gw.example/{url}", "--gateway for wais needs the URL of a gateway"],
  ["wais=http://gw.example/", "--gateway for wais needs {url} in its URL template"],
  ["wais=http://joe:secret@gw.example/{url}", "--gateway for wais must not have a login in its URL template"],
  ["wais=http://gw .example/{url}", "the gateway for wais has a URL template that is not a URL"],
  [
    "wais=x-none://gw.example/{url}",
    "the gateway for wais has a URL template of the scheme x-none, which is not registered",
  ],
])("the invalid option --gateway %s is a usage error", async (gateway, message) => {
  const { exitCode, stderr } = await runCommandInProcess(["get", "--gateway", gateway, "wais://h/d"]);
  expect({ exitCode, message: stderr.includes(`anyscheme: ${message}`) }).toEqual({
    exitCode: 2,
    message: true,
  });
  expect(stderr).not.toContain("secret");
});

it("a URL of an unregistered scheme uses the gateway of the option or of the configuration file", async () => {
  await using server = await startScriptedServer(async (peer) => {
    const request = await peer.readLine();
    while (await peer.readLine());
    const body = `asked for ${request?.split(" ")[1]}\n`;
    peer.send(
      `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
  const urlTemplate = `http://127.0.0.1:${server.port}/?url={url}`;
  const expected = { exitCode: 0, stdout: "asked for /?url=x-thing%3Aone%2Ftwo\n" };
  expect(
    await runCommandInProcess(["get", "--gateway", `x-thing=${urlTemplate}`, "x-thing:one/two"]),
  ).toMatchObject(expected);
  const configFilePath = join(createTemporaryFolder(), "config.json");
  writeFileSync(
    configFilePath,
    JSON.stringify({ gateways: { "x-thing": { urlTemplate, when: "unregistered" } } }),
  );
  expect(await runCommandInProcess(["get", "x-thing:one/two"], { configFilePath })).toMatchObject(expected);
  expect(await runCommandInProcess(["get", "x-thing:one/two"])).toMatchObject({ exitCode: 1, stdout: "" });
});
