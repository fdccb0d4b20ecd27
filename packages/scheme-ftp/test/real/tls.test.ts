import { type AccessError, createClient, type TraceEvent, anyAddress } from "@anyscheme/core";
import { ftp, type FtpOptions } from "@anyscheme/scheme-ftp";
import type { RunningFtpServer } from "@anyscheme/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createClientForServer,
  readContentOrListingAsText,
  describeOnEachServer,
  dereferenceToTextOrErrorCode,
  createServerUrl,
} from "./describe-on-servers.ts";

const binaryContent = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) & 0xff));
const servedFiles = { "pub/hello.txt": "one\ntwo\n", "pub/data.bin": binaryContent };

/** Some of the FTP servers require that each data connection resumes the TLS session of the control connection. */
const TLS_MODES: readonly ("explicit" | "implicit")[] = ["explicit", "implicit"];

describe.each(TLS_MODES)("a session uses %s TLS", (tls) => {
  describeOnEachServer(
    "the client verifies the certificate",
    ["anonymous", ...(tls === "implicit" ? (["implicit TLS"] as const) : [])],
    (row) => {
      let server: RunningFtpServer;
      beforeAll(async () => {
        server = await row.start({ files: servedFiles, tls });
      });
      afterAll(() => server.stop());

      const options: FtpOptions = { tls };

      it.each<[string, string]>([
        ["/pub/hello.txt", "one\ntwo\n"],
        ["/pub/data.bin", binaryContent.toString("latin1")],
        ["/pub/;type=d", "unknown data.bin\nunknown hello.txt"],
        ["/pub/", "file data.bin 300000\nfile hello.txt 8"],
        ["/pub/missing", "not-found"],
      ])("the client reads %s over TLS", async (path, expected) => {
        await using client = createClientForServer(server, options);
        expect(await dereferenceToTextOrErrorCode(client, createServerUrl(server, path))).toBe(expected);
      });

      it("the client reuses the control connection, and starts TLS on each data connection", async () => {
        await using client = createClientForServer(server, options);
        const events: TraceEvent[] = [];
        const trace = (event: TraceEvent): void => void events.push(event);
        for (let count = 0; count < 3; count++) {
          const resource = await client.dereference(createServerUrl(server, "/pub/data.bin"), { trace });
          expect(await readContentOrListingAsText(resource)).toBe(binaryContent.toString("latin1"));
        }
        expect(events.filter(({ text }) => text.startsWith("PASS") || text === "PROT P").length).toBeLessThan(
          3,
        );
        expect(events.filter(({ action }) => action === "tls").length).toBe(4);
      });

      it("the client rejects an untrusted certificate before the login", async () => {
        const client = createClient({ schemes: [ftp({ tls })], policy: anyAddress() });
        const said: string[] = [];
        const error = await client
          .dereference(createServerUrl(server, "/pub/hello.txt"), {
            trace: ({ action, text }) => {
              if (action === "send") said.push(text);
            },
          })
          .then(
            () => undefined,
            (reason: AccessError) => reason,
          );
        expect(error).toMatchObject({ code: "unavailable", certificate: "untrusted" });
        expect(said).toEqual(tls === "explicit" ? ["AUTH TLS"] : []);
        await client.destroy();
      });
    },
  );
});

describeOnEachServer("opportunistic and explicit TLS depend on the server", ["anonymous"], (row) => {
  it.each(["none", "explicit"] as const)(
    'the client reads a file with opportunistic TLS from a server with TLS "%s"',
    async (tls) => {
      await using server = await row.start({ files: servedFiles, tls });
      await using client = createClientForServer(server, { tls: "opportunistic" });
      const steps: string[] = [];
      const resource = await client.dereference(createServerUrl(server, "/pub/data.bin"), {
        trace: ({ action }) => void steps.push(action),
      });
      expect(await readContentOrListingAsText(resource)).toBe(binaryContent.toString("latin1"));
      expect(steps.filter((action) => action === "tls").length).toBe(tls === "none" ? 0 : 2);
    },
  );

  it("the client sends no login if the server does not support explicit TLS", async () => {
    await using server = await row.start({ files: servedFiles });
    await using client = createClientForServer(server, { tls: "explicit" });
    const said: string[] = [];
    const reading = client.dereference(createServerUrl(server, "/pub/data.bin"), {
      trace: ({ action, text }) => {
        if (action === "send") said.push(text);
      },
    });
    await expect(reading).rejects.toMatchObject({
      code: expect.stringMatching(/unsupported|permission-denied/) as string,
    });
    expect(said).toEqual(["AUTH TLS"]);
  });
});
