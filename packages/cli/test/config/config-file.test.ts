import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readConfigFile } from "../../src/config/config-file.ts";
import { findConfigFile } from "../../src/config/find-config-file.ts";
import { runBuiltCommand } from "../run-built-command.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";
import { runCommandInProcess } from "../command-in-process.ts";

function createConfigFile(text: string): string {
  const file = join(createTemporaryFolder(), "config.json");
  writeFileSync(file, text);
  return file;
}

it("readConfigFile returns no settings for a missing configuration file", () => {
  expect(readConfigFile(undefined)).toEqual({});
  expect(readConfigFile(join(createTemporaryFolder(), "none"))).toEqual({});
  expect(readConfigFile(createConfigFile("{}"))).toEqual({});
});

it("readConfigFile accepts a byte order mark", () => {
  expect(readConfigFile(createConfigFile('\ufeff{ "color": "never" }'))).toEqual({ color: "never" });
});

it("readConfigFile returns the settings of a configuration file", () => {
  const settings = {
    color: "never",
    email: "me@home.example",
    gateways: {
      wais: "http://gw.example/?url={url}",
      "x-y": { urlTemplate: "http://gw.example/{+url}", when: "unregistered" },
    },
    newsServers: ["news.example", "other.example:1119", { host: "third.example", groups: "comp.*" }],
  };
  expect(readConfigFile(createConfigFile(JSON.stringify(settings)))).toEqual({
    ...settings,
    newsServers: [
      { host: "news.example" },
      { host: "other.example", port: 1119 },
      { host: "third.example", groups: "comp.*" },
    ],
  });
});

it.each<[text: string, reported: string]>([
  ["", ": Unexpected end of JSON input"],
  ['{\n  "email":', ": Unexpected end of JSON input"],
  ['{ "email": "me', ": Unterminated string in JSON at position 14"],
  ['{ "color": tru }', ": Unexpected token ' '"],
  ['{ "color": "auto" } x', ": Unexpected non-whitespace character after JSON at position 20"],
  ["{\n\n  // a remark\n}", ": Expected property name or '}' in JSON at position 5"],
  ['{\n  "email": me\n}', ": Unexpected token 'm'"],
  ["[]", ": the file must contain a JSON object, as in {}"],
  [
    '{ "allowPorts": {} }',
    ': unknown setting "allowPorts"; the settings are color, email, gateways, newsServers',
  ],
  [
    '{ "__proto__": 1 }',
    ': unknown setting "__proto__"; the settings are color, email, gateways, newsServers',
  ],
  ['{ "color": true }', ': color must be "auto", "always" or "never"'],
  ['{ "email": "me" }', ": email must be an email address, as in me@home.example"],
  ['{ "email": "a@b\\r\\nDELE x" }', ": email must be an email address, as in me@home.example"],
  ['{ "gateways": [] }', ': gateways must be an object, as in { "wais": "http://gw.example/?url={url}" }'],
  ['{ "gateways": { "wais": 1 } }', ": gateways for wais needs the URL of a gateway"],
  ['{ "gateways": { "wais": "http://h/" } }', ": gateways for wais needs {url} in its URL template"],
  [
    '{ "gateways": { "wais": { "urlTemplate": "http://h/{url}", "when": "now" } } }',
    ": gateways for wais needs one of always, unavailable or unregistered as its condition",
  ],
  ['{ "newsServers": "h" }', ': newsServers must be a list, as in ["news.example"]'],
  ['{ "newsServers": ["h", "h:0"] }', ": newsServers has an invalid server at position 2"],
  [
    '{ "newsServers": [{ "host": "h", "password": "x" }] }',
    ": newsServers has an invalid server at position 1",
  ],
])("the command reports the fault of the configuration %j", async (text, reported) => {
  const configFilePath = createConfigFile(text);
  const { exitCode, stderr } = await runCommandInProcess(["plan", "ftp://h/"], { configFilePath });
  expect(exitCode).toBe(2);
  expect(stderr.split("\n")[0]).toContain(`anyscheme: ${configFilePath}${reported}`);
});

it("the configuration file is in XDG_CONFIG_HOME or ~/.config, and options override its settings", async () => {
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, "anyscheme"));
  const gateways = { "x-thing": "http://gw.example/?url={url}" };
  writeFileSync(join(folder, "anyscheme/config.json"), JSON.stringify({ gateways }));
  const plan = async (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> =>
    (await runBuiltCommand(["plan", ...args, "x-thing:one"], { env })).stdout;
  expect(await plan({ XDG_CONFIG_HOME: folder })).toContain("gw.example port 80");
  const other = ["--gateway", "x-thing=http://other.example/{url}"];
  expect(await plan({ XDG_CONFIG_HOME: folder }, ...other)).toContain("other.example port 80");
  expect(await plan({ XDG_CONFIG_HOME: "relative", HOME: folder })).toBe("");
  mkdirSync(join(folder, ".config/anyscheme"), { recursive: true });
  writeFileSync(join(folder, ".config/anyscheme/config.json"), JSON.stringify({ gateways }));
  expect(await plan({ XDG_CONFIG_HOME: "", HOME: folder })).toContain("gw.example port 80");
});

const HOME_FILE = "/home/joe/.config/anyscheme/config.json";

it.each<[environment: NodeJS.ProcessEnv, home: string | Error, expected: string | undefined]>([
  [{}, "/home/joe", HOME_FILE],
  [{ XDG_CONFIG_HOME: "" }, "/home/joe", HOME_FILE],
  [{ XDG_CONFIG_HOME: "settings" }, "/home/joe", HOME_FILE],
  [{ XDG_CONFIG_HOME: "/settings" }, "/home/joe", "/settings/anyscheme/config.json"],
  [{ XDG_CONFIG_HOME: "/settings" }, "", "/settings/anyscheme/config.json"],
  [{}, "", undefined],
  [{}, ".", undefined],
  [{ XDG_CONFIG_HOME: "settings" }, "home", undefined],
  [{}, new Error("uv_os_homedir returned ENOENT"), undefined],
])(
  "for the environment %j and the home folder %s, the configuration file is %s",
  (environment, home, expected) => {
    const getHomeFolder = (): string => {
      if (home instanceof Error) throw home;
      return home;
    };
    expect(findConfigFile(environment, getHomeFolder)).toBe(expected);
  },
);

it.each(["", "."])("with HOME=%j, the command executes no module of the working directory", async (home) => {
  const cwd = createTemporaryFolder();
  mkdirSync(join(cwd, ".config/anyscheme"), { recursive: true });
  writeFileSync(join(cwd, ".config/anyscheme/config.json"), JSON.stringify({ schemes: ["scheme.mjs"] }));
  writeFileSync(join(cwd, ".config/anyscheme/scheme.mjs"), 'console.log("executed");');
  const env = { XDG_CONFIG_HOME: undefined, HOME: home };
  const { exitCode, stdout } = await runBuiltCommand(["schemes"], { cwd, env });
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain("executed");
});
