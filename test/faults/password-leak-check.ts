import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import {
  createClient,
  type DereferenceOptions,
  type Scheme,
  TRACE_CHANNEL,
  anyAddress,
} from "@anyscheme/core";
import { expect } from "vitest";

/** A password of the tests that looks different in percent-encoding, base64 and Latin-1. */
export const TEST_PASSWORD = "n33dle/\u00e9?";
export const TEST_USER_NAME = "me";

/** The spellings in which a server may repeat the test password. */
export const TEST_PASSWORD_SPELLINGS: readonly string[] = [
  TEST_PASSWORD,
  encodeURIComponent(TEST_PASSWORD),
  encodeURIComponent(TEST_PASSWORD).toLowerCase(),
  Buffer.from(TEST_PASSWORD).toString("base64"),
  Buffer.from(TEST_PASSWORD).toString("base64url"),
  Buffer.from(TEST_PASSWORD).toString("hex"),
  Buffer.from(TEST_PASSWORD).toString("latin1"),
  Buffer.from(`${TEST_USER_NAME}:${TEST_PASSWORD}`).toString("base64"),
];

/** A request whose login contains the test password. */
export interface RequestWithSecretLogin {
  readonly scheme: Scheme;
  readonly url: string;
  readonly port: number;
  /** The options of the request, except `credentials`. */
  readonly options?: DereferenceOptions;
  stop(): Promise<void>;
}

/** Returns all text forms of a value: inspected, as JSON, and as a string with message and stack. */
function formatInEveryTextForm(value: unknown): string {
  const json = JSON.stringify(value, (_, part: unknown) => (part instanceof Error ? inspect(part) : part));
  const stack = value instanceof Error ? `${value.message} ${value.stack} ${String(value)}` : String(value);
  return `${inspect(value, { depth: Infinity, showHidden: true })} ${json} ${stack}`;
}

/** Performs one request. Returns the plan, trace events, resource and error of the request as texts. */
export async function performRequestAndCollectTexts({
  scheme,
  url,
  port,
  options = {},
}: RequestWithSecretLogin): Promise<string[]> {
  const recorded: unknown[] = [];
  const listen = (event: unknown): void => void recorded.push(event);
  subscribe(TRACE_CHANNEL, listen);
  const client = createClient({
    schemes: [scheme],
    policy: anyAddress({ allowPorts: { [scheme.name]: [port] } }),
    credentials: () => ({ user: TEST_USER_NAME, password: TEST_PASSWORD }),
    trace: listen,
  });
  try {
    recorded.push(client.plan(url, options));
    const resource = await client.dereference(url, options);
    recorded.push(resource);
    if (resource.kind === "content") await resource.saveTo(join(tmpdir(), `anyscheme-${process.pid}`));
    if (resource.kind === "service") recorded.push(await resource.connect());
  } catch (error) {
    recorded.push(error);
  } finally {
    unsubscribe(TRACE_CHANNEL, listen);
    await client.destroy();
  }
  return recorded.map(formatInEveryTextForm);
}

/** Expects that no text contains the test password in any spelling. */
export function expectNoPasswordInTexts(texts: readonly string[], at: string): void {
  for (const text of texts)
    for (const spelling of TEST_PASSWORD_SPELLINGS)
      expect(text.includes(spelling), `${at}\n${text}`).toBe(false);
}
