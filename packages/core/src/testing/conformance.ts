import assert from "node:assert/strict";
import type { Scheme } from "../scheme/scheme.ts";
import { checkArgument, checkOptions } from "../options/check-options.ts";
import type { Url } from "../syntax/index.ts";
import * as kind from "../options/option-kinds.ts";
import { accessRows, type ServedObject } from "./conformance-access.ts";
import { networkRows } from "./conformance-network.ts";
import type { LoopbackServer } from "./loopback.ts";
import { planRows } from "./conformance-plan.ts";
import { syntaxRows } from "./conformance-syntax.ts";

/** The two functions of a test runner that the suite needs: vitest's, Jest's, `node:test`'s. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: {
    (name: string, body: () => Promise<void> | void): unknown;
    skip(name: string, body: () => Promise<void> | void): unknown;
  };
}

/** What a scheme has to show of itself. */
export interface SchemeExample<U extends Url = Url> {
  /** Made anew for each row. */
  readonly scheme: () => Scheme<U>;
  /** URLs that conform to RFC 1738, one for each form that the scheme has. */
  readonly valid: readonly string[];
  /** Texts that are no URLs of the scheme, in either mode. */
  readonly faulty: readonly string[];
  /** Starts a server, or lays out a file, and says what is to be found there. */
  readonly serve: () => Promise<ServedObject>;
  /** Starts the proxy that records what goes to the server's port. Default: `startRecordingProxy`, for connections. */
  readonly recordingProxy?: (port: number) => Promise<LoopbackServer>;
  /** What the scheme has no part in, each with the reason; the rows that need it are skipped and show the reason. */
  readonly skip?: Partial<Record<Need, string>>;
}

/** What a row needs of a scheme: data objects, an answer for what does not exist, a server on a port. */
export type Need = "content" | "missing" | "network";

/** One thing that is true of every scheme. */
export interface Row<Subject> {
  readonly name: string;
  readonly needs?: readonly Need[];
  check(subject: Subject): Promise<void> | void;
}

const RUNNER = kind.objectWith("{ describe, it } of a test runner", { describe: "function", it: "function" });

const texts = kind.arrayOf(kind.string, "texts of URLs");

const EXAMPLE: kind.OptionTable<SchemeExample> = {
  scheme: kind.callback,
  valid: texts,
  faulty: texts,
  serve: kind.callback,
  recordingProxy: kind.callback,
  skip: kind.options(
    { content: kind.string, missing: kind.string, network: kind.string },
    "{ content?, missing?, network? }",
  ),
};

/** The suite that tells whether a scheme is right: grammar, plan, access, and the guard's promises. */
export function describeScheme<U extends Url>(runner: Runner, name: string, example: SchemeExample<U>): void {
  checkArgument("describeScheme", "runner", runner, RUNNER);
  checkArgument("describeScheme", "name", name, kind.string);
  checkOptions("describeScheme", example, EXAMPLE, { required: ["scheme", "valid", "faulty", "serve"] });
  const { describe, it } = runner;
  describe(`${name} is a scheme`, () => {
    describe("syntax", () => {
      for (const row of syntaxRows) it(row.name, () => row.check(example));
    });
    describe("plan", () => {
      for (const row of planRows) it(row.name, () => row.check(example));
    });
    describe("access", () => {
      for (const row of [...accessRows, ...networkRows]) {
        const reason = row.needs?.map((need) => example.skip?.[need]).find((each) => each !== undefined);
        const run = (): Promise<void> => serving(example, (served) => row.check({ example, served }));
        if (reason === undefined) it(row.name, run);
        else it.skip(`${row.name} (${reason})`, run);
      }
    });
  });
}

async function serving(
  example: SchemeExample,
  work: (served: ServedObject) => Promise<void> | void,
): Promise<void> {
  const served = await example.serve();
  try {
    assert.ok(served.bytes?.length !== 0, "the served object has to have bytes");
    await work(served);
  } finally {
    await served.stop();
  }
}
