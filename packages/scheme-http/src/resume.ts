import { AccessError, type Completeness, type Resume } from "@anyscheme/core";
import type { ByteSource } from "@anyscheme/core/plugin";
import { contentChangedError, resumableSource } from "@anyscheme/core/io";
import { strongValidator } from "./request/conditional.ts";
import type { ResponseStart, RequestSender } from "./connection/request-sender.ts";
import { contentLength } from "./response/body-framing.ts";
import type { Context, HttpPlan } from "./plan.ts";
import {
  EMPTY_SOURCE,
  type ContentRange,
  parseContentRange,
  rangeHeader,
  unsatisfiedLength,
} from "./request/range.ts";
import { completenessOf, type HttpResponse } from "./response/response.ts";
import { statusError } from "./response/status.ts";

/** What a content is made of, and by whom more of it can be had. */
export interface ResumableBodyInit {
  readonly answer: ResponseStart;
  readonly conversation: RequestSender;
  readonly plan: HttpPlan;
  readonly context: Pick<Context, "signal">;
  readonly resume: Resume | undefined;
  readonly part: ContentRange | undefined;
}

/**
 * The content of an answer. If the caller wants it resumed, and the server has a strong validator for it, a connection that
 * breaks is opened again, and the content goes on at the byte that was reached: If-Range makes sure that it is the same
 * one. RFC 9110 §13.1.5.
 */
export function resumableBody({ answer, conversation, plan, context, resume, part }: ResumableBodyInit): {
  readonly source: ByteSource;
  readonly completeness: () => Completeness;
} {
  const { response, framing, exchange } = answer;
  let last = framing;
  const completeness = (): Completeness => completenessOf(last);
  const validator = resume && response.status < 300 ? strongValidator(response) : undefined;
  if (!resume || validator === undefined) return { source: exchange, completeness };
  const start = part?.start ?? 0;
  const total = part ? part.total : framing === "length" ? contentLength(response) : undefined;
  const end = part?.end;

  async function reopen(offset: number): Promise<ByteSource> {
    // All of it had arrived before the connection broke.
    if (offset === end) return EMPTY_SOURCE;
    const rest = { start: offset, end };
    const request = plan.request.withHeaders([rangeHeader(rest), ["if-range", validator ?? ""]]);
    const next = await conversation.send(request);
    try {
      if (next.response.status === 416) {
        if (unsatisfiedLength(next.response) !== offset)
          throw contentChangedError("the server has no such part of it");
        next.exchange.discardBody();
        return EMPTY_SOURCE;
      }
      if (next.response.status === 200) throw contentChangedError("the server sends all of it anew");
      if (next.response.status !== 206) throw statusError(next);
      const more = parseContentRange(next.response, rest);
      if (!isSame(response, next.response)) throw contentChangedError("its validator or coding is another");
      if (total !== undefined && more.total !== total)
        throw contentChangedError(`it has ${more.total ?? "an unknown number of"} bytes, and had ${total}`);
      // A server may send less than the rest, and has then to be asked again.
      if (more.end !== (end ?? more.total))
        throw new AccessError("protocol", "the server sent only a part of the rest");
      last = next.framing;
      return next.exchange;
    } catch (error) {
      next.exchange.discardBody();
      throw error;
    }
  }

  return {
    source: resumableSource(exchange, { resume, reopen, signal: context.signal, start }),
    completeness,
  };
}

function isSame(one: HttpResponse, other: HttpResponse): boolean {
  const said = ({ headers }: HttpResponse): string =>
    JSON.stringify([headers["etag"], headers["content-encoding"]]);
  return said(one) === said(other);
}
