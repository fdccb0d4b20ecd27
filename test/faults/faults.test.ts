import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessError, createClient, anyAddress } from "@anyscheme/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SCHEME_SERVERS, type SchemeServer } from "../fixtures/scheme-servers.ts";
import { FAULT_KINDS, type FaultKind, type FaultPoints, setFaultPoint } from "./fault-points.ts";

/** More calls than a request for a small content makes of any kind. */
const MOST = 60;

/** The kinds of calls that a scheme does not make, each with the reason. A call of such a kind is a failure. */
const WITHOUT: Readonly<Record<string, Partial<Record<FaultKind, string>>>> = {
  file: { connect: "no network", lookup: "no network" },
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "anyscheme-faults-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Outcome {
  readonly saved: number | undefined;
  readonly error: unknown;
}

/** Performs one request with a new client, from the URL to a file. */
async function access({ scheme, url, ports }: SchemeServer): Promise<Outcome> {
  await using client = createClient({
    schemes: [scheme],
    policy: anyAddress({ allowPorts: { [scheme.name]: ports, nntp: ports } }),
  });
  try {
    const resource = await client.dereference(url);
    if (resource.kind !== "content") throw new Error(`it is a ${resource.kind}`);
    return { saved: await resource.saveTo(join(folder, "saved")), error: undefined };
  } catch (error) {
    return { saved: undefined, error };
  }
}

async function strike(
  served: SchemeServer,
  kind: FaultKind,
  n: number,
): Promise<Outcome & { points: FaultPoints }> {
  const points = setFaultPoint(kind, n);
  try {
    return { ...(await access(served)), points };
  } finally {
    points.restore();
  }
}

describe.each(Object.keys(SCHEME_SERVERS))("failing system calls of a %s request", (name) => {
  it.each(FAULT_KINDS)(
    "a failure of any %s call throws one AccessError, and no socket or file remains",
    async (kind) => {
      const served = await (SCHEME_SERVERS[name] as () => Promise<SchemeServer>)();
      try {
        let n = 1;
        for (; n <= MOST; n++) {
          const { saved, error, points } = await strike(served, kind, n);
          const at = `${kind} ${n}: ${String(error)}`;
          expect(
            points.sockets.filter(({ destroyed }) => !destroyed),
            at,
          ).toEqual([]);
          if (saved === undefined) {
            expect(error, at).toBeInstanceOf(AccessError);
            expect((error as AccessError).url, at).toBeDefined();
            expect(await readdir(folder), at).toEqual([]);
          } else {
            expect(await readdir(folder), at).toEqual(["saved"]);
            expect((await readFile(join(folder, "saved"))).length, at).toBe(saved);
            await rm(join(folder, "saved"));
          }
          if (!points.struck) {
            expect(error, at).toBeUndefined();
            break;
          }
        }
        expect(n, "calls").toBeLessThan(MOST);
        // A fault point that no run reaches proves nothing.
        const reason = WITHOUT[name]?.[kind];
        if (reason === undefined) expect(n, `calls of ${kind}`).toBeGreaterThan(1);
        else expect(n, reason).toBe(1);
      } finally {
        await served.stop();
      }
    },
  );
});
