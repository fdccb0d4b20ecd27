import assert from "node:assert/strict";
import type { Scheme } from "../scheme/scheme.ts";
import { checkArgument, checkOptions } from "../options/check-options.ts";
import type { Url } from "../syntax/index.ts";
import {
  type OptionTable,
  createArrayOptionKind,
  callbackOptionKind,
  createDuckTypeOptionKind,
  createOptionsOptionKind,
  nonArrayObjectOptionKind,
  stringOptionKind,
} from "../options/option-kinds.ts";
import { DEREFERENCE_CONFORMANCE_CHECKS, type ServedTestObject } from "./dereference-conformance-checks.ts";
import { NETWORK_USE_CONFORMANCE_CHECKS } from "./network-conformance-checks.ts";
import { HOSTILE_SERVER_CONFORMANCE_CHECKS } from "./hostile-server-conformance-checks.ts";
import type { LoopbackServer, TestCertificate } from "./loopback-server.ts";
import { PLAN_CONFORMANCE_CHECKS } from "./plan-conformance-checks.ts";
import { SYNTAX_CONFORMANCE_CHECKS } from "./syntax-conformance-checks.ts";

/** The functions of a test runner that the suite calls, such as those of vitest, Jest or `node:test`. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: {
    (name: string, body: () => Promise<void> | void): unknown;
    skip(name: string, body: () => Promise<void> | void): unknown;
  };
}

/** The input of the conformance suite for one scheme. */
export interface SchemeUnderTest<U extends Url = Url> {
  /** Creates the scheme. The conformance suite creates a new instance of the scheme for each test. */
  readonly scheme: () => Scheme<U>;
  /** URLs that conform to RFC 1738, one for each form of the scheme. */
  readonly valid: readonly string[];
  /** Texts that are invalid URLs of the scheme in both modes. */
  readonly invalid: readonly string[];
  /** Starts a test server or creates a file. Returns the object that the tests dereference. */
  readonly serve: () => Promise<ServedTestObject>;
  /** The request options with which the conformance suite dereferences the test object. Default: none. */
  readonly options?: object;
  /**
   * The certificate of the test server and its private key, for a scheme that uses TLS. The scheme under test has to
   * trust the test server's certificate, as with `https({ ca })`.
   */
  readonly tls?: TestCertificate;
  /**
   * Starts a proxy that records the traffic of the server's port. The default proxy is `startRecordingProxy`, which
   * records TCP and TLS connections.
   */
  readonly recordingProxy?: (port: number) => Promise<LoopbackServer>;
  /**
   * Features that the scheme under test lacks, each with the reason. The conformance tests that need a missing feature
   * are skipped and show the reason.
   */
  readonly skip?: Partial<Record<SkippableSchemeFeature, string>>;
}

/**
 * A feature that a test of the conformance suite requires: content, an error for a missing object, or a server on a
 * port.
 */
export type SkippableSchemeFeature = "content" | "missing" | "network";

/** A test of the conformance suite, which every scheme must pass. */
export interface SchemeConformanceCheck<Subject> {
  readonly name: string;
  readonly requirements?: readonly SkippableSchemeFeature[];
  /**
   * True for a test whose own server speaks TCP. Schemes under test with a `recordingProxy` of their own skip the test.
   */
  readonly usesTcpServer?: boolean;
  run(subject: Subject): Promise<void> | void;
}

const TEST_RUNNER_KIND = createDuckTypeOptionKind("{ describe, it } of a test runner", {
  describe: "function",
  it: "function",
});

const urlTextsOptionKind = createArrayOptionKind(stringOptionKind, "texts of URLs");

const SCHEME_UNDER_TEST_KINDS: OptionTable<SchemeUnderTest> = {
  scheme: callbackOptionKind,
  valid: urlTextsOptionKind,
  invalid: urlTextsOptionKind,
  serve: callbackOptionKind,
  options: nonArrayObjectOptionKind,
  tls: createOptionsOptionKind({ cert: stringOptionKind, key: stringOptionKind }, "{ cert, key } in PEM"),
  recordingProxy: callbackOptionKind,
  skip: createOptionsOptionKind(
    { content: stringOptionKind, missing: stringOptionKind, network: stringOptionKind },
    "{ content?, missing?, network? }",
  ),
};

/**
 * Runs the conformance suite on a scheme. The suite tests the grammar, the plans, the access method and the guarantees
 * of the guard.
 */
export function describeScheme<U extends Url>(
  runner: TestRunner,
  name: string,
  schemeUnderTest: SchemeUnderTest<U>,
): void {
  checkArgument("describeScheme", "runner", runner, TEST_RUNNER_KIND);
  checkArgument("describeScheme", "name", name, stringOptionKind);
  checkOptions("describeScheme", schemeUnderTest, SCHEME_UNDER_TEST_KINDS, {
    required: ["scheme", "valid", "invalid", "serve"],
  });
  const { describe, it } = runner;
  describe(`${name} is a scheme`, () => {
    describe("syntax", () => {
      for (const row of SYNTAX_CONFORMANCE_CHECKS) it(row.name, () => row.run(schemeUnderTest));
    });
    describe("plan", () => {
      for (const row of PLAN_CONFORMANCE_CHECKS) it(row.name, () => row.run(schemeUnderTest));
    });
    describe("access", () => {
      for (const row of [
        ...DEREFERENCE_CONFORMANCE_CHECKS,
        ...NETWORK_USE_CONFORMANCE_CHECKS,
        ...HOSTILE_SERVER_CONFORMANCE_CHECKS,
      ]) {
        const reason =
          row.requirements?.map((need) => schemeUnderTest.skip?.[need]).find((each) => each !== undefined) ??
          (row.usesTcpServer && schemeUnderTest.recordingProxy
            ? "the scheme under test has its own recording proxy"
            : undefined);
        const run = (): Promise<void> =>
          withServerOfScheme(schemeUnderTest, (served) => row.run({ schemeUnderTest, servedObject: served }));
        if (reason === undefined) it(row.name, run);
        else it.skip(`${row.name} (${reason})`, run);
      }
    });
  });
}

async function withServerOfScheme(
  schemeUnderTest: SchemeUnderTest,
  work: (served: ServedTestObject) => Promise<void> | void,
): Promise<void> {
  const served = await schemeUnderTest.serve();
  try {
    assert.ok(served.bytes?.length !== 0, "the served object has no bytes");
    await work(served);
  } finally {
    await served.stop();
  }
}
