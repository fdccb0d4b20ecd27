import { AccessError, type Resource, type MailboxResource, type ServiceResource } from "@anyscheme/core";
import { escapeControls } from "@anyscheme/core/text";
import type { CommandLineWithSchemes } from "../client/command-schemes.ts";
import { parseCloseAfterOption } from "../args/parse-option-values.ts";
import { type DereferencedResourceAndSignal, openCommandLineClient } from "../client/command-line-client.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { describeNonDataResource } from "../output/listing.ts";
import { type CliIo, writeLinesToStderr } from "../terminal/cli-io.ts";

/** Runs the command `open`, which connects the terminal to a service or starts the mail program. */
export async function runOpenServiceOrMailCommand(line: CommandLineWithSchemes, io: CliIo): Promise<void> {
  const { operands, optionValues } = line;
  const [text = ""] = operands;
  const closeAfterMs = parseCloseAfterOption(optionValues);
  await using client = await openCommandLineClient(line, io);
  // The plan shows, before any connection, whether the URL refers to a file or a directory.
  const { steps } = client.plan(client.parse(text));
  if (steps.some(({ action }) => action === "transfer")) throw createNotAServiceError();
  const use = async ({ resource, signal }: DereferencedResourceAndSignal): Promise<void> => {
    if (resource.kind === "service") await runServiceSession(resource, io, closeAfterMs, signal);
    else if (resource.kind === "mailbox") await openMailProgram(resource, io, signal);
    else throw createNotAServiceError();
  };
  await client.dereference(text, use);
}

function createNotAServiceError(): UsageError {
  return new UsageError("the URL is a file or directory; use get to download it or ls to list it", "open");
}

/**
 * Connects a service to the terminal, or to standard input and output. Throws an `AccessError` with the code
 * `unavailable` when a session without a terminal ends without data from the service.
 */
async function runServiceSession(
  service: ServiceResource,
  io: CliIo,
  closeAfterMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { pipeStdioToService, runInteractiveSession, parseTermVariable } =
    await import("../services/interactive-session.ts");
  writeLinesToStderr(io, describeNonDataResource(service));
  const terminal = await io.openTerminal();
  if (!terminal) {
    if (await pipeStdioToService(service, io, closeAfterMs, signal)) return;
    const error = new AccessError("unavailable", "the service closed the connection without sending data");
    throw error.withContext(createOpenErrorContext(service));
  }
  writeLinesToStderr(io, ["Escape character is Ctrl-]."]);
  const terminalType = parseTermVariable(process.env["TERM"]);
  const closedBy = await runInteractiveSession(service, terminal, terminalType, signal);
  writeLinesToStderr(io, [
    "",
    closedBy === "user" ? "Connection closed." : "Connection closed by the service.",
  ]);
}

function createOpenErrorContext({ url }: Resource): Parameters<AccessError["withContext"]>[0] {
  return { operationName: "open", url: String(url) };
}

async function openMailProgram(mailbox: MailboxResource, io: CliIo, signal: AbortSignal): Promise<void> {
  const { runMailProgram, toSafeMailto, findProgramToOpenUrl } = await import("../services/mail-program.ts");
  const { url, removedHeaders } = toSafeMailto(mailbox);
  writeLinesToStderr(io, describeNonDataResource(mailbox));
  if (removedHeaders.length > 0)
    writeLinesToStderr(io, [escapeControls(`removed headers: ${removedHeaders.join(", ")}`)]);
  try {
    const opener = findProgramToOpenUrl(url, process.platform, process.env["SystemRoot"]);
    if (!opener)
      throw new AccessError("unsupported", `no program is known that opens URLs on ${process.platform}`);
    await runMailProgram(opener, signal);
  } catch (error) {
    throw error instanceof AccessError ? error.withContext(createOpenErrorContext(mailbox)) : error;
  }
}
