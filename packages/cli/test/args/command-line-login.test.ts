import { once } from "node:events";
import { readFileSync } from "node:fs";
import { startFtpTestServer } from "@anyscheme/servers";
import { startScriptedServer } from "@anyscheme/core/testing";
import { expect, it } from "vitest";
import { startBuiltCommand } from "../run-built-command.ts";
import { runCommandInProcess } from "../command-in-process.ts";

const ftpServerOptions = {
  files: { "hello.txt": "Hello\r\n", "two.txt": "2\r\n" },
  anonymous: false,
  users: { joe: "Nee:dle" },
};

it("-u logs in for a URL without a user name, and no output shows the password", async () => {
  await using server = await startFtpTestServer(ftpServerOptions);
  const url = `ftp://127.0.0.1:${server.port}/hello.txt`;
  const { exitCode, stdout, stderr } = await runCommandInProcess(["get", "-v", "-u", "joe:Nee:dle", url]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Hello\r\n" });
  expect(server.receivedLines).toEqual(expect.arrayContaining(["USER joe"]));
  expect(stderr).not.toContain("Nee:dle");
  expect(stderr).toContain("> PASS");
});

it("-u without a password prompts for the password once", async () => {
  await using server = await startFtpTestServer(ftpServerOptions);
  const at = `ftp://127.0.0.1:${server.port}`;
  const { exitCode, io } = await runCommandInProcess(
    ["get", "-u", "joe", `${at}/hello.txt`, `${at}/two.txt`],
    {
      answers: ["Nee:dle"],
    },
  );
  expect({ exitCode, stdout: io.stdout.text, asked: io.questions.length }).toEqual({
    exitCode: 0,
    stdout: "Hello\r\n2\r\n",
    asked: 1,
  });
});

it("the URL's user name overrides --user, and the error for a wrong password does not show the password", async () => {
  await using server = await startFtpTestServer(ftpServerOptions);
  const at = `127.0.0.1:${server.port}`;
  expect(
    (await runCommandInProcess(["get", "-u", "ann:x", `ftp://joe:Nee%3Adle@${at}/hello.txt`])).exitCode,
  ).toBe(0);
  const { exitCode, stderr } = await runCommandInProcess([
    "get",
    "-u",
    "joe:wrong-needle",
    `ftp://${at}/hello.txt`,
  ]);
  expect(exitCode).toBe(67);
  expect(stderr).not.toContain("wrong-needle");
});

it("a redirect target on another server does not receive the login of -u", async () => {
  const seen: string[] = [];
  const script =
    (location: string) =>
    async (peer: { readLine(): Promise<string | undefined>; send(text: string): void }) => {
      for (let line = await peer.readLine(); line; line = await peer.readLine()) seen.push(line);
      peer.send(
        location === ""
          ? `HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="r"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
          : `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    };
  await using other = await startScriptedServer(script(""));
  await using first = await startScriptedServer(script(`http://127.0.0.1:${other.port}/`));
  const { exitCode } = await runCommandInProcess([
    "get",
    "-u",
    "joe:Needle",
    `http://127.0.0.1:${first.port}/`,
  ]);
  expect(exitCode).not.toBe(0);
  expect(seen.filter((line) => line.startsWith("GET"))).toHaveLength(2);
  expect(seen.join("\n")).not.toMatch(/authorization/i);
});

it("a redirected request to another server has no login of -u, even if an operand names that server", async () => {
  const authorized: string[] = [];
  let location = "";
  const script =
    (isRedirecting: boolean) =>
    async (peer: { readLine(): Promise<string | undefined>; send(text: string): void }) => {
      const path = (await peer.readLine())?.split(" ")[1] ?? "";
      let isAuthorized = false;
      for (let line = await peer.readLine(); line; line = await peer.readLine())
        isAuthorized ||= line.startsWith("authorization");
      if (isAuthorized) authorized.push(path);
      const head = isRedirecting
        ? `302 Found\r\nLocation: ${location}`
        : `${isAuthorized ? 200 : 401} X\r\nWWW-Authenticate: Basic realm="r"`;
      peer.send(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    };
  await using second = await startScriptedServer(script(false));
  await using first = await startScriptedServer(script(true));
  const origin = `http://127.0.0.1:${second.port}`;
  location = `${origin}/chosen-by-a-stranger`;
  await runCommandInProcess(["get", "-u", "joe:Needle", `http://127.0.0.1:${first.port}/`, `${origin}/own`]);
  expect(authorized).toEqual(["/own"]);
});

it("plan shows the user name of -u", async () => {
  expect((await runCommandInProcess(["plan", "-u", "j@e", "ftp://h/f"])).stdout).toMatch(/USER j@e/);
});

it.each(["", ":password"])("the invalid option -u %j is a usage error", async (user) => {
  const { exitCode, stderr } = await runCommandInProcess(["get", `--user=${user}`, "ftp://h/f"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--user needs a name");
  expect(stderr).not.toContain("password");
});

it.runIf(process.platform === "linux")("the list of processes does not show the password of -u", async () => {
  await using server = await startScriptedServer(async (peer) => {
    peer.send("220 ready\r\n");
    await peer.readLine();
    peer.send("331 password\r\n");
    await peer.closed;
  });
  const command = startBuiltCommand(["get", "-v", "-u", "joe:Needle", `ftp://127.0.0.1:${server.port}/f`]);
  await once(command.stderr, "data");
  expect(readFileSync(`/proc/${command.pid}/cmdline`, "utf8")).not.toContain("Needle");
  command.kill("SIGTERM");
  expect((await command.ended).stderr).not.toContain("Needle");
});

it("the password prompt for HTTP contains the realm, with control characters escaped", async () => {
  const authorizations: string[] = [];
  await using server = await startScriptedServer(async (peer) => {
    const lines: string[] = [];
    for (let line = await peer.readLine(); line; line = await peer.readLine()) lines.push(line);
    const given = lines.find((line) => /^authorization:/i.test(line));
    if (given) authorizations.push(given.replace(/^[^:]*: */, ""));
    const end = "Content-Length: 5\r\nConnection: close\r\n\r\nhello";
    peer.send(
      given
        ? `HTTP/1.1 200 OK\r\n${end}`
        : `HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="reading\x9b room"\r\n${end}`,
    );
  });
  const { exitCode, io } = await runCommandInProcess(["get", "-v", `http://127.0.0.1:${server.port}/`], {
    answers: ["joe", "Nee:dle"],
  });
  expect({ exitCode, stdout: io.stdout.text }).toEqual({ exitCode: 0, stdout: "hello" });
  const place = `http://127.0.0.1:${server.port} (reading\\x9b room)`;
  expect(io.questions).toEqual([
    { question: `User for ${place}: `, echo: true },
    { question: `Password for joe at ${place}: `, echo: false },
  ]);
  expect(authorizations).toEqual([`Basic ${Buffer.from("joe:Nee:dle").toString("base64")}`]);
  expect(io.stderr.text).not.toMatch(/Nee:dle|am9lOk5lZTpkbGU/);
});

it("get of a protected HTTP page fails without a terminal", async () => {
  await using server = await startScriptedServer(async (peer) => {
    while (await peer.readLine());
    peer.send(
      'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="r"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    );
  });
  const { exitCode, stderr } = await runCommandInProcess(["get", `http://127.0.0.1:${server.port}/`]);
  expect(exitCode).toBe(67);
  expect(stderr).toContain("authentication-required");
});
