import { AccessError } from "@anyscheme/core";
import type { AccessContext, ByteSource, Completeness, Range, Resume } from "@anyscheme/core/plugin";
import { contentChangedError, resumableSource } from "@anyscheme/core/io";
import type { RequestSender, PendingResponse } from "./connection/request-sender.ts";
import type { HttpPlan } from "./plan.ts";
import { strongValidator } from "./request/conditional.ts";
import {
  type ContentRange,
  EMPTY_SOURCE,
  parseContentRange,
  rangeHeader,
  unsatisfiedLength,
} from "./request/range.ts";
import { contentLength } from "./response/body-framing.ts";
import { completenessOf, type HttpResponse } from "./response/response.ts";
import { statusError } from "./response/status.ts";

export interface ResumableBodyInit {
  readonly pending: PendingResponse;
  readonly sender: RequestSender;
  readonly plan: HttpPlan;
  readonly context: Pick<AccessContext, "signal">;
  readonly resume: Resume | undefined;
  /** The part of the content in the first response, when a range was requested. */
  readonly part: ContentRange | undefined;
}

export interface ResumableBody {
  readonly source: ByteSource;
  /** Returns the completeness of the last response. */
  readonly completeness: () => Completeness;
}

/**
 * Returns the body of a response. The option `resume` and a strong validator let the body continue at the next byte
 * after a lost connection. If-Range ensures that the content is still the same. RFC 9110 §13.1.5.
 */
export function resumableBody(init: ResumableBodyInit): ResumableBody {
  const { pending, sender, plan, context, resume, part } = init;
  const { response, exchange } = pending;
  let framing = pending.framing;
  const completeness = (): Completeness => completenessOf(framing);
  const { sendResume } = plan.phases;
  const validator = response.status < 300 ? strongValidator(response) : undefined;
  if (!resume || !sendResume || validator === undefined) return { source: exchange, completeness };
  const total = part ? part.total : framing === "length" ? contentLength(response) : undefined;
  const end = part?.end;

  const reopen = async (offset: number): Promise<ByteSource> => {
    // The connection was lost after the last byte.
    if (offset === end) return EMPTY_SOURCE;
    const rest = { start: offset, end };
    const headers = [rangeHeader(rest), ["if-range", validator]] as const;
    const next = await sender.send(sendResume, plan.request.withHeaders(headers));
    try {
      if (next.response.status === 416) {
        if (unsatisfiedLength(next.response) !== offset)
          throw contentChangedError("the server does not have the rest of it");
        next.exchange.discardBody();
        return EMPTY_SOURCE;
      }
      checkRest(next, rest, response, total);
      framing = next.framing;
      return next.exchange;
    } catch (error) {
      next.exchange.discardBody();
      throw error;
    }
  };

  const source = resumableSource(exchange, {
    resume,
    reopen,
    signal: context.signal,
    start: part?.start ?? 0,
  });
  return { source, completeness };
}

/** Throws unless a response has the complete rest of the first response's content. */
function checkRest(next: PendingResponse, rest: Range, first: HttpResponse, total: number | undefined): void {
  const { response } = next;
  if (response.status === 200) throw contentChangedError("the server sends it again from the beginning");
  if (response.status !== 206) throw statusError(next);
  const part = parseContentRange(response, rest);
  if (!hasSameRepresentation(first, response))
    throw contentChangedError("its validator or content coding is different");
  if (total !== undefined && part.total !== total)
    throw contentChangedError(`it has ${part.total ?? "an unknown number of"} bytes, and had ${total}`);
  if (part.end !== (rest.end ?? part.total))
    throw new AccessError("protocol", "the server sent only a part of the requested range");
}

function hasSameRepresentation(one: HttpResponse, other: HttpResponse): boolean {
  const identify = ({ headers }: HttpResponse): string =>
    JSON.stringify([headers["etag"], headers["content-encoding"]]);
  return identify(one) === identify(other);
}
