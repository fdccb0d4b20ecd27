import { AccessError, type ContentResource, type PlanOptions, type Resource } from "@anyscheme/core";
import type { AccessContext } from "@anyscheme/core/plugin";
import { conditionsOf } from "./request/conditional.ts";
import { codingsOf, decoded } from "./response/content-encoding.ts";
import { type Answer, Conversation } from "./connection/request-sender.ts";
import { lengthOf } from "./response/body-framing.ts";
import type { HttpRequestOptions, HttpsOptions } from "./options.ts";
import { enter, type HttpPlan } from "./plan.ts";
import { checkBeginsAtEnd, EMPTY, lengthWithin, partOf, sliced } from "./request/range.ts";
import { noting } from "./response/received-bytes.ts";
import { follow } from "./response/redirect.ts";
import { descriptionOf, type HttpResponse, responseHead } from "./response/response.ts";
import { healing } from "./resume.ts";
import { meaningOf, statusError } from "./response/status.ts";

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
  const conversation = new Conversation(plan, context, settings);
  const answer = await conversation.answerTo();
  const { response, exchange } = answer;
  try {
    const meaning = meaningOf(response.status);
    const { redirects = "follow", httpErrors = "throw" } = options;
    if (meaning === "redirect" && redirects !== "return")
      return await follow(plan, context, answer, { refuse: redirects === "refuse" });
    if (meaning === "not-modified" && conditionsOf(options).length > 0) {
      exchange.leave();
      const { modified } = descriptionOf(response);
      return context.createResource("not-modified", { modified, http: response });
    }
    if (response.status === 416 && options.range && httpErrors === "throw") {
      checkBeginsAtEnd(response, options.range);
      exchange.leave();
      return context.createContent({ source: EMPTY, size: 0, extra: { http: response } });
    }
    const isContent = meaning === "content" || (meaning === "part" && options.range !== undefined);
    const isReturned = meaning === "redirect" || (httpErrors === "return" && response.status >= 400);
    if (!isContent && !isReturned) throw statusError(answer);
    enter(plan, context, "transfer");
    return contentOf(answer, conversation, plan, context, isContent ? options : { raw: options.raw });
  } catch (error) {
    exchange.leave();
    throw error;
  }
}

function contentOf(
  answer: Answer,
  conversation: Conversation,
  plan: HttpPlan,
  context: AccessContext,
  { range, resume, raw }: CallOptions,
): Resource {
  const { response, framing } = answer;
  const part = range && response.status === 206 ? partOf(response, range) : undefined;
  const codings = raw ? [] : codingsOf(response);
  if (part && codings.length > 0)
    throw new AccessError(
      "unsupported",
      "the server sent a part of a coded content, which cannot be decoded",
    );
  const known = framing === "none" ? 0 : framing === "length" ? lengthOf(response) : undefined;
  if (part && known !== undefined && known !== part.end - part.start)
    throw new AccessError("protocol", "the server sent a part of another length than it says");
  const whole = codings.length === 0 ? known : undefined;
  const size = range && !part ? lengthWithin(range, whole) : whole;
  const healed = healing({ answer, conversation, plan, context, resume, part });
  const { received } = conversation;
  const plain =
    codings.length > 0 ? decoded(healed.source, codings, context.limits, received) : healed.source;
  let source = noting(plain, received);
  // A server that knows no ranges sends the whole.
  if (range && !part) source = sliced(source, range);
  if (range && size === 0) {
    answer.exchange.leave();
    source = EMPTY;
  }
  return context.createContent({
    source,
    size,
    completeness: healed.completeness,
    limitReceived: (maxBytes) => received.limitTo(maxBytes),
    ...descriptionOf(response),
    response: () => responseHead(response, codings.length > 0),
    extra: { http: response },
  });
}
