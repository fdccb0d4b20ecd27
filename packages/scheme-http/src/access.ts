import { AccessError, type ContentResource, type PlanOptions, type Resource } from "@anyscheme/core";
import type { AccessContext } from "@anyscheme/core/plugin";
import { conditionalHeaders } from "./request/conditional.ts";
import { contentCodings, decodeContent } from "./response/content-encoding.ts";
import { type ResponseStart, RequestSender } from "./connection/request-sender.ts";
import { contentLength } from "./response/body-framing.ts";
import type { HttpRequestOptions, HttpsOptions } from "./options.ts";
import { enter, type HttpPlan } from "./plan.ts";
import { checkRangeAtEnd, EMPTY_SOURCE, rangeLength, parseContentRange, sliceBody } from "./request/range.ts";
import { noteContentOf } from "./response/received-bytes.ts";
import { followRedirect } from "./response/redirect.ts";
import { contentMetadata, type HttpResponse, fetchResponseHead } from "./response/response.ts";
import { resumableBody } from "./resume.ts";
import { classifyStatus, statusError } from "./response/status.ts";

/**
 * What an http or https URL gives: the content, and what the server said about it. Asked with `ifModifiedSince` or
 * `ifNoneMatch`, it may be a resource of kind `not-modified` with the same `http`.
 */
export type HttpResource = ContentResource & { readonly http: HttpResponse };

type CallOptions = PlanOptions & HttpRequestOptions;

/** Performs the plan. A redirect to another scheme may give a resource of another kind. */
export async function accessHttp(
  plan: HttpPlan,
  context: AccessContext,
  options: CallOptions,
  settings: HttpsOptions,
): Promise<Resource> {
  const conversation = new RequestSender(plan, context, settings);
  const answer = await conversation.send();
  const { response, exchange } = answer;
  try {
    const meaning = classifyStatus(response.status);
    const { redirects = "follow", httpErrors = "throw" } = options;
    if (meaning === "redirect" && redirects !== "return")
      return await followRedirect(plan, context, answer, { refuse: redirects === "refuse" });
    if (meaning === "not-modified" && conditionalHeaders(options).length > 0) {
      exchange.discardBody();
      const { modified } = contentMetadata(response);
      return context.createResource("not-modified", { modified, http: response });
    }
    if (response.status === 416 && options.range && httpErrors === "throw") {
      checkRangeAtEnd(response, options.range);
      exchange.discardBody();
      return context.createContent({ source: EMPTY_SOURCE, size: 0, extra: { http: response } });
    }
    const isContent = meaning === "content" || (meaning === "part" && options.range !== undefined);
    const isReturned = meaning === "redirect" || (httpErrors === "return" && response.status >= 400);
    if (!isContent && !isReturned) throw statusError(answer);
    enter(plan, context, "transfer");
    return contentOf(answer, conversation, plan, context, isContent ? options : { raw: options.raw });
  } catch (error) {
    exchange.discardBody();
    throw error;
  }
}

function contentOf(
  answer: ResponseStart,
  conversation: RequestSender,
  plan: HttpPlan,
  context: AccessContext,
  { range, resume, raw }: CallOptions,
): Resource {
  const { response, framing } = answer;
  const part = range && response.status === 206 ? parseContentRange(response, range) : undefined;
  const codings = raw ? [] : contentCodings(response);
  if (part && codings.length > 0)
    throw new AccessError(
      "unsupported",
      "the server sent a part of a coded content, which cannot be decoded",
    );
  const known = framing === "none" ? 0 : framing === "length" ? contentLength(response) : undefined;
  if (part && known !== undefined && known !== part.end - part.start)
    throw new AccessError("protocol", "the server sent a part of another length than it says");
  const whole = codings.length === 0 ? known : undefined;
  const size = range && !part ? rangeLength(range, whole) : whole;
  const healed = resumableBody({ answer, conversation, plan, context, resume, part });
  const { received } = conversation;
  const plain =
    codings.length > 0 ? decodeContent(healed.source, codings, context.limits, received) : healed.source;
  let source = noteContentOf(plain, received);
  // A server that knows no ranges sends the whole.
  if (range && !part) source = sliceBody(source, range);
  if (range && size === 0) {
    answer.exchange.discardBody();
    source = EMPTY_SOURCE;
  }
  return context.createContent({
    source,
    size,
    completeness: healed.completeness,
    limitReceived: (maxBytes) => received.setMax(maxBytes),
    ...contentMetadata(response),
    response: () => fetchResponseHead(response, codings.length > 0),
    extra: { http: response },
  });
}
