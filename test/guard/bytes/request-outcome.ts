import { AccessError, createClient, anyAddress, UrlSyntaxError } from "@anyscheme/core";
import type { UrlComponent } from "./url-components.ts";
import type { Recorder } from "../servers/recorders.ts";

/** The result of one request, after all connections are closed. */
export interface RequestOutcome {
  readonly isRefused: boolean;
  readonly error: unknown;
  /** True when the plan has a `connect` step. */
  readonly planConnects: boolean;
  /** DNS lookups of the server's name. */
  readonly lookupCount: number;
  readonly connectionCount: number;
  readonly receivedBytes: string;
  /** The bytes of the plan's steps that were executed. */
  readonly plannedBytes: string;
}

/** The names of servers. Other names have no address. */
const SERVERS: ReadonlySet<string> = new Set(["h.example", "secure.example"]);

/** Dereferences a URL with a new client. */
export async function runRequest(
  component: UrlComponent,
  recorder: Recorder,
  url: string,
  allowControlCharacters = false,
): Promise<RequestOutcome> {
  const asked: string[] = [];
  const planned: Uint8Array[] = [];
  const before = recorder.connectionCount;
  const scheme = component.scheme(recorder.port);
  const client = createClient({
    schemes: [scheme],
    policy: anyAddress({ allowPorts: { [scheme.name]: [recorder.port] } }),
    resolver(name) {
      asked.push(name);
      return Promise.resolve(SERVERS.has(name) ? ["127.0.0.1"] : []);
    },
    trace({ action, step }) {
      if (action === "send" && step?.bytes) planned.push(step.bytes);
    },
  });
  const options = { ...component.options, allowControlCharacters };
  const perform = component.perform ?? ((of, text, given) => of.dereference(text, given));
  let error: unknown;
  let connects = false;
  try {
    await perform(client, url, options);
  } catch (reason) {
    error = reason;
  }
  try {
    connects = client.plan(url, options).steps.some(({ action }) => action === "connect");
  } catch (reason) {
    error ??= reason;
  }
  await client.destroy();
  const refused =
    error instanceof UrlSyntaxError || (error instanceof AccessError && error.code === "refused-characters");
  return {
    isRefused: refused,
    error,
    planConnects: connects,
    lookupCount: asked.filter((name) => SERVERS.has(name)).length,
    connectionCount: recorder.connectionCount - before,
    receivedBytes: await recorder.receivedSince(before),
    plannedBytes: Buffer.concat(planned).toString("latin1"),
  };
}
