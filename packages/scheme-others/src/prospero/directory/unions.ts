import { AccessError } from "@anyscheme/core";
import { type AccessContext, limitError, type PlanOptions } from "@anyscheme/core/plugin";
import { ArdpClient } from "../ardp/client.ts";
import type { UnionReader } from "./directory.ts";
import { toProsperoUrl } from "./entry.ts";
import type { Link } from "../protocol/reply-line.ts";
import type { ProsperoOptions } from "../options.ts";
import { ReplyReader } from "../protocol/reply-reader.ts";
import { listRequest } from "../protocol/request.ts";
import type { ProsperoUrl } from "../syntax.ts";

/**
 * Creates a reader for the directories that a directory is united with. Requests each directory once. Servers do
 * not expand union links, even to their own directories. Throws `limit` for too many directories, and `unsupported`
 * for a location without a URL.
 */
export function createUnionReader(
  url: ProsperoUrl,
  context: AccessContext,
  options: PlanOptions & ProsperoOptions,
): UnionReader {
  const { limits, signal } = context;
  const visited = new Set([url.href]);
  async function list({ location, version }: Link): Promise<ReplyReader | undefined> {
    const target = toProsperoUrl(location, version);
    if (!target) throw new AccessError("unsupported", "no URL can name the location of the united directory");
    if (visited.has(target.href)) return undefined;
    visited.add(target.href);
    if (visited.size - 1 > limits.maxProsperoForwards)
      throw limitError("maxProsperoForwards", limits, "the directory is united with too many others");
    const { bytes, text } = listRequest(target, options);
    const endpoint = { host: target.effectiveHost, port: target.effectivePort };
    const client = await ArdpClient.open(context, endpoint, { redirected: true });
    context.trace({ action: "send", text });
    return new ReplyReader(client.request(bytes), limits);
  }
  return { list, signal };
}
