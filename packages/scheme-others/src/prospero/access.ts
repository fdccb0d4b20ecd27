import { AccessError, type Resource, type Stat } from "@anyscheme/core";
import {
  type AccessContext,
  limitError,
  guessMediaType,
  type ResultInit,
  serverText,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import { percentDecodeText, type Url, UrlSyntaxError } from "@anyscheme/core/syntax";
import { type AccessMethod, parseAccessMethods, CONTENTS_METHOD } from "./object/access-method.ts";
import { parseObjectInfo } from "./object/attributes.ts";
import { openContents } from "./object/contents.ts";
import { ProsperoDirectory } from "./directory/directory.ts";
import { type ObjectReply, forwardTarget } from "./object/object-reply.ts";
import type { ProsperoOptions } from "./options.ts";
import type { InfoPlan, ProsperoPlan } from "./plan.ts";
import { failureError } from "./protocol/failure.ts";
import { ReplyReader, summarize } from "./protocol/reply-reader.ts";
import { requestedLocation, ProsperoSession } from "./session.ts";
import { createUnionReader } from "./directory/unions.ts";

/** An access under way: what its server has said of the object. */
interface ObjectAccess {
  readonly plan: ProsperoPlan;
  readonly context: AccessContext;
  readonly session: ProsperoSession;
  readonly answer: Exclude<ObjectReply, { kind: "elsewhere" }>;
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
  const { session, answer } = await ProsperoSession.start(plan, context);
  if (answer.kind === "elsewhere") return forward(plan, context, answer.url);
  const inquiry: ObjectAccess = { plan, context, session, answer };
  const attributes = answer.kind === "object" ? answer.attributes : [];
  const methods = parseAccessMethods(attributes, requestedLocation(plan));
  if (methods.length === 0 || parseObjectInfo(attributes).isDirectory) return readDirectory(inquiry, options);
  return useFirstSupported(
    inquiry,
    options.accessMethods === "in-order" ? methods : sortContentsFirst(methods),
  );
}

/** Tells what the server says of the object, without getting at it. */
export async function statProspero(plan: InfoPlan, context: AccessContext<Stat>): Promise<ResultInit<Stat>> {
  const { answer } = await ProsperoSession.start(plan, context);
  if (answer.kind === "elsewhere") return forward(plan, context, answer.url);
  if (answer.kind === "unknown") throw answer.refusal;
  const { size, modified, isDirectory } = parseObjectInfo(answer.attributes);
  if (isDirectory) return { kind: "directory", size: undefined, modified, mediaType: undefined };
  const isContent = parseAccessMethods(answer.attributes, requestedLocation(plan)).length > 0;
  const mediaType = isContent ? guessMediaType(fileName(plan)) : undefined;
  return { kind: isContent ? "content" : "unknown", size, modified, mediaType };
}

function sortContentsFirst(methods: readonly AccessMethod[]): AccessMethod[] {
  return methods.toSorted(
    (one, other) => Number(other.name === CONTENTS_METHOD) - Number(one.name === CONTENTS_METHOD),
  );
}

/** "Clients take the first supported method." */
async function useFirstSupported(inquiry: ObjectAccess, methods: readonly AccessMethod[]): Promise<Resource> {
  const { plan, context } = inquiry;
  let reason: unknown;
  for (const { name, url } of methods) {
    if (name === CONTENTS_METHOD) return readContents(inquiry);
    const target = url === undefined ? undefined : tryParse(url, context);
    if (!target) continue;
    context.beginStep(plan.redirect);
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

function tryParse(text: string, context: AccessContext): Url | undefined {
  try {
    return context.parse(text);
  } catch (error) {
    if (error instanceof UrlSyntaxError) return undefined;
    throw error;
  }
}

async function readContents({ plan, context, session, answer }: ObjectAccess): Promise<Resource> {
  const { size, modified } = parseObjectInfo(answer.kind === "object" ? answer.attributes : []);
  const source = await openContents(session.send(plan.contents), context.limits);
  return context.createContent({ source, size, modified, mediaType: guessMediaType(fileName(plan)) });
}

async function readDirectory(
  inquiry: ObjectAccess,
  options: PlanOptions & ProsperoOptions,
): Promise<Resource> {
  const { plan, context, session, answer } = inquiry;
  const source = session.send(plan.list);
  const reply = new ReplyReader(source, context.limits);
  const lines = await reply.peek();
  context.trace({ action: "receive", text: `${summarize(lines)}, to begin with` });
  for (const line of lines) {
    const url = forwardTarget(line, lines);
    if (url) return forward(plan, context, url);
    if (line.kind !== "failure") continue;
    // A server that knows the object, and says that it is no directory, has named no way to it.
    if (line.code === "NOT-A-DIRECTORY" && answer.kind === "object")
      throw new AccessError("no-content", "the server names no access method for the object");
    const error = failureError(line);
    throw answer.kind === "unknown" && error.code === "not-found" ? answer.refusal : error;
  }
  const listing = { limits: context.limits, parse: (text: string) => context.parse(text) };
  const unions = options.unions === "follow" ? createUnionReader(plan.url, context, options) : undefined;
  const entries = new ProsperoDirectory(reply, listing, unions);
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
  context.beginStep(plan.redirect);
  context.trace({ action: "redirect", text: `forwarded to ${String(url)}` });
  return context.redirectTo(url, "forwarded");
}

/** The last part of the name, where it has parts. */
function fileName({ url }: InfoPlan): string {
  return percentDecodeText(url.hsoname).replace(/^.*\//s, "");
}
