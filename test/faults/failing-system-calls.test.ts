import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { AccessError, createClient, anyAddress } from "@anyscheme/core";
import { beforeEach, describe, expect, it } from "vitest";
import { SCHEME_SERVER_STARTERS, type SchemeServer } from "../fixtures/scheme-server-starters.ts";
import {
  FAILING_NODE_CALL_KINDS,
  type FailingSystemCallKind,
  type FailureInjectionHandle,
  patchNodeToFailNthCall,
} from "./inject-failure.ts";
import { createTemporaryFolder } from "../fixtures/temporary-folder.ts";

/** The maximum number of system calls of one kind that a request for a small file makes. */
const MAX_SYSTEM_CALLS = 60;

/**
 * The kinds of system calls that a scheme does not make, each with the reason. The test fails if a scheme makes a
 * system call of a kind that is listed for this scheme.
 */
const UNUSED_SYSTEM_CALLS: Readonly<Record<string, Partial<Record<FailingSystemCallKind, string>>>> = {
  file: { connect: "no network", lookup: "no network" },
};

let targetFolder: string;
beforeEach(() => {
  targetFolder = createTemporaryFolder();
});

interface SaveOutcome {
  readonly savedByteCount: number | undefined;
  readonly error: unknown;
}

/** Dereferences the URL of a server with a new client, and saves the content to a file. */
async function saveResource({
  scheme,
  contentUrl: url,
  allowedPorts: ports,
}: SchemeServer): Promise<SaveOutcome> {
  await using client = createClient({
    schemes: [scheme],
    policy: anyAddress({ allowPorts: { [scheme.name]: ports, nntp: ports } }),
  });
  try {
    const resource = await client.dereference(url);
    if (resource.kind !== "content") throw new Error(`the resource has the kind ${resource.kind}`);
    return { savedByteCount: await resource.saveTo(join(targetFolder, "saved")), error: undefined };
  } catch (error) {
    return { savedByteCount: undefined, error };
  }
}

async function saveResourceWithFault(
  server: SchemeServer,
  kind: FailingSystemCallKind,
  n: number,
): Promise<SaveOutcome & { points: FailureInjectionHandle }> {
  const points = patchNodeToFailNthCall(kind, n);
  try {
    return { ...(await saveResource(server)), points };
  } finally {
    points.restore();
  }
}

describe.each(Object.keys(SCHEME_SERVER_STARTERS))("failing system calls of a %s request", (name) => {
  it.each(FAILING_NODE_CALL_KINDS)(
    "a failure of any %s call throws one AccessError, and no socket or file remains",
    async (kind) => {
      const server = await (SCHEME_SERVER_STARTERS[name] as () => Promise<SchemeServer>)();
      try {
        let n = 1;
        for (; n <= MAX_SYSTEM_CALLS; n++) {
          const { savedByteCount: saved, error, points } = await saveResourceWithFault(server, kind, n);
          const at = `${kind} ${n}: ${String(error)}`;
          expect(
            points.openedSockets.filter(({ destroyed }) => !destroyed),
            at,
          ).toEqual([]);
          if (saved === undefined) {
            expect(error, at).toBeInstanceOf(AccessError);
            expect((error as AccessError).url, at).toBeDefined();
            expect(await readdir(targetFolder), at).toEqual([]);
          } else {
            expect(await readdir(targetFolder), at).toEqual(["saved"]);
            expect((await readFile(join(targetFolder, "saved"))).length, at).toBe(saved);
            await rm(join(targetFolder, "saved"));
          }
          if (!points.hasOccurred) {
            expect(error, at).toBeUndefined();
            break;
          }
        }
        expect(n, "calls").toBeLessThan(MAX_SYSTEM_CALLS);
        // The test proves nothing for a kind of call that no request makes.
        const reason = UNUSED_SYSTEM_CALLS[name]?.[kind];
        if (reason === undefined) expect(n, `calls of ${kind}`).toBeGreaterThan(1);
        else expect(n, reason).toBe(1);
      } finally {
        await server.stop();
      }
    },
  );
});
