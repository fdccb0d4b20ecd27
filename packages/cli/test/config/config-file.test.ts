import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfig } from "../../src/config/config-file.ts";
import { runCommand } from "../command.ts";
import { testFolder } from "../folder.ts";
import { runHere } from "../test-io.ts";

function fileWith(text: string): string {
  const file = join(testFolder(), "config.json");
  writeFileSync(file, text);
  return file;
}

it("no file is no settings", () => {
  expect(readConfig(undefined)).toEqual({});
  expect(readConfig(join(testFolder(), "none"))).toEqual({});
  expect(readConfig(fileWith("{}"))).toEqual({});
});

it("reads every setting", () => {
  const settings = {
    color: "never",
    email: "me@home.example",
    gateways: {
      wais: "http://gw.example/?url={url}",
      "x-y": { locator: "http://gw.example/{+url}", when: "unregistered" },
    },
    newsServers: ["news.example", "other.example:1119", { host: "third.example", groups: "comp.*" }],
  };
  expect(readConfig(fileWith(JSON.stringify(settings)))).toEqual({
    ...settings,
    newsServers: [
      { host: "news.example" },
      { host: "other.example", port: 1119 },
      { host: "third.example", groups: "comp.*" },
    ],
  });
});

it.each<[text: string, says: string]>([
  ["", ":1:1: the file ends too early"],
  ['{\n  "email":', ":2:11: the file ends too early"],
  ['{ "email": "me', ":1:15: the file ends too early"],
  ['{ "color": tru }', ":1:15: the file is no JSON here"],
  ['{ "color": "auto" } x', ":1:21: the file is no JSON here"],
  ["{\n\n  // a remark\n}", ":3:3: the file is no JSON here"],
  ['{\n  "email": me\n}', ":2:12: the file is no JSON here"],
  ["[]", ": the file is no object, as in {}"],
  [
    '{ "allowPorts": {} }',
    ': there is no setting "allowPorts"; there are color, email, gateways, newsServers',
  ],
  ['{ "__proto__": 1 }', ': there is no setting "__proto__"; there are color, email, gateways, newsServers'],
  ['{ "color": true }', ': color is "auto", "always" or "never"'],
  ['{ "email": "me" }', ": email is an address, as in me@home.example"],
  ['{ "email": "a@b\\r\\nDELE x" }', ": email is an address, as in me@home.example"],
  ['{ "gateways": [] }', ': gateways is an object, as in { "wais": "http://gw.example/?url={url}" }'],
  ['{ "gateways": { "wais": 1 } }', ": gateways for wais needs the URL of a gateway"],
  [
    '{ "gateways": { "wais": "http://h/" } }',
    ": gateways for wais needs {url} in its locator, where the URL goes",
  ],
  [
    '{ "gateways": { "wais": { "locator": "http://h/{url}", "when": "now" } } }',
    ": gateways for wais is used always, unavailable or unregistered",
  ],
  ['{ "newsServers": "h" }', ': newsServers is a list, as in ["news.example"]'],
  ['{ "newsServers": ["h", "h:0"] }', ": newsServers has no server at place 2"],
  ['{ "newsServers": [{ "host": "h", "password": "x" }] }', ": newsServers has no server at place 1"],
])("of %j the command says where it is wrong", async (text, says) => {
  const configFile = fileWith(text);
  const { exit, err } = await runHere(["plan", "ftp://h/"], { configFile });
  expect(exit).toBe(2);
  expect(err.split("\n")[0]).toContain(`anyscheme: ${configFile}${says}`);
});

it("is found where XDG has it, and the command line goes first", async () => {
  const folder = testFolder();
  mkdirSync(join(folder, "anyscheme"));
  const gateways = { "x-thing": "http://gw.example/?url={url}" };
  writeFileSync(join(folder, "anyscheme/config.json"), JSON.stringify({ gateways }));
  const plan = async (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> =>
    (await runCommand(["plan", ...args, "x-thing:one"], { env })).out;
  expect(await plan({ XDG_CONFIG_HOME: folder })).toContain("gw.example port 80");
  const other = ["--gateway", "x-thing=http://other.example/{url}"];
  expect(await plan({ XDG_CONFIG_HOME: folder }, ...other)).toContain("other.example port 80");
  expect(await plan({ XDG_CONFIG_HOME: "relative", HOME: folder })).toBe("");
  mkdirSync(join(folder, ".config/anyscheme"), { recursive: true });
  writeFileSync(join(folder, ".config/anyscheme/config.json"), JSON.stringify({ gateways }));
  expect(await plan({ XDG_CONFIG_HOME: "", HOME: folder })).toContain("gw.example port 80");
});
