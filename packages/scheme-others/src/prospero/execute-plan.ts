import { AccessError, type Resource, type Stat, type Step } from "@anyscheme/core";
import {
  type AccessContext,
  type ByteSource,
  bytesToLatin1,
  createLimitError,
  guessMediaType,
  type OperationResultInit,
  createMaskableServerText,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import { percentDecode, percentDecodeText, type Url, UrlSyntaxError } from "@anyscheme/core/syntax";
import { ArdpClient } from "./ardp/ardp-client.ts";
import {
  createUnionDirectoryRequester,
  ProsperoEntryParser,
  readProsperoDirectoryEntries,
} from "./directory/directory.ts";
import {
  type ProsperoAccessMethod,
  CONTENTS_ACCESS_METHOD,
  parseAccessMethods,
  parseObjectStat,
} from "./object/attributes.ts";
import { decodeProsperoContents } from "./object/prospero-contents-decoder.ts";
import { type ProsperoObjectReply, findProsperoForwardUrl, parseObjectReply } from "./object/object-reply.ts";
import type { ProsperoOptions } from "./scheme-options.ts";
import type { ProsperoObjectInfoPlan, ProsperoPlan } from "./plan.ts";
import { createProsperoFailureError, type ProsperoObjectLocation } from "./protocol/reply-line.ts";
import { ProsperoReplyLineReader, summarizeProsperoReplyLines } from "./protocol/reply-line-reader.ts";

/** The state of a Prospero request after the server has sent the attributes of the object. */
interface ProsperoObjectAccess<R = Resource, P extends ProsperoObjectInfoPlan = ProsperoPlan> {
  readonly plan: P;
  readonly context: AccessContext<R>;
  readonly client: ArdpClient;
  readonly reply: ProsperoObjectReply;
}

/**
 * Performs the plan: requests the attributes of the object, and uses the first supported method. Throws `unsupported`
 * or `no-content` if no access method of the object can be used. Throws an error with the server's text if the Prospero
 * server reports a failure.
 */
export async function executeProsperoPlan(
  plan: ProsperoPlan,
  context: AccessContext,
  options: PlanOptions & ProsperoOptions,
): Promise<Resource> {
  const access = await requestObjectInfo(plan, context);
  const { reply } = access;
  if (reply.kind === "forwarded") return redirectToForwardTarget(plan, context, reply.url);
  const attributes = reply.kind === "object" ? reply.attributes : [];
  const methods = parseAccessMethods(attributes, getRequestedLocation(plan));
  if (methods.length === 0 || parseObjectStat(attributes).isDirectory)
    return createDirectoryResource(access, options);
  return useFirstSupportedAccessMethod(
    access,
    options.accessMethods === "in-order" ? methods : sortContentsMethodFirst(methods),
  );
}

/** Returns size and modification time of an object, from the server's description. */
export async function statProspero(
  plan: ProsperoObjectInfoPlan,
  context: AccessContext<Stat>,
): Promise<OperationResultInit<Stat>> {
  const { reply } = await requestObjectInfo(plan, context);
  if (reply.kind === "forwarded") return redirectToForwardTarget(plan, context, reply.url);
  if (reply.kind === "not-found") throw reply.error;
  const { size, modified, isDirectory } = parseObjectStat(reply.attributes);
  if (isDirectory) return { kind: "directory", size: undefined, modified, mediaType: undefined };
  const isContent = parseAccessMethods(reply.attributes, getRequestedLocation(plan)).length > 0;
  const mediaType = isContent ? guessMediaType(getFileNameOfObject(plan)) : undefined;
  return { kind: isContent ? "content" : "unknown", size, modified, mediaType };
}

/** Connects to the Prospero server, and requests the attributes of the object. */
async function requestObjectInfo<R, P extends ProsperoObjectInfoPlan>(
  plan: P,
  context: AccessContext<R>,
): Promise<ProsperoObjectAccess<R, P>> {
  const { effectiveHost: host, effectivePort: port } = plan.url;
  context.beginStep(plan.connect);
  const client = await ArdpClient.open(context, { host, port });
  const lines = await new ProsperoReplyLineReader(
    sendPlannedRequest(plan.requestObjectInfo, context, client),
    context.limits,
  ).readAll();
  context.trace({ action: "receive", text: summarizeProsperoReplyLines(lines) });
  return { plan, context, client, reply: parseObjectReply(lines) };
}

/**
 * Sends the request of a step in a Prospero plan. Returns the Prospero reply, whose packets are received when the
 * caller reads.
 */
function sendPlannedRequest<R>(step: Step, context: AccessContext<R>, client: ArdpClient): ByteSource {
  context.beginStep(step);
  context.trace({ action: "send", text: step.description });
  return client.request(step.bytes ?? new Uint8Array(0));
}

/**
 * Returns the location that a Prospero URL names. An access method of a Prospero object may omit the parts that equal
 * the requested location.
 */
function getRequestedLocation({ url }: ProsperoObjectInfoPlan): ProsperoObjectLocation {
  const hsoname = bytesToLatin1(percentDecode(url.hsoname));
  const { effectiveHost: host, effectivePort: port } = url;
  return { hostType: "INTERNET-D", host, port, nameType: "ASCII", hsoname };
}

function sortContentsMethodFirst(methods: readonly ProsperoAccessMethod[]): ProsperoAccessMethod[] {
  return methods.toSorted(
    (one, other) =>
      Number(other.name === CONTENTS_ACCESS_METHOD) - Number(one.name === CONTENTS_ACCESS_METHOD),
  );
}

/**
 * Reads the Prospero object with the first access method that the client supports. Throws the first error if the client
 * supports no access method of the object.
 */
async function useFirstSupportedAccessMethod(
  access: ProsperoObjectAccess,
  methods: readonly ProsperoAccessMethod[],
): Promise<Resource> {
  const { plan, context } = access;
  let reason: unknown;
  for (const { name, url } of methods) {
    if (name === CONTENTS_ACCESS_METHOD) return createContentsResource(access);
    const target = url === undefined ? undefined : tryParseUrl(url, context);
    if (!target) continue;
    context.beginStep(plan.redirect);
    context.trace({ action: "redirect", text: `${name}: ${String(target)}` });
    try {
      return await context.redirectTo(target, name);
    } catch (error) {
      if (!isUnsupportedAccessMethodError(error)) throw error;
      reason ??= error;
    }
  }
  const names = methods.map(({ name }) => name).join(", ");
  const what = ["no access method of the object has a URL: ", createMaskableServerText(names)];
  throw reason ?? new AccessError("unsupported", what);
}

/**
 * True when an access method of a Prospero object failed before the client sent bytes. The redirect of such a method
 * leads to an unregistered scheme, or to a URL that the client does not permit.
 */
function isUnsupportedAccessMethodError(error: unknown): boolean {
  if (!(error instanceof AccessError)) return false;
  return error.code === "unknown-scheme" || (error.code === "refused-redirect" && error.url === undefined);
}

function tryParseUrl(text: string, context: AccessContext): Url | undefined {
  try {
    return context.parse(text);
  } catch (error) {
    if (error instanceof UrlSyntaxError) return undefined;
    throw error;
  }
}

async function createContentsResource({
  plan,
  context,
  client,
  reply,
}: ProsperoObjectAccess): Promise<Resource> {
  const { size, modified } = parseObjectStat(reply.kind === "object" ? reply.attributes : []);
  const source = await decodeProsperoContents(
    sendPlannedRequest(plan.requestContents, context, client),
    context.limits,
  );
  return context.createContent({
    source,
    size,
    modified,
    mediaType: guessMediaType(getFileNameOfObject(plan)),
  });
}

async function createDirectoryResource(
  { plan, context, client, reply: objectReply }: ProsperoObjectAccess,
  options: PlanOptions & ProsperoOptions,
): Promise<Resource> {
  const { limits, signal } = context;
  const source = sendPlannedRequest(plan.requestLinks, context, client);
  const reply = new ProsperoReplyLineReader(source, limits);
  const lines = await reply.peek();
  context.trace({ action: "receive", text: `${summarizeProsperoReplyLines(lines)}, so far` });
  for (const line of lines) {
    const url = findProsperoForwardUrl(line, lines);
    if (url) return redirectToForwardTarget(plan, context, url);
    if (line.kind !== "failure") continue;
    // The Prospero object exists and is not a directory, but has no access method.
    if (line.code === "NOT-A-DIRECTORY" && objectReply.kind === "object")
      throw new AccessError("no-content", "the server has no access method for the object");
    const error = createProsperoFailureError(line);
    throw objectReply.kind === "not-found" && error.code === "not-found" ? objectReply.error : error;
  }
  const parser = new ProsperoEntryParser(
    { limits, parseUrl: (text) => context.parse(text) },
    options.unions === "follow",
  );
  const requestUnion = createUnionDirectoryRequester(plan.url, context, options);
  return context.createDirectory({
    entries: readProsperoDirectoryEntries(reply, parser, requestUnion, signal),
    completeness: () => (parser.hasMissingLinks ? "truncated" : "verified"),
    cancel: () => source.cancel(),
  });
}

/**
 * Redirects the request to the URL to which the Prospero server forwards it. Throws `limit` if Prospero servers forward
 * the request too often.
 */
function redirectToForwardTarget<R>(
  plan: ProsperoObjectInfoPlan,
  context: AccessContext<R>,
  url: Url,
): Promise<R> {
  const { limits, redirectChain } = context;
  const forwards = redirectChain.filter((hop) => hop.fromUrl.scheme === url.scheme).length;
  if (forwards >= limits.maxProsperoForwards)
    throw createLimitError("maxProsperoForwards", limits, "the servers forwarded the request too often");
  context.beginStep(plan.redirect);
  context.trace({ action: "redirect", text: `forwarded to ${String(url)}` });
  return context.redirectTo(url, "forwarded");
}

/** Returns the part of the Prospero object name after the last "/". */
function getFileNameOfObject({ url }: ProsperoObjectInfoPlan): string {
  return percentDecodeText(url.hsoname).replace(/^.*\//s, "");
}
