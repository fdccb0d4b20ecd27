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

/** A secret whose bytes have special spellings in escapes and in base64. */
export const NEEDLE = "n33dle/\u00e9?";
export const USER = "me";

/** The spellings in which a server may repeat the secret. */
export const SPELLINGS: readonly string[] = [
  NEEDLE,
  encodeURIComponent(NEEDLE),
  encodeURIComponent(NEEDLE).toLowerCase(),
  Buffer.from(NEEDLE).toString("base64"),
  Buffer.from(NEEDLE).toString("base64url"),
  Buffer.from(NEEDLE).toString("hex"),
  Buffer.from(NEEDLE).toString("latin1"),
  Buffer.from(`${USER}:${NEEDLE}`).toString("base64"),
];

/** One login with the secret. */
export interface Login {
  readonly scheme: Scheme;
  readonly url: string;
  readonly port: number;
  /** Options of the request, besides the credentials. */
  readonly options?: DereferenceOptions;
  stop(): Promise<void>;
}

/** Returns every text form of a value. */
function everything(value: unknown): string {
  const json = JSON.stringify(value, (_, part: unknown) => (part instanceof Error ? inspect(part) : part));
  const stack = value instanceof Error ? `${value.message} ${value.stack} ${String(value)}` : String(value);
  return `${inspect(value, { depth: Infinity, showHidden: true })} ${json} ${stack}`;
}

/** Performs one request and returns all its texts. */
export async function said({ scheme, url, port, options = {} }: Login): Promise<string[]> {
  const heard: unknown[] = [];
  const listen = (event: unknown): void => void heard.push(event);
  subscribe(TRACE_CHANNEL, listen);
  const client = createClient({
    schemes: [scheme],
    policy: anyAddress({ allowPorts: { [scheme.name]: [port] } }),
    credentials: () => ({ user: USER, password: NEEDLE }),
    trace: listen,
  });
  try {
    heard.push(client.plan(url, options));
    const resource = await client.dereference(url, options);
    heard.push(resource);
    if (resource.kind === "content") await resource.saveTo(join(tmpdir(), `anyscheme-${process.pid}`));
    if (resource.kind === "service") heard.push(await resource.connect());
  } catch (error) {
    heard.push(error);
  } finally {
    unsubscribe(TRACE_CHANNEL, listen);
    await client.destroy();
  }
  return heard.map(everything);
}

export function expectNoNeedle(texts: readonly string[], at: string): void {
  for (const text of texts)
    for (const spelling of SPELLINGS) expect(text.includes(spelling), `${at}\n${text}`).toBe(false);
}
