import { AccessError, type Plan, type Resource } from "@anyscheme/core";
import type { MailboxResource, ServiceResource } from "@anyscheme/core/plugin";
import { describeResource } from "../output/describe-resource.ts";
import { type CommandLine, UsageError } from "../args/command-line.ts";
import { parseCloseAfterMs } from "../args/option-values.ts";
import { openCommandClient, type DereferencedResource } from "../client/command-client.ts";
import { type CliIo, writeToStderr } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** Performs `open`: a service gets the terminal, a mailbox goes to the mail program. */
export async function open({ operands, values }: CommandLine, io: CliIo): Promise<void> {
  const [text = ""] = operands;
  const closeAfterMs = parseCloseAfterMs(values);
  const client = await openCommandClient(operands, values, io);
  try {
    const url = client.parse(text);
    // Known before anything is connected.
    if (isData(client.plan(url))) throw dataError();
    const use = async ({ resource, signal }: DereferencedResource): Promise<void> => {
      if (resource.kind === "service") await connectService(resource, io, closeAfterMs, signal);
      else if (resource.kind === "mailbox") await openMailProgram(resource, io, signal);
      else throw dataError();
    };
    // A person at a terminal may think for an hour.
    await client.dereference(text, use, { limits: { sessionIdleTimeoutMs: Infinity } });
  } finally {
    await client.close();
  }
}

function isData({ steps }: Plan): boolean {
  return steps.some(({ action }) => action === "transfer");
}

function dataError(): UsageError {
  return new UsageError("the URL leads to data, which is not opened: get writes it, ls lists it", "open");
}

/** Connects a service to the terminal, or to standard input and output. Throws `unavailable` when it answers the latter with nothing. */
async function connectService(
  service: ServiceResource,
  io: CliIo,
  closeAfterMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const {
    runInteractiveSession: converse,
    pipeSession: relay,
    validTerminalType: terminalType,
  } = await import("../services/interactive-session.ts");
  writeToStderr(io.stderr, describeResource(service));
  const terminal = await io.terminal();
  if (!terminal) {
    if (await relay(service, io, closeAfterMs, signal)) return;
    throw new AccessError("unavailable", "the service ended the session without an answer").withContext(
      errorContext(service),
    );
  }
  writeToStderr(io.stderr, ["Ctrl-] leaves it"]);
  const ended = await converse(service, terminal, terminalType(process.env["TERM"]), signal);
  writeToStderr(io.stderr, ["", ended === "user" ? "left the service" : "the service has ended the session"]);
}

function errorContext({ url }: Resource): Parameters<AccessError["withContext"]>[0] {
  return { name: "open", url: String(url) };
}

async function openMailProgram(mailbox: MailboxResource, io: CliIo, signal: AbortSignal): Promise<void> {
  const {
    urlOpenerFor: invocationFor,
    runProgram: invoke,
    toSafeMailto: mailtoFor,
  } = await import("../services/mail-program.ts");
  const { url, leftOut } = mailtoFor(mailbox);
  writeToStderr(io.stderr, describeResource(mailbox));
  if (leftOut.length > 0) writeToStderr(io.stderr, [escapeControls(`left out: ${leftOut.join(", ")}`)]);
  const at = errorContext(mailbox);
  const invocation = invocationFor(url, process.platform, process.env["SystemRoot"]);
  if (!invocation)
    throw new AccessError("unsupported", `it is not known how ${process.platform} opens a URL`).withContext(
      at,
    );
  await invoke(invocation, signal).catch((error: unknown) => {
    throw error instanceof AccessError ? error.withContext(at) : error;
  });
}
