import { AccessError, createClient, anyAddress, UrlSyntaxError } from "@anyscheme/core";
import type { UrlComponentInjectionCase } from "./url-injection-cases.ts";
import type { RecordingServer } from "../servers/recording-servers.ts";

/** The result of one request, and the bytes that the server received. */
export interface RequestNetworkObservation {
  readonly isRefused: boolean;
  readonly error: unknown;
  /** True when the plan of the request has a `connect` step. */
  readonly planHasConnectStep: boolean;
  /** The number of DNS lookups of the server's name. */
  readonly dnsLookupCount: number;
  readonly connectionCount: number;
  readonly receivedBytes: string;
  /** The bytes that the request's plan predicts for the executed steps. */
  readonly plannedBytes: string;
}

/** The host names that the test's resolver resolves. */
const RESOLVED_HOST_NAMES: ReadonlySet<string> = new Set(["h.example", "secure.example"]);

/** Performs the request of a component with a new client, and returns its outcome. */
export async function performObservedRequest(
  component: UrlComponentInjectionCase,
  recorder: RecordingServer,
  url: string,
  allowControlCharacters = false,
): Promise<RequestNetworkObservation> {
  const lookedUpNames: string[] = [];
  const planned: Uint8Array[] = [];
  const previousConnections = recorder.connectionCount;
  const scheme = component.createScheme(recorder.port);
  const client = createClient({
    schemes: [scheme],
    policy: anyAddress({ allowPorts: { [scheme.name]: [recorder.port] } }),
    resolver(name) {
      lookedUpNames.push(name);
      return Promise.resolve(RESOLVED_HOST_NAMES.has(name) ? ["127.0.0.1"] : []);
    },
    trace({ action, step }) {
      if (action === "send" && step?.bytes) planned.push(step.bytes);
    },
  });
  const options = { ...component.requestOptions, allowControlCharacters };
  const perform = component.performRequest ?? ((of, text, given) => of.dereference(text, given));
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
    planHasConnectStep: connects,
    dnsLookupCount: lookedUpNames.filter((name) => RESOLVED_HOST_NAMES.has(name)).length,
    connectionCount: recorder.connectionCount - previousConnections,
    receivedBytes: await recorder.receivedSinceConnection(previousConnections),
    plannedBytes: Buffer.concat(planned).toString("latin1"),
  };
}
