import { AccessError } from "@anyscheme/core";
import { type AccessContext, limitError, type PlanOptions } from "@anyscheme/core/plugin";
import { ArdpClient } from "../ardp/client.ts";
import type { UnionReader } from "./directory.ts";
import { toProsperoUrl } from "./entry.ts";
import type { ProsperoOptions } from "../options.ts";
import { ReplyReader } from "../protocol/reply-reader.ts";
import { listRequest } from "../protocol/request.ts";
import type { ProsperoUrl } from "../syntax.ts";

/**
 * Asks, one after the other, the servers of the directories that a directory is united with, each of them once. Servers do not
 * expand such links themselves, not even those to their own directories. Throws `limit` for too many of them, and `unsupported`
 * for a place that has no URL.
 */
export function createUnionReader(
  url: ProsperoUrl,
  context: AccessContext,
  options: PlanOptions & ProsperoOptions,
): UnionReader {
  const { limits, signal } = context;
  const visited = new Set([url.href]);
  async function ask({
    location: place,
    version,
  }: Parameters<UnionReader["list"]>[0]): Promise<ReplyReader | undefined> {
    const target = toProsperoUrl(place, version);
    if (!target)
      throw new AccessError("unsupported", "the united directory is at a place that no URL can name");
    if (visited.has(target.href)) return undefined;
    visited.add(target.href);
    if (visited.size - 1 > limits.maxProsperoForwards)
      throw limitError("maxProsperoForwards", limits, "the directory is united with too many others");
    const { bytes, text } = listRequest(target, options);
    const peer = { host: target.effectiveHost, port: target.effectivePort };
    const server = await ArdpClient.open(context, peer, { redirected: true });
    context.trace({ action: "send", text });
    return new ReplyReader(server.request(bytes), limits);
  }
  return { list: ask, signal };
}
