import {
  AccessError,
  anyAddress,
  type Client,
  type ClientOptions,
  createClient,
  type CredentialProvider,
  type Plan,
  publicInternet,
  type Resource,
  type Stat,
  type TraceEvent,
  type Url,
  type TransferProgress,
} from "@anyscheme/core";
import type { CredentialRequest, TraceListener } from "@anyscheme/core/plugin";
import { escapeControls } from "@anyscheme/core/text";
import type { DependencyContainer } from "tsyringe";
import {
  parseMaxTimeSeconds,
  parseRetryOption,
  type CommandLineRequestOptions,
  parseCommandLineRequestOptions,
} from "../args/parse-option-values.ts";
import type { OptionValues } from "../args/options.ts";
import {
  createLoginCredentialProvider,
  parseUserOption,
  parseUrlAndAddUserName,
} from "../config/command-line-login.ts";
import { readCommandSettings, type CommandSettings } from "../config/command-settings.ts";
import { ParserDifferenceError, InterruptionOrTimeoutError, UsageError } from "../errors/cli-errors.ts";
import { describeAmbiguousHostOrPort } from "../output/other-parser-readings.ts";
import { askCredentials } from "../services/ask-credentials.ts";
import { type CliIo, writeLinesToStderr } from "../terminal/cli-io.ts";
import type { CommandLineWithSchemes } from "./command-schemes.ts";

/** A dereferenced resource that stays open while a command reads it. */
export interface DereferencedResourceAndSignal {
  readonly resource: Resource;
  /** The signal aborts when the user interrupts the command, and when `--max-time` is over. */
  readonly signal: AbortSignal;
}

export interface RequestOptionOverrides {
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  /** The plan options of this request, which override those from the command line. */
  readonly planOptions?: CommandLineRequestOptions | undefined;
}

/** The client of one run of the command, with the options of its command line. */
export interface CommandLineClient extends AsyncDisposable {
  /** The option values of the command line, with defaults from the configuration file. */
  readonly optionValues: OptionValues;
  /**
   * Dereferences a URL, passes the resource to the callback `use`, and closes the resource. Rejects with the errors
   * of the client. The error after an interrupt or after `--max-time` is an `InterruptionOrTimeoutError`, or an
   * `AccessError` with that cause.
   */
  dereference(
    input: string | Url,
    use: (dereferenced: DereferencedResourceAndSignal) => Promise<void>,
    options?: RequestOptionOverrides,
  ): Promise<void>;
  /**
   * Parses a URL with the options of the command line, as `dereference` does. Throws `UrlSyntaxError`. Throws
   * `ParserDifferenceError` for a URL whose host or port another standard reads differently.
   */
  parse(text: string): Url;
  /**
   * Requests the attributes of a file or directory, without its contents. Rejects with the same errors as
   * `dereference`.
   */
  stat(url: Url): Promise<Stat>;
  /** Returns the plan of the request for a URL. Throws the errors that `dereference` throws before it connects. */
  plan(url: Url): Plan;
  readonly isInterrupted: boolean;
}

/**
 * Creates the client for the URLs of a command line. Loads only the schemes of the URLs. For an unknown scheme, the
 * function loads all schemes, so that the error message can list them. Each text in `furtherUrls` begins with a scheme
 * to which the resources may link.
 */
export async function openCommandLineClient(
  line: CommandLineWithSchemes,
  io: CliIo,
  furtherUrls: readonly string[] = [],
): Promise<CommandLineClient> {
  const { operands, linkLocalZone, schemes } = line;
  const { optionValues, ...settings } = readCommandSettings(line.optionValues, io);
  const login = parseUserOption(optionValues.user);
  const maxTime = parseMaxTimeSeconds(optionValues);
  const retry = parseRetryOption(optionValues);
  const controller = new AbortController();
  const removeInterruptListener = io.onProcessSignal((kind) =>
    controller.abort(new InterruptionOrTimeoutError(kind, kind)),
  );
  const ask = (request: CredentialRequest): ReturnType<typeof askCredentials> =>
    askCredentials(request, io, controller.signal);
  const credentials = login ? createLoginCredentialProvider(login, () => operands.map(parse), ask) : ask;
  const client = await createClientForUrls(
    [...operands, ...furtherUrls],
    { ...settings, linkLocalZone, schemes },
    credentials,
    io.tsyringeContainer,
  );
  const createPlanOptions = (url: Url): CommandLineRequestOptions =>
    parseCommandLineRequestOptions(optionValues, url, io.stdout.isTerminal);
  const hasParallelRequests = optionValues.recursive || (optionValues["remote-name"] && operands.length > 1);
  let requestCount = 0;
  const cacheWarnings = new Set<string>();
  const createTraceOption = (): { trace?: TraceListener } => {
    const label = hasParallelRequests ? `[${++requestCount}] ` : "";
    const trace = createTraceListener(optionValues, io, label, cacheWarnings);
    return trace === undefined ? {} : { trace };
  };
  const mode = optionValues.strict ? "rfc1738" : "modern";
  const parse = (text: string): Url => {
    const url = parseUrlAndAddUserName(login, text, (each) => client.parse(each, { mode }));
    const readings = describeAmbiguousHostOrPort(url);
    if (readings !== undefined) throw new ParserDifferenceError(readings, url);
    if (settings.isPublicOnly && url.scheme === "file")
      throw new AccessError("permission-denied", "--public-only refuses file: URLs");
    return url;
  };

  return {
    optionValues,
    parse,
    plan: (url) => client.plan(url, createPlanOptions(url)),
    get isInterrupted() {
      return controller.signal.aborted;
    },
    async dereference(input, use, { onProgress, planOptions } = {}) {
      const url = typeof input === "string" ? parse(input) : input;
      using timeLimit = createSignalWithTimeLimit(controller.signal, maxTime, url);
      const { signal } = timeLimit;
      await using resource = await client.dereference(url, {
        ...createPlanOptions(url),
        ...planOptions,
        signal,
        retry,
        onProgress,
        ...createTraceOption(),
      });
      await use({ resource, signal });
    },
    async stat(url) {
      using timeLimit = createSignalWithTimeLimit(controller.signal, maxTime, url);
      const { signal } = timeLimit;
      return await client.stat(url, { ...createPlanOptions(url), signal, retry, ...createTraceOption() });
    },
    async [Symbol.asyncDispose]() {
      removeInterruptListener();
      await client.destroy();
    },
  };
}

/**
 * Returns a signal that aborts with `signal`, or after the given number of seconds. Disposal stops the timer of the
 * time limit.
 */
function createSignalWithTimeLimit(
  signal: AbortSignal,
  seconds: number | undefined,
  url: Url,
): Disposable & { readonly signal: AbortSignal } {
  if (seconds === undefined) return { signal, [Symbol.dispose]: () => undefined };
  const controller = new AbortController();
  const message = `timeout: the request took longer than the ${seconds} s of --max-time: ${String(url)}`;
  const timer = setTimeout(
    () => controller.abort(new InterruptionOrTimeoutError("timeout", message)),
    seconds * 1000,
  );
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

const TRACE_LINE_PREFIXES: Readonly<Partial<Record<TraceEvent["action"], string>>> = {
  send: ">",
  receive: "<",
};

/**
 * Returns the listener that writes the trace with `--verbose`, and otherwise a warning for each retry and each fault of
 * the cache that `cacheWarnings` does not contain. Returns no listener when no trace or warning is to be written,
 * because the client computes a digest of each body for a trace listener. The label begins each line of the trace.
 */
function createTraceListener(
  { verbose, retry, cache, silent }: OptionValues,
  io: CliIo,
  label: string,
  cacheWarnings: Set<string>,
): TraceListener | undefined {
  if (verbose)
    return (event) =>
      writeLinesToStderr(
        io,
        formatTraceEvent(event).map((line) => escapeControls(label + line)),
      );
  if ((retry === undefined && cache === undefined) || silent) return undefined;
  return ({ action, text }) => {
    if (action === "retry") writeLinesToStderr(io, [escapeControls(`anyscheme: retry ${text}`)]);
    if (action !== "cache" || !text.startsWith("unusable: ") || cacheWarnings.has(text)) return;
    cacheWarnings.add(text);
    writeLinesToStderr(io, [escapeControls(`anyscheme: the cache is ${text}`)]);
  };
}

/** Formats a trace event as lines with the prefixes of curl: `>` for sent, `<` for received, `*` for other events. */
function formatTraceEvent({ action, text }: TraceEvent): string[] {
  const prefix = TRACE_LINE_PREFIXES[action] ?? `* ${action}`;
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((line) => `${prefix} ${line}`);
}

/**
 * Creates a client for the schemes of these URLs. URLs on the command line may refer to any IP address, except with
 * `--public-only`. Redirects from a public address may target only public addresses. Registrations in the tsyringe
 * container of the embedding program replace options of the client. Throws `UsageError` for an invalid gateway.
 */
async function createClientForUrls(
  texts: readonly string[],
  settings: Omit<CommandSettings, "optionValues"> & Pick<CommandLineWithSchemes, "linkLocalZone" | "schemes">,
  credentials: CredentialProvider,
  host: DependencyContainer | undefined,
): Promise<Client> {
  const { allowPorts, gateways, limits, cachePath, linkLocalZone } = settings;
  const { proxy, allowProxyResolution } = settings.proxyChoice;
  const policy = settings.isPublicOnly
    ? publicInternet({ allowPorts, allowProxyResolution })
    : anyAddress({ allowPorts, redirectPolicy: publicInternet({ allowProxyResolution }) });
  const cache =
    cachePath === undefined ? undefined : (await import("@anyscheme/core/cache")).sqliteCache(cachePath);
  const options: ClientOptions = {
    schemes: await settings.schemes.createSchemes(texts, gateways, settings),
    policy,
    credentials,
    gateways,
    proxy,
    limits,
    cache,
    linkLocalZone,
  };
  try {
    return host
      ? (await import("./dependency-container-client.ts")).createCommandClientFromTsyringe(host, options)
      : createClient(options);
  } catch (error) {
    // createClient() begins its message about an invalid gateway with "the gateway for".
    const { message } = error as Error;
    throw message.startsWith("the gateway for") ? new UsageError(message) : error;
  }
}
