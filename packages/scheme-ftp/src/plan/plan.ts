import type { Step } from "@anyscheme/core";
import { makePlan, sendStep, step, type PlanOptions } from "@anyscheme/core/plugin";
import type { FtpOptions } from "../options.ts";
import type { FtpUrl } from "../url/syntax.ts";
import { commandStep, expectReply } from "./commands.ts";
import { directoryRoutes } from "./directory.ts";
import { connectPhase, loginSteps, protectSteps } from "./login.ts";
import type { FtpPhases, FtpPlan, OperationPhases, ReturnPhase } from "./phases.ts";

/**
 * Requests the login directory. RFC 1738 §3.2.5: "it is impossible in general to deduce what sequence should be given
 * to navigate to another directory for a second retrieval". A reused session returns to the directory in the reply,
 * and verifies it.
 */
const PRINT_WORKING_DIRECTORY: readonly Step[] = [
  commandStep({ name: "PWD" }, "3.2.5"),
  expectReply(["2", "5"], "257 and the login directory"),
];

const RETURN_TO_LOGIN_DIRECTORY: ReturnPhase = {
  changeDirectory: sendStep(
    undefined,
    "3.2.5",
    "CWD (the login directory, if a reused session is in another)",
    { command: "CWD", onReply: "257" },
  ),
  verify: [
    expectReply(["2"], "250, the directory is changed", "257"),
    commandStep({ name: "PWD" }, "3.2.5", {}, { onReply: "257" }),
    expectReply(["257"], "257 and the login directory; otherwise a new connection", "257"),
  ],
};

const QUIT: readonly Step[] = [
  commandStep({ name: "QUIT" }, "RFC 959 4.1.1"),
  step("close", "RFC 959 4.1.1", "both connections; the control connection may stay idle for a while before"),
];

/** Creates a plan that logs in, changes to the directory and runs the operation there. RFC 1738 §3.2.2. */
export function createPlan<T extends OperationPhases>(
  url: FtpUrl,
  directories: readonly Uint8Array[],
  operation: T,
  options: PlanOptions,
  settings: FtpOptions,
): FtpPlan<T> {
  const routes = directoryRoutes(directories, settings, options);
  const mayReturn = settings.idleTimeoutMs !== 0 || routes.length > 1;
  const changesDirectory = routes.some(({ steps }) => steps.length > 0);
  const phases: FtpPhases<T> = {
    connect: connectPhase(url, settings.tls),
    login: loginSteps(url, options),
    protect: protectSteps(settings.tls),
    printWorkingDirectory:
      mayReturn && (changesDirectory || !operation.isIdempotent) ? PRINT_WORKING_DIRECTORY : [],
    returnToLoginDirectory: mayReturn ? RETURN_TO_LOGIN_DIRECTORY : undefined,
    routes,
    directoryDepth: directories.length,
    operation,
    quit: QUIT,
  };
  return makePlan(url, flattenPhases(phases), { phases });
}

/** Returns the steps of all phases. */
function flattenPhases(phases: FtpPhases): Step[] {
  const { returnToLoginDirectory, operation } = phases;
  const { start, receive, send } = operation;
  return [
    ...phases.connect,
    ...phases.login,
    ...phases.protect,
    ...phases.printWorkingDirectory,
    ...(returnToLoginDirectory
      ? [returnToLoginDirectory.changeDirectory, ...returnToLoginDirectory.verify]
      : []),
    ...phases.routes.flatMap(({ steps }) => steps),
    ...(operation.setType?.steps ?? []),
    ...operation.prepare,
    ...(start ? [start.openData, ...start.exchanges.flatMap(({ command, reply }) => [command, reply])] : []),
    ...(receive ? [receive.body, receive.keepAlive, receive.completion] : []),
    ...(send ? [send.body, send.completion] : []),
    ...(operation.rename ?? []),
    ...(operation.sizeAndTime ?? []),
    ...(operation.directoryProbe ?? []),
    ...(operation.cleanup ?? []),
    ...phases.quit,
  ];
}
