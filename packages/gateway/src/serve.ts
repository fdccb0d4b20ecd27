import type { Client, Resource, TraceEvent, Url } from "@anyscheme/core";
import { InternetUrl } from "@anyscheme/core/syntax";
import type { Address } from "./address.ts";
import type { Admission } from "./admission.ts";
import { readUrl } from "./asked.ts";
import { filled } from "./filled.ts";
import type { Links } from "./links.ts";
import type { GatewayReply, GatewayRequest } from "./message.ts";
import { MAX_EVENTS } from "./pages/details.ts";
import { show, type Showing } from "./show.ts";
import { Refusal } from "./status.ts";
import { checkPart, NO_WISH, type Wish, wishOf } from "./wish.ts";

/** What URLs are served with. */
export interface Serving {
  readonly client: Client;
  readonly admission: Admission;
  readonly maxTextBytes: number;
  readonly maxRawBytes: number;
}

/** One request, and the reply that it gets. */
export interface Exchange {
  readonly request: GatewayRequest;
  readonly reply: GatewayReply;
  /** A path of this gateway, or with `proxied` a URL. */
  readonly target: string;
  readonly proxied: boolean;
  readonly links: Links;
  /** What has happened, for the page to tell. */
  readonly events: TraceEvent[];
}

/** Dereferences and shows. */
export async function serve(exchange: Exchange, serving: Serving, address: Address): Promise<void> {
  const { view } = address;
  const url = readUrl(serving.client, address.url);
  const wish = wishOf(exchange.request, view, url, serving.client);
  // Bytes have no page that could tell of it.
  const told = view !== "raw" && view !== "download";
  const whole: Use = (resource, toDownloads) =>
    show(resource, showing(exchange, serving, address, { toDownloads }), exchange.reply);
  if (!wish.range) return dereferenced(exchange, serving, url, { told, wish }, whole);
  let isPart = true;
  await dereferenced(exchange, serving, url, { told, wish }, async (resource, toDownloads) => {
    // A part of unknown length cannot be handed over as one.
    isPart = resource.kind !== "content" || resource.size !== undefined;
    const shown = showing(exchange, serving, address, { wish, toDownloads });
    if (isPart) await show(resource, shown, exchange.reply);
  });
  if (!isPart) await dereferenced(exchange, serving, url, { told }, whole);
}

function showing(
  { links, events }: Exchange,
  { client, maxTextBytes, maxRawBytes }: Serving,
  address: Address,
  {
    wish = NO_WISH,
    form,
    toDownloads,
  }: { readonly wish?: Wish; readonly form?: Url } & Pick<Showing, "toDownloads">,
): Showing {
  return { client, links, form, address, events, wish, maxTextBytes, maxRawBytes, toDownloads };
}

/**
 * What was filled into a form goes to its server; only the page that was made here may ask for that. The answer tells nothing of
 * what was filled in, which may be a password.
 */
export async function serveForm(
  exchange: Exchange,
  serving: Serving,
  values: URLSearchParams,
): Promise<void> {
  const url = readUrl(serving.client, values.get("url") ?? "");
  const address: Address = { view: "page", url: url.href, from: 0 };
  let sent: Url | undefined;
  await dereferenced(exchange, serving, url, { told: false }, async (resource) => {
    if (resource.kind !== "form") throw new Refusal(400, "There is no form at this URL.");
    sent = filled(resource, values);
  });
  if (!sent) return;
  await dereferenced(exchange, serving, sent, { told: false, allowForms: true }, (resource, toDownloads) =>
    show(resource, showing(exchange, serving, address, { form: url, toDownloads }), exchange.reply),
  );
}

/** Uses a resource. `toDownloads` counts the request as a download from then on; throws `Refusal` at the limit of downloads. */
type Use = (resource: Resource, toDownloads: () => void) => Promise<void>;

interface Access {
  /** Whether the page tells what happens. */
  readonly told: boolean;
  readonly wish?: Wish;
  readonly allowForms?: boolean;
}

/** One access, counted while it lasts, ended when the client goes away. */
async function dereferenced(
  { request, events }: Exchange,
  { client, admission }: Serving,
  url: Url,
  { told, wish = NO_WISH, allowForms }: Access,
  use: Use,
): Promise<void> {
  const host = url instanceof InternetUrl ? url.effectiveHost : url.scheme;
  const enter = (kind: "page" | "download"): (() => void) => {
    const entered = admission.enter(kind, request.client, host);
    if (!entered) throw new Refusal(503, `Too many ${kind}s are under way at the moment; please try again.`);
    return entered;
  };
  let leave = enter("page");
  const toDownloads = (): void => {
    const leavePages = leave;
    leave = enter("download");
    leavePages();
  };
  const follow = (event: TraceEvent): void => {
    if (events.length < MAX_EVENTS) events.push(event);
  };
  try {
    const { range, ifModifiedSince } = wish;
    const { signal } = request;
    const call = { range, ifModifiedSince, allowForms, signal, trace: told ? follow : undefined };
    const resource = await client.dereference(url, call);
    try {
      checkPart(resource, wish);
      await use(resource, toDownloads);
    } finally {
      await resource.close();
    }
  } finally {
    leave();
  }
}
