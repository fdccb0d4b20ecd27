import { type AccessCode, AccessError } from "@anyscheme/core";
import type { AccessContext, TlsOptions } from "@anyscheme/core/plugin";
import { type RequestPlan, retrieve, urlForServer } from "../nntp/asking.ts";
import type { Article, NntpResource, NntpUrl } from "../nntp/index.ts";
import type { NewsRequestOptions } from "./options.ts";
import type { NewsPlan } from "./plan.ts";

/** What a news URL gives: `source` is the place where it was found, an nntp URL. */
export type NewsResource = NntpResource;

/**
 * Failures after which another server may have what is asked for. What the guard refuses and what reached a limit is told at
 * once.
 */
const TRY_NEXT_SERVER: ReadonlySet<AccessCode> = new Set([
  "not-found",
  "unavailable",
  "unsupported",
  "permission-denied",
  "authentication-required",
  "protocol",
  "incomplete",
  "timeout",
]);

/** Asks one server after the other; the first that has it wins. */
export async function accessNews(
  { requests: attempts }: NewsPlan,
  context: AccessContext,
  { order }: NewsRequestOptions,
  tls: TlsOptions,
): Promise<NewsResource> {
  const failures: AccessError[] = [];
  for (const attempt of attempts) {
    try {
      return await retrieve(attempt, context, {
        newestFirst: order === "newest-first",
        tls,
        sourceOf: (article) => sourceUrl(attempt, article),
      });
    } catch (error) {
      const elsewhere = error instanceof AccessError && TRY_NEXT_SERVER.has(error.code);
      if (!elsewhere || context.signal.aborted) throw error;
      failures.push(error);
    }
  }
  throw combineErrors(failures, attempts);
}

/** Where the resource is on the server that has it. */
function sourceUrl({ server, group, asked }: RequestPlan, article: Article | undefined): NntpUrl {
  if (asked === "overview" && group !== undefined) return urlForServer(server, group) ?? server;
  for (const { group: posted, number } of article?.locations ?? []) {
    const url = urlForServer(server, posted, number);
    if (url) return url;
  }
  const [posted] = article?.newsgroups ?? [];
  return (posted === undefined ? undefined : urlForServer(server, posted)) ?? server;
}

/** Nothing is "not found" as long as one of the servers has not said so. */
function combineErrors(failures: readonly AccessError[], attempts: readonly RequestPlan[]): AccessError {
  const told = failures.find(({ code }) => code !== "not-found") ?? failures[0];
  if (!told) throw new Error("the plan names no server");
  if (failures.length === 1) return told;
  const each = failures.map(({ code }, index) => `${attempts[index]?.server.host}: ${code}`);
  return new AccessError(told.code, told.messageParts, {
    cause: told,
    advice: `asked were ${each.join(", ")}`,
  });
}
