import type { Client, Limits, Plan, Resource, Url } from "@anyscheme/core";
import type { CredentialRequest, Progress } from "@anyscheme/core/plugin";
import { askCredentials } from "../services/ask-credentials.ts";
import { createClientForSchemes } from "./create-client.ts";
import { createLoginCredentials, parseLogin, parseWithLogin } from "../config/login.ts";
import { type SchemeRequestOptions, toPlanOptions, parseMaxTime } from "../args/option-values.ts";
import type { OptionValues } from "../args/options.ts";
import { Interruption } from "../errors/error-report.ts";
import { selectSchemePackages, readSettings } from "../config/settings.ts";
import { type CliIo, writeToStderr } from "../terminal/cli-io.ts";
import { formatTraceEvent } from "../output/format-trace.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** One visit to a resource: what a command does with it while the signal is quiet. */
export interface DereferencedResource {
  readonly url: Url;
  readonly resource: Resource;
  /** Aborts after an interrupt and after `--max-time`. */
  readonly signal: AbortSignal;
}

export interface CommandRequestOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Changes to the limits of the client. */
  readonly limits?: Partial<Limits> | undefined;
  /** Changes what the command line says of the plan. */
  readonly planOptions?: ((url: Url) => SchemeRequestOptions) | undefined;
}

/** The accesses of one run of a command. */
export interface CommandClient {
  /** The options, completed by what the person has settled. */
  readonly values: OptionValues;
  /**
   * Dereferences a URL and lets `use` have the resource, which is closed afterwards. Throws what the client throws; after an
   * interrupt and after `--max-time` that is an `Interruption`, or an `AccessError` with one for its cause.
   */
  dereference(
    input: string | Url,
    use: (dereference: DereferencedResource) => Promise<void>,
    options?: CommandRequestOptions,
  ): Promise<void>;
  /** Parses as `visit` does, without an access. Throws `UrlSyntaxError`. */
  parse(text: string): Url;
  /** The plan of a visit. Throws what `visit` throws before it connects. */
  plan(url: Url): Plan;
  /** Whether the process was asked to end. */
  readonly isInterrupted: boolean;
  close(): Promise<void>;
}

/**
 * Opens a session with the schemes of these URLs; where one of them is unknown, with all, so that the error can list them.
 * `further` begins as URLs begin that these lead to.
 */
export async function openCommandClient(
  texts: readonly string[],
  options: OptionValues,
  io: CliIo,
  further: readonly string[] = [],
): Promise<CommandClient> {
  const { values, ...settings } = readSettings(options, io);
  const login = parseLogin(values.user);
  const controller = new AbortController();
  const stopListening = io.onInterrupt((name) => controller.abort(new Interruption(name, name)));
  const maxTime = parseMaxTime(values["max-time"]);
  const ask = (question: CredentialRequest): ReturnType<typeof askCredentials> =>
    askCredentials(question, io, controller.signal);
  const credentials = login ? createLoginCredentials(login, () => texts.map(parse), ask) : ask;
  const client: Client = await createClientForSchemes(
    selectSchemePackages([...texts, ...further], settings.gateways),
    { ...settings, credentials },
    io.host,
  );
  const mode = values.strict ? "strict" : "tolerant";
  const parse = (text: string): Url =>
    parseWithLogin(login, text, (written) => client.parse(written, { mode }));

  return {
    values,
    parse,
    plan: (url) => client.plan(url, toPlanOptions(values, url)),
    get isInterrupted() {
      return controller.signal.aborted;
    },
    async dereference(input, use, { onProgress, limits, planOptions } = {}) {
      const url = typeof input === "string" ? parse(input) : input;
      const { signal, lift } = withTimeLimit(controller.signal, maxTime, url);
      let resource: Resource | undefined;
      try {
        resource = await client.dereference(url, {
          ...toPlanOptions(values, url),
          ...planOptions?.(url),
          signal,
          onProgress,
          ...(limits && { limits }),
          ...(values.verbose && {
            trace: (event) => writeToStderr(io.stderr, formatTraceEvent(event).map(escapeControls)),
          }),
        });
        await use({ url, resource, signal });
      } finally {
        lift();
        await resource?.close();
      }
    },
    async close() {
      stopListening();
      await client.destroy();
    },
  };
}

/** A signal that aborts with the first, or when the seconds are over. */
function withTimeLimit(
  first: AbortSignal,
  seconds: number | undefined,
  url: Url,
): { signal: AbortSignal; lift: () => void } {
  if (seconds === undefined) return { signal: first, lift: () => undefined };
  const controller = new AbortController();
  const message = `timeout: not done within the ${seconds} s of --max-time: ${String(url)}`;
  const timer = setTimeout(() => controller.abort(new Interruption("timeout", message)), seconds * 1000);
  return { signal: AbortSignal.any([first, controller.signal]), lift: () => clearTimeout(timer) };
}
