import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { startForbiddenServer } from "@anyscheme/core/testing";
import { startHttpFileTestServer, startFixedTargetTunnelProxy } from "@anyscheme/servers";
import { describe, expect, it } from "vitest";
import { parseProxyOptions } from "../../src/args/proxy-options.ts";
import {
  SERVER_CERTIFICATE_PEM,
  SERVER_PRIVATE_KEY_PEM,
} from "../../../scheme-http/test/test-certificates.ts";
import { runCommandInProcess } from "../command-in-process.ts";
import { createTemporaryFolder } from "../../../../test/fixtures/temporary-folder.ts";

const files = { a: "hello\n" };
const PROXY = "PROXY";

// Each row has the arguments and the variables, in which PROXY stands for the host and port of the proxy.
describe("the proxy of a command", () => {
  it.each<[string, readonly string[], Readonly<Record<string, string>>, boolean]>([
    ["no proxy option and no proxy variable", [], {}, false],
    ["--proxy", ["--proxy", "http://PROXY"], {}, true],
    ["-x with a host and a port", ["-x", "PROXY"], {}, true],
    ["--proxy with a login", ["-x", "http://joe:secret@PROXY"], {}, true],
    ["http_proxy", [], { http_proxy: "http://PROXY" }, true],
    ["all_proxy", [], { ALL_PROXY: "PROXY" }, true],
    ["HTTP_PROXY, which is ignored", [], { HTTP_PROXY: "http://PROXY" }, false],
    ["--proxy before the variable", ["-x", "PROXY"], { http_proxy: "http://127.0.0.1:1" }, true],
    ["--no-proxy", ["--no-proxy"], { http_proxy: "http://PROXY" }, false],
    ["--proxy with an empty value", ["--proxy", ""], { http_proxy: "http://PROXY" }, false],
    ["no_proxy", [], { http_proxy: "http://PROXY", no_proxy: "127.0.0.0/8" }, false],
    ["no_proxy for --proxy", ["-x", "PROXY"], { NO_PROXY: "127.0.0.1" }, false],
    ["--noproxy *", ["--noproxy", "*"], { http_proxy: "http://PROXY" }, false],
    ["--noproxy for --proxy", ["-x", "PROXY", "--noproxy", "x.example,127.0.0.1"], {}, false],
    [
      "--noproxy before no_proxy",
      ["--noproxy", "x.example"],
      { http_proxy: "http://PROXY", no_proxy: "*" },
      true,
    ],
    ["an empty --noproxy", ["--noproxy", ""], { http_proxy: "http://PROXY", NO_PROXY: "*" }, true],
  ])("get uses the proxy only if it must: %s", async (_, args, variables, isProxied) => {
    await using server = await startHttpFileTestServer({ files });
    await using proxy = await startFixedTargetTunnelProxy(server.port);
    const fill = (text: string): string => text.replace(PROXY, `127.0.0.1:${proxy.port}`);
    const environment = Object.fromEntries(
      Object.entries(variables).map(([name, text]) => [name, fill(text)]),
    );
    const url = `http://127.0.0.1:${server.port}/a`;
    const { exitCode, stdout, stderr } = await runCommandInProcess(["get", ...args.map(fill), url], {
      environment,
    });
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "hello\n", stderr: "" });
    expect(proxy.targets).toEqual(isProxied ? [`127.0.0.1:${server.port}`] : []);
  });

  it("--proxy-cacert trusts the certificate of an https proxy, and --cacert does not", async () => {
    await using server = await startHttpFileTestServer({ files });
    await using proxy = await startFixedTargetTunnelProxy(server.port);
    const tlsProxy = createServer({ cert: SERVER_CERTIFICATE_PEM, key: SERVER_PRIVATE_KEY_PEM }, (socket) => {
      const tunnel = connect(proxy.port, "127.0.0.1");
      socket.on("error", () => tunnel.destroy());
      tunnel.on("error", () => socket.destroy());
      socket.pipe(tunnel).pipe(socket);
    });
    tlsProxy.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
    await once(tlsProxy, "listening");
    const { port } = tlsProxy.address() as AddressInfo;
    const file = join(createTemporaryFolder(), "ca.pem");
    writeFileSync(file, SERVER_CERTIFICATE_PEM);
    const url = `http://127.0.0.1:${server.port}/a`;
    const get = (...args: string[]) =>
      runCommandInProcess(["get", ...args, url], { environment: { all_proxy: `https://127.0.0.1:${port}` } });
    expect(await get("--proxy-cacert", file)).toMatchObject({ exitCode: 0, stdout: "hello\n", stderr: "" });
    const refused = await get("--cacert", file);
    expect(refused).toMatchObject({ exitCode: 97, stdout: "" });
    expect(refused.stderr).toContain("add the issuer's certificate with --proxy-cacert FILE");
    expect(proxy.targets).toHaveLength(1);
    tlsProxy.close();
  });

  it("an unreadable file of --proxy-cacert is a usage error", async () => {
    const { exitCode, stderr } = await runCommandInProcess([
      "get",
      "--proxy-cacert",
      "/none.pem",
      "http://h.example/",
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      "the file of --proxy-cacert cannot be read: ENOENT: no such file or directory: /none.pem\n",
    );
  });

  it.each(["socks4://h", "ftp://h", "http://joe:needle@h/path", "http://joe:needle@", "h:99999", "needle@"])(
    "--proxy %s is a usage error, whose message does not repeat the value",
    async (value) => {
      const { exitCode, stderr } = await runCommandInProcess(["get", "--proxy", value, "http://h.example/"]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(
        "anyscheme: --proxy needs the URL of a proxy, as in http://proxy.example:3128",
      );
      expect(stderr).not.toMatch(/needle|joe/);
    },
  );

  it("an invalid proxy variable fails with exit code 97, and the message names only the variable", async () => {
    const environment = { all_proxy: "http://joe:needle@h/path" };
    const { exitCode, stderr } = await runCommandInProcess(["get", "http://h.example/"], { environment });
    expect(exitCode).toBe(97);
    expect(stderr).toContain("the environment variable all_proxy is not the URL of a proxy");
    expect(stderr).not.toMatch(/needle|joe/);
  });

  it("a proxy that cannot be reached fails with exit code 97, and no text has its login", async () => {
    const tripwire = await startForbiddenServer();
    await tripwire.stop();
    const proxy = `http://joe:needle@127.0.0.1:${tripwire.port}`;
    const { exitCode, stderr } = await runCommandInProcess([
      "get",
      "-v",
      "-x",
      proxy,
      "http://127.0.0.1:8080/",
    ]);
    expect(exitCode).toBe(97);
    expect(stderr).toContain(`the proxy http://127.0.0.1:${tripwire.port} cannot be used: cannot connect to`);
    expect(stderr).not.toMatch(/needle|joe/);
  });

  it("the advice for the refused port of a proxy names the option of the command", async () => {
    const args = ["get", "-x", "http://127.0.0.1:99", "http://127.0.0.1:8080/"];
    const { exitCode, stderr } = await runCommandInProcess(args);
    expect(exitCode).toBe(7);
    expect(stderr).toContain("--allow-port http:99 allows it");
  });

  it.each([
    ["socks5h of --proxy", { proxy: "socks5h://h.example" }, {}, true],
    ["socks5 of --proxy", { proxy: "socks5://h.example" }, {}, false],
    ["socks5h of a variable", {}, { all_proxy: "socks5h://h.example" }, false],
    ["no proxy", { proxy: false }, { all_proxy: "socks5h://h.example" }, false],
  ] as const)(
    "only --proxy allows a proxy to resolve the names of redirects: %s",
    (_, values, environment, allowed) => {
      expect(parseProxyOptions(values, environment).allowProxyResolution).toBe(allowed);
    },
  );

  it("a scheme that sends datagrams cannot use a proxy, and fails with advice", async () => {
    const args = ["get", "-x", "127.0.0.1:3128", "prospero://127.0.0.1:1525//a"];
    const { exitCode, stderr } = await runCommandInProcess(args);
    expect(exitCode).toBe(4);
    expect(stderr).toContain("a protocol with datagrams (UDP) cannot use a proxy");
    expect(stderr).toContain("use --no-proxy for this URL");
  });
});
