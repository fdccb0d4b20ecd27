import {
  createResolveAndConnectSteps,
  rejectControlBytes,
  createPlan,
  createSendStep,
  createStep,
  type Plan,
  type PlanOptions,
  type Step,
  type Endpoint,
} from "../../src/scheme/plan.ts";
import { createClient } from "../../src/client/client.ts";
import type { Client } from "../../src/client/client-interface.ts";
import type { AccessContext, ContentInit } from "../../src/scheme/context.ts";
import type { ContentResource, Resource } from "../../src/scheme/resource.ts";
import type { Scheme } from "../../src/scheme/scheme.ts";
import { percentDecode, createGenericSyntax, type GenericUrl } from "../../src/syntax/index.ts";
import { DEFAULT_CORE_LIMITS } from "../../src/index.ts";
import { connectAndSendRequest, type SocketReader, readLines } from "../../src/io/index.ts";

/** The request options that only these test schemes have. */
export interface TestSchemeRequestOptions {
  readonly headerName?: string | undefined;
}

/** Creates a plan that sends the path of the URL, after the header name if one is given, as one line. */
export function createPathLinePlan<U extends GenericUrl>(
  url: U,
  options: PlanOptions & TestSchemeRequestOptions,
): Plan<U> {
  const path = rejectControlBytes(percentDecode(url.urlPath ?? ""), "path", options);
  const header = options.headerName === undefined ? "" : `${options.headerName}: `;
  return createPlan(url, [
    ...createResolveAndConnectSteps(url),
    createSendStep(
      Buffer.concat([Buffer.from(header), path, Buffer.from("\r\n")]),
      "2",
      `asks for ${url.urlPath ?? "nothing"}`,
    ),
    createStep("transfer", "2", "the answer"),
  ]);
}

/** Creates a scheme that sends a path and reads the response until the server closes the connection. */
export function createPathLineScheme<const Name extends string>(
  name: Name,
  init: Omit<ContentInit, "source"> = {},
): Scheme<GenericUrl<Name>, ContentResource, TestSchemeRequestOptions> {
  return {
    name,
    syntax: createGenericSyntax({ schemes: [name] }),
    portRange: "unprivileged",
    plan: createPathLinePlan,
    access: async (plan, context) =>
      context.createContent({ ...init, source: await connectAndSendRequest(plan, context) }),
  };
}

/** Creates a scheme as `createPathLineScheme` does, in which the first response line `GO <url>` is a redirect. */
export function createRedirectingScheme<const Name extends string>(
  name: Name,
): Scheme<GenericUrl<Name>, Resource, TestSchemeRequestOptions> {
  return {
    ...createPathLineScheme(name),
    access: async (plan, context) => {
      const source = await connectAndSendRequest(plan, context);
      const target = await firstLine(source);
      if (!target.startsWith("GO ")) return context.createContent({ source });
      return context.redirectTo(context.parse(target.slice(3)));
    },
  };
}

async function firstLine(source: SocketReader): Promise<string> {
  for await (const line of readLines(source, DEFAULT_CORE_LIMITS, "maxListingLineBytes"))
    return Buffer.from(line).toString("latin1");
  return "";
}

/** Creates a scheme that opens no sockets and calls the access method of the test. */
export function createSocketlessScheme(
  access: (context: AccessContext, plan: Plan<GenericUrl<"x-made">>) => Resource | Promise<Resource>,
  target?: Endpoint,
): Scheme<GenericUrl<"x-made">> {
  return {
    name: "x-made",
    syntax: createGenericSyntax({ schemes: ["x-made"] }),
    plan: (url) => createPlan(url, [target ? connectStep(target) : createStep("open", "2", "opens")]),
    access: async (plan, context) => {
      for (const one of plan.steps) context.beginStep(one);
      return access(context, plan);
    },
  };
}

function connectStep(target: Endpoint): Step {
  return { action: "connect", spec: "2", description: `${target.host} port ${target.port}`, target };
}

/** Creates content with the given text. */
export function createContentFromText(
  context: AccessContext,
  text: string,
  init: Partial<ContentInit> = {},
): Resource {
  let given = false;
  const bytes = Buffer.from(text);
  const source = {
    readChunks: (take: (bytes: Uint8Array) => boolean) => {
      if (!given && bytes.length > 0) take(bytes);
      given = true;
      return Promise.resolve("end" as const);
    },
    cancel: () => undefined,
  };
  return context.createContent({ source, size: bytes.length, ...init });
}

/** Creates a client whose scheme returns the resource of `access` for every URL. */
export const createClientReturning = (
  access: (context: AccessContext) => Resource | Promise<Resource>,
): Client => createClient({ schemes: [createSocketlessScheme(access)] });
