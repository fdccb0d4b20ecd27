import { AccessError, type PlanOptions, type Resource, type Stat } from "@anyscheme/core";
import {
  type AccessContext,
  limitError,
  guessMediaType,
  type ResultInit,
  serverText,
} from "@anyscheme/core/plugin";
import { percentDecodeText, type Url, UrlSyntaxError } from "@anyscheme/core/syntax";
import { type AccessMethod, accessMethodsOf, IN_BAND } from "./object/access-method.ts";
import { factsOf } from "./object/attributes.ts";
import { contentsOf } from "./object/contents.ts";
import { Directory } from "./directory/directory.ts";
import { type Answer, elsewhere } from "./object/object-reply.ts";
import type { ProsperoOptions } from "./options.ts";
import type { InfoPlan, ProsperoPlan } from "./plan.ts";
import { refusal } from "./protocol/failure.ts";
import { ReplyLines, summaryOf } from "./protocol/reply-reader.ts";
import { placeOf, Session } from "./session.ts";
import { uniting } from "./directory/unions.ts";

/** An access under way: what its server has said of the object. */
interface Inquiry {
  readonly plan: ProsperoPlan;
  readonly context: AccessContext;
  readonly session: Session;
  readonly answer: Exclude<Answer, { kind: "elsewhere" }>;
}

/**
 * Performs the plan: asks the server how to get at the object, and does that. Throws `unsupported` and `no-content` where no
 * access method leads to it, and what the server refuses with, in its own words.
 */
export async function accessProspero(
  plan: ProsperoPlan,
  context: AccessContext,
  options: PlanOptions & ProsperoOptions,
): Promise<Resource> {
  const { session, answer } = await Session.begin(plan, context);
  if (answer.kind === "elsewhere") return forward(plan, context, answer.url);
  const inquiry: Inquiry = { plan, context, session, answer };
  const attributes = answer.kind === "object" ? answer.attributes : [];
  const methods = accessMethodsOf(attributes, placeOf(plan));
  if (methods.length === 0 || factsOf(attributes).isDirectory) return readDirectory(inquiry, options);
  return useFirst(inquiry, options.accessMethods === "in-order" ? methods : contentsFirst(methods));
}

/** Tells what the server says of the object, without getting at it. */
export async function statProspero(plan: InfoPlan, context: AccessContext<Stat>): Promise<ResultInit<Stat>> {
  const { answer } = await Session.begin(plan, context);
  if (answer.kind === "elsewhere") return forward(plan, context, answer.url);
  if (answer.kind === "unknown") throw answer.refusal;
  const { size, modified, isDirectory } = factsOf(answer.attributes);
  if (isDirectory) return { kind: "directory", size: undefined, modified, mediaType: undefined };
  const isContent = accessMethodsOf(answer.attributes, placeOf(plan)).length > 0;
  const mediaType = isContent ? guessMediaType(nameOf(plan)) : undefined;
  return { kind: isContent ? "content" : "unknown", size, modified, mediaType };
}

function contentsFirst(methods: readonly AccessMethod[]): AccessMethod[] {
  return methods.toSorted((one, other) => Number(other.name === IN_BAND) - Number(one.name === IN_BAND));
}

/** "Clients take the first supported method." */
async function useFirst(inquiry: Inquiry, methods: readonly AccessMethod[]): Promise<Resource> {
  const { plan, context } = inquiry;
  let reason: unknown;
  for (const { name, url } of methods) {
    if (name === IN_BAND) return readContents(inquiry);
    const target = url === undefined ? undefined : parsed(url, context);
    if (!target) continue;
    context.beginStep(plan.refer);
    context.trace({ action: "redirect", text: `${name}: ${String(target)}` });
    try {
      return await context.redirectTo(target, name);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      reason ??= error;
    }
  }
  const names = methods.map(({ name }) => name).join(", ");
  const what = ["no access method of the object has a URL: ", serverText(names)];
  throw reason ?? new AccessError("unsupported", what);
}

/** Whether an access method has failed before anything was done: its scheme is not registered, or no hop may lead there. */
function isUnsupported(error: unknown): boolean {
  if (!(error instanceof AccessError)) return false;
  return error.code === "unknown-scheme" || (error.code === "refused-redirect" && error.url === undefined);
}

function parsed(text: string, context: AccessContext): Url | undefined {
  try {
    return context.parse(text);
  } catch (error) {
    if (error instanceof UrlSyntaxError) return undefined;
    throw error;
  }
}

async function readContents({ plan, context, session, answer }: Inquiry): Promise<Resource> {
  const { size, modified } = factsOf(answer.kind === "object" ? answer.attributes : []);
  const source = await contentsOf(session.ask(plan.contents), context.limits);
  return context.createContent({ source, size, modified, mediaType: guessMediaType(nameOf(plan)) });
}

async function readDirectory(inquiry: Inquiry, options: PlanOptions & ProsperoOptions): Promise<Resource> {
  const { plan, context, session, answer } = inquiry;
  const source = session.ask(plan.list);
  const reply = new ReplyLines(source, context.limits);
  const lines = await reply.peek();
  context.trace({ action: "receive", text: `${summaryOf(lines)}, to begin with` });
  for (const line of lines) {
    const url = elsewhere(line, lines);
    if (url) return forward(plan, context, url);
    if (line.kind !== "failure") continue;
    // A server that knows the object, and says that it is no directory, has named no way to it.
    if (line.code === "NOT-A-DIRECTORY" && answer.kind === "object")
      throw new AccessError("no-content", "the server names no access method for the object");
    const error = refusal(line);
    throw answer.kind === "unknown" && error.code === "not-found" ? answer.refusal : error;
  }
  const listing = { limits: context.limits, parse: (text: string) => context.parse(text) };
  const unions = options.unions === "follow" ? uniting(plan.url, context, options) : undefined;
  const entries = new Directory(reply, listing, unions);
  return context.createDirectory({
    entries,
    completeness: () => entries.completeness,
    cancel: () => source.cancel(),
  });
}

/** Goes on to where the object is. Throws `limit` when that has happened too often. */
function forward<R>(plan: InfoPlan, context: AccessContext<R>, url: Url): Promise<R> {
  const { limits, redirectChain: via } = context;
  const forwards = via.filter((hop) => hop.url.scheme === url.scheme).length;
  if (forwards >= limits.maxProsperoForwards)
    throw limitError("maxProsperoForwards", limits, "the servers forward for ever");
  context.beginStep(plan.refer);
  context.trace({ action: "redirect", text: `forwarded to ${String(url)}` });
  return context.redirectTo(url, "forwarded");
}

/** The last part of the name, where it has parts. */
function nameOf({ url }: InfoPlan): string {
  return percentDecodeText(url.hsoname).replace(/^.*\//s, "");
}
