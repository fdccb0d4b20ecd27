import { type AccessContext, limitReached, type PlanOptions } from "@anyscheme/core";
import { ArdpServer } from "./ardp/server.ts";
import { prosperoUrlOf } from "./entry.ts";
import type { ProsperoOptions } from "./options.ts";
import type { Link } from "./records.ts";
import { ReplyLines } from "./replies.ts";
import { list } from "./request.ts";
import type { ProsperoUrl } from "./syntax.ts";

/**
 * Asks, one after the other, the servers of the directories that a directory is united with, each of them once. Servers do not
 * expand such links themselves, not even those to their own directories. Throws `limit` for too many of them.
 */
export function uniting(
  url: ProsperoUrl,
  context: AccessContext,
  options: PlanOptions & ProsperoOptions,
): (link: Link) => Promise<ReplyLines | undefined> {
  const { limits } = context;
  const visited = new Set([url.href]);
  return async ({ place, version }) => {
    const target = prosperoUrlOf(place, version);
    if (!target || visited.has(target.href)) return undefined;
    visited.add(target.href);
    if (visited.size - 1 > limits.maxProsperoForwards)
      throw limitReached("maxProsperoForwards", limits, "the directory is united with too many others");
    const { octets, text } = list(target, options);
    const peer = { host: target.effectiveHost, port: target.effectivePort };
    const server = await ArdpServer.open(context, peer, { redirected: true });
    context.trace({ action: "send", text });
    return new ReplyLines(server.ask(octets), limits);
  };
}
