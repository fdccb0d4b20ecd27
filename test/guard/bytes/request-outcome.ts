import { AccessError, createClient, anyAddress, UrlSyntaxError } from "@anyscheme/core";
import type { Component } from "./url-components.ts";
import type { Recorder } from "../servers/recorders.ts";

/** What became of one access, from the URL to what the server has received when everything is closed. */
export interface Outcome {
  readonly refused: boolean;
  readonly error: unknown;
  /** Whether the plan has a connection in it. */
  readonly connects: boolean;
  /** How often the name of the server was looked up. */
  readonly asked: number;
  readonly connected: number;
  readonly received: string;
  /** The bytes of the steps that were performed. */
  readonly planned: string;
}

/** The names of servers; every other one has no address. */
const SERVERS: ReadonlySet<string> = new Set(["h.example", "secure.example"]);

/** Accesses a component's URL with a client of its own. */
export async function outcomeOf(
  component: Component,
  recorder: Recorder,
  url: string,
  allowControlCharacters = false,
): Promise<Outcome> {
  const asked: string[] = [];
  const planned: Uint8Array[] = [];
  const before = recorder.clients;
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
    refused,
    error,
    connects,
    asked: asked.filter((name) => SERVERS.has(name)).length,
    connected: recorder.clients - before,
    received: await recorder.receivedFrom(before),
    planned: Buffer.concat(planned).toString("latin1"),
  };
}
