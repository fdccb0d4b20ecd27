import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startFtpTestServer } from "../../src/test-servers/ftp/ftp-test-server.ts";
import { sendAndReceiveAll, isListening } from "./send-and-receive.ts";
import { connectToFtpWithoutLogin, connectToFtpAndLogIn } from "./connect-to-ftp.ts";

const servedFiles = {
  "pub/lf.txt": "one\ntwo\n\nfour",
  "pub/bin": new Uint8Array([0, 10, 13, 255]),
  "pub/empty/": "",
  'a "b".txt': "x",
};

describe("the FTP test server", () => {
  it("the FTP test server replies to each command as expected, and records the command lines", async () => {
    await using server = await startFtpTestServer({ files: servedFiles });
    await using client = await connectToFtpWithoutLogin(server.port);
    const rows: [command: string, reply: RegExp][] = [
      ["PWD", /^530/],
      ["PASS x", /^503/],
      ["FEAT", /^211-[^]*\r\n MLST type\*;[^]*\r\n211 /],
      ["USER", /^501/],
      ["USER nobody", /^331/],
      ["PASS x", /^530/],
      ["USER anonymous", /^331/],
      ["PASS", /^230/],
      ["PWD", /^257 "\/" /],
      ["CWD", /^501/],
      ["CWD ", /^501/],
      ["CWD nowhere", /^550/],
      ["CWD pub/lf.txt", /^550/],
      ["cwd pub", /^250/],
      ["CWD empty", /^250/],
      ["PWD", /^257 "\/pub\/empty" /],
      ["CDUP", /^250/],
      ["PWD", /^257 "\/pub" /],
      ["CWD /pub/empty", /^250/],
      ["CWD ..", /^250/],
      ["TYPE X", /^504/],
      ["TYPE L 8", /^200/],
      ["SIZE lf.txt", /^213 13$/],
      ["TYPE A N", /^200/],
      ["SIZE lf.txt", /^213 16$/],
      ["SIZE empty", /^550/],
      ["MDTM lf.txt", /^213 20260101000000$/],
      ["MLST lf.txt", /^250-[^]*\r\n type=file;size=13;modify=20260101000000;perm=r; \/pub\/lf\.txt\r\n250 /],
      ["REST x", /^501/],
      ["REST 3", /^501/],
      ["TYPE I", /^200/],
      ["REST 99", /^350/],
      ["RETR lf.txt", /^554/],
      ["RETR missing", /^550/],
      ["RETR lf.txt", /^425/],
      ["STOR x", /^550/],
      ["PORT 127,0,0,1,1,1", /^502/],
      ["EPSV 2", /^522/],
      ["PASV", /^227 .*\(127,0,0,1,\d+,\d+\)/],
      ["EPSV ALL", /^200/],
      ["PASV", /^503/],
      ["OPTS UTF8 ON", /^200/],
      ["BLAH", /^500/],
      ["", /^500/],
      ["NOOP", /^200/],
      ["QUIT", /^221/],
    ];
    for (const [command, reply] of rows) expect(await client.sendCommand(command), command).toMatch(reply);
    expect(server.receivedLines).toEqual(rows.map(([command]) => command));
  });

  it.each([
    { before: "TYPE A", command: "RETR pub/lf.txt", data: "one\r\ntwo\r\n\r\nfour" },
    { before: "TYPE I", command: "RETR pub/lf.txt", data: "one\ntwo\n\nfour" },
    { before: "TYPE I", command: "RETR pub/bin", data: "\0\n\r\xff" },
    { before: "NOOP", command: "NLST", data: 'a "b".txt\r\npub\r\n' },
    { before: "CWD pub", command: "NLST -a", data: "bin\r\nempty\r\nlf.txt\r\n" },
    { before: "NOOP", command: "NLST pub/empty", data: "" },
    {
      before: "NOOP",
      command: "MLSD",
      data:
        'type=file;size=1;modify=20260101000000;perm=r; a "b".txt\r\n' +
        "type=dir;modify=20260101000000;perm=el; pub\r\n",
    },
    {
      before: "NOOP",
      command: "LIST pub/bin",
      data: "-rw-r--r--    1 ftp      ftp             4 Jan  1  2026 bin\r\n",
    },
  ])(
    "the FTP test server sends the expected data for $command after $before",
    async ({ before, command, data }) => {
      await using server = await startFtpTestServer({ files: servedFiles });
      await using client = await connectToFtpAndLogIn(server.port);
      await client.sendCommand(before);
      const answer = await client.transferData(command);
      expect(answer).toMatchObject({ data, finalReply: "226 Transfer complete." });
      expect(answer.preliminaryReply).toMatch(/^150/);
    },
  );

  it("REST applies only to the next RETR", async () => {
    await using server = await startFtpTestServer({ files: servedFiles });
    await using client = await connectToFtpAndLogIn(server.port);
    await client.sendCommand("TYPE I");
    await client.sendCommand("REST 9");
    expect((await client.transferData("RETR pub/lf.txt")).data).toBe("four");
    expect((await client.transferData("RETR pub/lf.txt")).data).toBe("one\ntwo\n\nfour");
  });

  it("NLST of a missing path and MLSD of a file are refused", async () => {
    await using server = await startFtpTestServer({ files: servedFiles });
    await using client = await connectToFtpAndLogIn(server.port);
    expect((await client.transferData("NLST missing")).finalReply).toMatch(/^550/);
    expect((await client.transferData("MLSD pub/bin")).finalReply).toMatch(/^501/);
  });

  it("a server with anonymous: false accepts only the logins of named users", async () => {
    await using server = await startFtpTestServer({
      files: servedFiles,
      anonymous: false,
      users: { bob: "secret" },
    });
    await using bob = await connectToFtpAndLogIn(server.port, { user: "bob", password: "secret" });
    expect(await bob.sendCommand("PWD")).toMatch(/^257/);
    await expect(connectToFtpAndLogIn(server.port, { user: "bob", password: "wrong" })).rejects.toThrow(
      "530",
    );
    await expect(connectToFtpAndLogIn(server.port)).rejects.toThrow("530");
  });

  it("the FTP test server replies 425 to RETR when the client opens no data connection", async () => {
    await using server = await startFtpTestServer({ files: servedFiles, dataConnectionTimeoutMs: 10 });
    await using client = await connectToFtpAndLogIn(server.port);
    await client.sendCommand("EPSV");
    expect(await client.sendCommand("RETR pub/lf.txt")).toMatch(/^425/);
  });

  it.each(["the data connection breaks", "ABOR arrives"])(
    "the FTP test server replies 426 when %s",
    async (event) => {
      await using server = await startFtpTestServer({ files: { big: new Uint8Array(32 * 1024 * 1024) } });
      await using client = await connectToFtpAndLogIn(server.port);
      const [, port] = /\(\|\|\|(\d+)\|\)/.exec(await client.sendCommand("EPSV")) ?? [];
      const data = connect({ host: "127.0.0.1", port: Number(port) });
      data.on("error", () => {});
      await once(data, "connect");
      data.pause();
      expect(await client.sendCommand("RETR big")).toMatch(/^150/);
      if (event === "ABOR arrives") {
        expect(await client.sendCommand("ABOR")).toMatch(/^426/);
        expect(await client.readReply()).toMatch(/^226/);
      } else {
        data.resetAndDestroy();
        expect(await client.readReply()).toMatch(/^426/);
      }
      expect(await client.sendCommand("NOOP")).toMatch(/^200/);
    },
  );

  it("the FTP test server refuses a command longer than 4096 bytes with 500", async () => {
    await using server = await startFtpTestServer({ files: servedFiles });
    expect(await sendAndReceiveAll(server.port, "A".repeat(5000))).toMatch(
      /^220 .*\r\n500 Command line too long\.\r\n$/,
    );
    expect(server.receivedLines).toEqual([]);
  });

  it("stop() closes the port and the control connections of the FTP test server", async () => {
    const server = await startFtpTestServer({ files: servedFiles });
    await using client = await connectToFtpAndLogIn(server.port);
    const closed = once(client.socket, "close");
    await client.sendCommand("EPSV");
    await server.stop();
    await closed;
    expect(await isListening(server.port)).toBe(false);
  });
});
