import type { Client, CredentialRequest, Limits, Plan, Progress, Resource, Url } from "@anyscheme/core";
import { askCredentials } from "../services/ask-credentials.ts";
import { composeClient } from "./create-client.ts";
import { answersWith, loginOf, parsedWith } from "../config/login.ts";
import { type CallOptions, planOptionsOf, secondsOf } from "../args/option-values.ts";
import type { Values } from "../args/options.ts";
import { Interruption } from "../errors/error-report.ts";
import { rowsFor, settingsOf } from "../config/settings.ts";
import { type Io, tell } from "../terminal/cli-io.ts";
import { transcriptLines } from "../output/format-trace.ts";
import { escapeControls } from "../terminal/character-width.ts";

/** One visit to a resource: what a command does with it while the signal is quiet. */
export interface Visit {
  readonly url: Url;
  readonly resource: Resource;
  /** Aborts after an interrupt and after `--max-time`. */
  readonly signal: AbortSignal;
}

export interface VisitOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Changes to the limits of the client. */
  readonly limits?: Partial<Limits> | undefined;
  /** Changes what the command line says of the plan. */
  readonly planOptions?: ((url: Url) => CallOptions) | undefined;
}

/** The accesses of one run of a command. */
export interface Session {
  /** The options, completed by what the person has settled. */
  readonly values: Values;
  /**
   * Dereferences a URL and lets `use` have the resource, which is closed afterwards. Throws what the client throws; after an
   * interrupt and after `--max-time` that is an `Interruption`, or an `AccessError` with one for its cause.
   */
  visit(input: string | Url, use: (visit: Visit) => Promise<void>, options?: VisitOptions): Promise<void>;
  /** Parses as `visit` does, without an access. Throws `UrlSyntaxError`. */
  parse(text: string): Url;
  /** The plan of a visit. Throws what `visit` throws before it connects. */
  plan(url: Url): Plan;
  /** Whether the process was asked to end. */
  readonly interrupted: boolean;
  close(): Promise<void>;
}

/**
 * Opens a session with the schemes of these URLs; where one of them is unknown, with all, so that the error can list them.
 * `further` begins as URLs begin that these lead to.
 */
export async function openSession(
  texts: readonly string[],
  options: Values,
  io: Io,
  further: readonly string[] = [],
): Promise<Session> {
  const { values, ...settings } = settingsOf(options, io);
  const login = loginOf(values.user);
  const controller = new AbortController();
  const stopListening = io.onInterrupt((name) => controller.abort(new Interruption(name, name)));
  const maxTime = secondsOf(values["max-time"]);
  const ask = (question: CredentialRequest): ReturnType<typeof askCredentials> =>
    askCredentials(question, io, controller.signal);
  const credentials = login ? answersWith(login, () => texts.map(parse), ask) : ask;
  const client: Client = await composeClient(
    rowsFor([...texts, ...further], settings.gateways),
    { ...settings, credentials },
    io.host,
  );
  const mode = values.strict ? "strict" : "tolerant";
  const parse = (text: string): Url => parsedWith(login, text, (written) => client.parse(written, { mode }));

  return {
    values,
    parse,
    plan: (url) => client.plan(url, planOptionsOf(values, url)),
    get interrupted() {
      return controller.signal.aborted;
    },
    async visit(input, use, { onProgress, limits, planOptions } = {}) {
      const url = typeof input === "string" ? parse(input) : input;
      const { signal, lift } = withTimeLimit(controller.signal, maxTime, url);
      let resource: Resource | undefined;
      try {
        resource = await client.dereference(url, {
          ...planOptionsOf(values, url),
          ...planOptions?.(url),
          signal,
          onProgress,
          ...(limits && { limits }),
          ...(values.verbose && {
            trace: (event) => tell(io.stderr, transcriptLines(event).map(escapeControls)),
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
