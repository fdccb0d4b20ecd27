import {
  AccessError,
  type MailboxResource,
  type Plan,
  type Resource,
  type ServiceResource,
} from "@anyscheme/core";
import { adviceLines } from "../output/describe-resource.ts";
import { type CommandLine, UsageError } from "../args/command-line.ts";
import { closeAfterMsOf } from "../args/option-values.ts";
import { openSession, type Visit } from "../client/command-client.ts";
import { type Io, tell } from "../terminal/cli-io.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** Performs `open`: a service gets the terminal, a mailbox goes to the mail program. */
export async function open({ operands, values }: CommandLine, io: Io): Promise<void> {
  const [text = ""] = operands;
  const closeAfterMs = closeAfterMsOf(values);
  const session = await openSession(operands, values, io);
  try {
    const url = session.parse(text);
    // Known before anything is connected.
    if (isData(session.plan(url))) throw notOpened();
    const use = async ({ resource, signal }: Visit): Promise<void> => {
      if (resource.kind === "service") await attend(resource, io, closeAfterMs, signal);
      else if (resource.kind === "mailbox") await writeTo(resource, io, signal);
      else throw notOpened();
    };
    // A person at a terminal may think for an hour.
    await session.visit(text, use, { limits: { sessionIdleTimeoutMs: Infinity } });
  } finally {
    await session.close();
  }
}

function isData({ steps }: Plan): boolean {
  return steps.some(({ action }) => action === "transfer");
}

function notOpened(): UsageError {
  return new UsageError("the URL leads to data, which is not opened: get writes it, ls lists it", "open");
}

/** Connects a service to the terminal, or to standard input and output. Throws `unavailable` when it answers the latter with nothing. */
async function attend(
  service: ServiceResource,
  io: Io,
  closeAfterMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { converse, relay, terminalType } = await import("../services/interactive-session.ts");
  tell(io.stderr, adviceLines(service));
  const terminal = await io.terminal();
  if (!terminal) {
    if (await relay(service, io, closeAfterMs, signal)) return;
    throw new AccessError("unavailable", "the service ended the session without an answer").withContext(
      placeOf(service),
    );
  }
  tell(io.stderr, ["Ctrl-] leaves it"]);
  const ended = await converse(service, terminal, terminalType(process.env["TERM"]), signal);
  tell(io.stderr, ["", ended === "user" ? "left the service" : "the service has ended the session"]);
}

function placeOf({ url }: Resource): Parameters<AccessError["withContext"]>[0] {
  return { name: "open", url: String(url) };
}

async function writeTo(mailbox: MailboxResource, io: Io, signal: AbortSignal): Promise<void> {
  const { invocationFor, invoke, mailtoFor } = await import("../services/mail-program.ts");
  const { url, leftOut } = mailtoFor(mailbox);
  tell(io.stderr, adviceLines(mailbox));
  if (leftOut.length > 0) tell(io.stderr, [escapeControls(`left out: ${leftOut.join(", ")}`)]);
  const at = placeOf(mailbox);
  const invocation = invocationFor(url, process.platform, process.env["SystemRoot"]);
  if (!invocation)
    throw new AccessError("unsupported", `it is not known how ${process.platform} opens a URL`).withContext(
      at,
    );
  await invoke(invocation, signal).catch((error: unknown) => {
    throw error instanceof AccessError ? error.withContext(at) : error;
  });
}
