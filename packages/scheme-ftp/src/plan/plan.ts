import type { Step } from "@anyscheme/core";
import {
  createResolveAndConnectSteps,
  createPlan,
  type PlanOptions,
  createSendStep,
  createStep,
  createTlsStep,
} from "@anyscheme/core/plugin";
import { PASSWORD_MASK, percentDecode } from "@anyscheme/core/syntax";
import type { CwdStrategy, FtpOptions, FtpTlsMode } from "../scheme-options.ts";
import type { FtpUrl } from "../syntax.ts";
import { createFtpCommandStep, createExpectFtpReplyStep, TOLERATED_REFUSAL_CODES } from "./commands.ts";
import type {
  CwdSequence,
  FtpPlanPhases,
  FtpPlan,
  FtpOperationPhases,
  FtpTransferSteps,
} from "./plan-types.ts";

/**
 * The steps that request the login directory. RFC 1738 §3.2.5: "it is impossible in general to deduce what sequence
 * should be given to navigate to another directory for a second retrieval". A reused session returns to the login
 * directory, and verifies the return with PWD.
 */
const PRINT_WORKING_DIRECTORY_STEPS: readonly Step[] = [
  createFtpCommandStep({ name: "PWD" }, "3.2.5"),
  createExpectFtpReplyStep(
    ["2", ...TOLERATED_REFUSAL_CODES],
    "the server replies 257 with the login directory",
  ),
];

const RETURN_TO_LOGIN_DIRECTORY_STEPS: readonly Step[] = [
  createSendStep(
    undefined,
    "3.2.5",
    "CWD (to the login directory, if a reused session is in another directory)",
    {
      command: "CWD",
      onReply: "257",
    },
  ),
  createExpectFtpReplyStep(["2"], "the server replies 250 (directory changed)", "257"),
  createFtpCommandStep({ name: "PWD" }, "3.2.5", {}, { onReply: "257" }),
  createExpectFtpReplyStep(
    ["257"],
    "the server replies 257 with the login directory; otherwise the client opens a new connection",
    "257",
  ),
];

const QUIT_STEPS: readonly Step[] = [
  createFtpCommandStep({ name: "QUIT" }, "RFC 959 4.1.1"),
  createStep(
    "close",
    "RFC 959 4.1.1",
    "the client closes both connections; a reusable control connection first remains in the pool",
  ),
];

/** Creates a plan that logs in, changes to the directory and runs the operation there. RFC 1738 §3.2.2. */
export function createFtpPlan<T extends FtpOperationPhases>(
  url: FtpUrl,
  directories: readonly Uint8Array[],
  operation: T,
  requestOptions: PlanOptions,
  schemeOptions: FtpOptions,
): FtpPlan<T> {
  const cwdSequences = createCwdSequences(directories, schemeOptions, requestOptions);
  const mayReturn = schemeOptions.idleTimeoutMs !== 0 || cwdSequences.length > 1;
  const changesDirectory = cwdSequences.some(({ steps }) => steps.length > 0);
  const phases: FtpPlanPhases<T> = {
    connect: createFtpConnectSteps(url, schemeOptions.tls),
    login: createLoginSteps(url, requestOptions),
    protectDataConnections: createProtectDataConnectionSteps(schemeOptions.tls),
    printWorkingDirectory:
      mayReturn && (changesDirectory || !operation.isIdempotent) ? PRINT_WORKING_DIRECTORY_STEPS : [],
    returnToLoginDirectory: mayReturn ? RETURN_TO_LOGIN_DIRECTORY_STEPS : [],
    cwdSequences,
    operation,
    quit: QUIT_STEPS,
  };
  return createPlan(url, flattenPlanPhases(phases), { phases });
}

function flattenPlanPhases(phases: FtpPlanPhases): Step[] {
  const { operation } = phases;
  const { transfer } = operation;
  return [
    ...phases.connect,
    ...phases.login,
    ...phases.protectDataConnections,
    ...phases.printWorkingDirectory,
    ...phases.returnToLoginDirectory,
    ...phases.cwdSequences.flatMap(({ steps }) => steps),
    ...(operation.setTransferType?.steps ?? []),
    ...operation.commands,
    ...(transfer ? flattenTransferSteps(transfer) : []),
    ...(operation.renamePartialFile ?? []),
    ...(operation.requestSizeAndTime ?? []),
    ...(operation.probeDirectory ?? []),
    ...(operation.removePartialFile ?? []),
    ...phases.quit,
  ];
}

function flattenTransferSteps({
  openDataConnection,
  commandSteps,
  transferBody,
  keepAlive,
  expectCompletion,
}: FtpTransferSteps): Step[] {
  const commands = commandSteps.flatMap(({ sendCommand, expectReply }) => [sendCommand, expectReply]);
  return [openDataConnection, ...commands, transferBody, ...(keepAlive ? [keepAlive] : []), expectCompletion];
}

const EXPECT_GREETING_STEP: Step = createExpectFtpReplyStep(
  ["220"],
  "the server greets with 220; 120 asks the client to wait",
);
const EXPECT_USER_REPLY_STEP: Step = createExpectFtpReplyStep(
  ["2", "331", "332"],
  "the server replies 230 (logged in), 331 (password required) or 332 (account required)",
);
const EXPECT_PASS_REPLY_STEP: Step = createExpectFtpReplyStep(
  ["2", "332"],
  "the server replies 230 (logged in) or 332 (account required)",
  "331",
);
const ACCT_STEPS: readonly Step[] = [
  createSendStep(undefined, "RFC 959 4.1.1", `ACCT ${PASSWORD_MASK} (from the credentials)`, {
    command: "ACCT",
    onReply: "332",
    secret: true,
  }),
  createExpectFtpReplyStep(["2"], "the server replies 230 (logged in)", "332"),
];

/**
 * Creates the steps that open the control connection, with TLS if `tls` is set (RFC 4217 §4). No RFC standardizes
 * implicit TLS for FTP.
 */
function createFtpConnectSteps(url: FtpUrl, tls: FtpTlsMode | undefined): Step[] {
  const connect = createResolveAndConnectSteps(url);
  if (tls === undefined) return [...connect, EXPECT_GREETING_STEP];
  if (tls === "implicit")
    return [...connect, createTlsStep(url, "RFC 4217 (implicit TLS)"), EXPECT_GREETING_STEP];
  // RFC 4217 §4.3: the replies 534 and 431 refuse TLS; 500, 502 and 504 mean that the server does not support TLS.
  const isOptional = tls === "opportunistic";
  return [
    ...connect,
    EXPECT_GREETING_STEP,
    createFtpCommandStep({ name: "AUTH", argument: "TLS" }, "RFC 4217 4"),
    createExpectFtpReplyStep(
      isOptional ? ["234", "5", "431"] : ["234"],
      `the server replies 234 (TLS starts)${isOptional ? "; after a refusal the session continues in clear text" : ""}`,
    ),
    createTlsStep(url, "RFC 4217 4", "234"),
  ];
}

/**
 * Creates the steps that protect the data connections with TLS. A server may start TLS on the control connection and
 * refuse to protect data connections. RFC 4217 §9, §12.1.
 */
function createProtectDataConnectionSteps(tls: FtpTlsMode | undefined): Step[] {
  if (tls === undefined) return [];
  const onReply = tls === "implicit" ? undefined : "234";
  const isOptional = tls === "opportunistic";
  const expected = isOptional ? ["2", "5"] : ["2"];
  const afterRefusal = isOptional ? "; after a refusal the data connections are in clear text" : "";
  return [
    createFtpCommandStep({ name: "PBSZ", argument: "0" }, "RFC 4217 9", {}, { onReply }),
    createExpectFtpReplyStep(expected, "the server replies 200 (buffer size set)", onReply),
    createFtpCommandStep({ name: "PROT", argument: "P" }, "RFC 4217 9", {}, { onReply }),
    createExpectFtpReplyStep(
      expected,
      `the server replies 200 (data connections protected)${afterRefusal}`,
      onReply,
    ),
  ];
}

/**
 * Creates the steps of the login (RFC 1738 §3.2.1). The `credentials` callback provides a password or account that
 * the server requires and the URL lacks.
 */
function createLoginSteps(url: FtpUrl, requestOptions: PlanOptions): Step[] {
  const argument = url.user === undefined ? "anonymous" : percentDecode(url.user);
  return [
    createFtpCommandStep(
      { name: "USER", argument, argumentNameInErrors: "user name" },
      "3.2.1",
      requestOptions,
    ),
    EXPECT_USER_REPLY_STEP,
    createPasswordStep(url, requestOptions),
    EXPECT_PASS_REPLY_STEP,
    ...ACCT_STEPS,
  ];
}

function createPasswordStep({ user, password }: FtpUrl, requestOptions: PlanOptions): Step {
  const onReply = "331";
  const secret = { onReply, secret: true };
  if (password !== undefined) {
    const argument = percentDecode(password);
    const command = { name: "PASS", argument, argumentNameInErrors: "password", isArgumentSecret: true };
    return createFtpCommandStep(command, "3.2.1", requestOptions, {
      ...secret,
      description: `PASS ${PASSWORD_MASK}`,
    });
  }
  if (user !== undefined)
    return createSendStep(undefined, "3.2.1", `PASS ${PASSWORD_MASK} (from the credentials)`, {
      command: "PASS",
      ...secret,
    });
  const { email } = requestOptions;
  if (email === undefined)
    return createFtpCommandStep({ name: "PASS", argument: "anonymous@" }, "3.2.1", requestOptions, {
      onReply,
    });
  const command = { name: "PASS", argument: email, argumentNameInErrors: "e-mail address" };
  return createFtpCommandStep(command, "3.2.1", requestOptions, {
    ...secret,
    description: `PASS ${PASSWORD_MASK} (the e-mail address)`,
  });
}

const ADAPTIVE_CWD_STRATEGIES: readonly CwdStrategy[] = ["multicwd", "singlecwd", "absolute"];

const SLASH_BYTE = 0x2f;

/** Returns one sequence of CWD commands for each strategy that the option `cwdStrategy` allows. RFC 1738 §3.2.2. */
function createCwdSequences(
  directories: readonly Uint8Array[],
  { cwdStrategy = "multicwd" }: FtpOptions,
  requestOptions: PlanOptions,
): CwdSequence[] {
  const allowed = cwdStrategy === "adaptive" ? ADAPTIVE_CWD_STRATEGIES : [cwdStrategy];
  // A URL without directories needs only the first strategy, because the client sends no CWD that the server could
  // refuse.
  const strategies = directories.length === 0 ? allowed.slice(0, 1) : allowed;
  return strategies.map((strategy, index) => {
    const targets = getCwdArguments(strategy, directories);
    const onReply = index === 0 ? undefined : "5";
    const steps = targets.flatMap((target) => createCwdSteps(target, requestOptions, onReply));
    return { strategy, finalWorkingDirectory: getCwdTargetsKey(targets), steps };
  });
}

/**
 * Returns the arguments of the CWD commands. RFC 1738 §3.2.2: "Each of the <cwd> elements is to be supplied,
 * sequentially, as the argument to a CWD (change working directory) command."
 */
function getCwdArguments(strategy: CwdStrategy, directories: readonly Uint8Array[]): readonly Uint8Array[] {
  if (strategy === "absolute") return [toAbsolutePath(directories)];
  return strategy === "multicwd" || directories.length === 0 ? directories : [joinPathSegments(directories)];
}

function toAbsolutePath(directories: readonly Uint8Array[]): Uint8Array {
  const path = joinPathSegments(directories.filter(({ length }) => length > 0));
  return path[0] === SLASH_BYTE ? path : Uint8Array.from([SLASH_BYTE, ...path]);
}

export function joinPathSegments(names: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(names.flatMap((name, index) => (index === 0 ? [...name] : [SLASH_BYTE, ...name])));
}

// A CWD argument never contains LF, so the key separates the arguments with LF.
function getCwdTargetsKey(targets: readonly Uint8Array[]): string {
  return targets.map((target) => `\n${Buffer.from(target).toString("latin1")}`).join("");
}

function createCwdSteps(
  argument: Uint8Array,
  requestOptions: PlanOptions,
  onReply: string | undefined,
): Step[] {
  const description = argument.length === 0 ? "CWD (a null argument)" : undefined;
  return [
    createFtpCommandStep(
      { name: "CWD", argument, argumentNameInErrors: "directory" },
      "3.2.2",
      requestOptions,
      {
        description,
        onReply,
      },
    ),
    createExpectFtpReplyStep(["2"], "the server replies 250 (directory changed)", onReply),
  ];
}
