import type { Plan, Step } from "@anyscheme/core";
import {
  createResolveAndConnectSteps,
  createExpectReplyStep,
  createPlan,
  createSendStep,
  createStep,
  type PlanOptions,
} from "@anyscheme/core/plugin";
import { CONTENTS_ACCESS_METHOD } from "./object/attributes.ts";
import type { ProsperoOptions } from "./scheme-options.ts";
import { encodeListRequest, encodeObjectInfoRequest } from "./protocol/request.ts";
import type { ProsperoUrl } from "./syntax.ts";

/**
 * The plan of a Prospero request. The Prospero server's reply determines the kind of the object, such as a directory or
 * a file. The plan has a field for each step that may depend on this kind of Prospero object.
 */
export interface ProsperoPlan extends Plan<ProsperoUrl> {
  readonly connect: Step;
  /** The step that requests the attributes of the Prospero object, such as its access methods. */
  readonly requestObjectInfo: Step;
  readonly requestContents: Step;
  readonly requestLinks: Step;
  /** The step that redirects the client from the prospero URL to another URL, such as that of an access method. */
  readonly redirect: Step;
}

/**
 * The attributes that the client requests for every Prospero object. Old servers reply `FAILURE NOT-FOUND` to a request
 * for `ACCESS-METHOD` alone.
 */
const REQUESTED_ATTRIBUTES = "ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES";

/**
 * RFC 1738 §3.11: "Prospero URLs are interpreted by contacting a Prospero directory server on the specified host and
 * port to determine appropriate access methods for a resource". The bytes of a plan step are the whole Prospero
 * message, which ARDP splits into packets. Throws `refused-characters` for control characters in the prospero URL or
 * an option.
 */
export function planProspero(url: ProsperoUrl, options: PlanOptions & ProsperoOptions = {}): ProsperoPlan {
  const { connecting, connect, requestObjectInfo } = planObjectInfo(url, options);
  const requestContents = createRequestStep(
    encodeObjectInfoRequest(url, "CONTENTS", options),
    `ACCESS-METHOD ${CONTENTS_ACCESS_METHOD}`,
  );
  const requestLinks = createRequestStep(encodeListRequest(url, options), "no ACCESS-METHOD");
  const redirect = createStep(
    "redirect",
    "3.11",
    "the URL of another access method, or of the object's location",
    "ACCESS-METHOD",
  );
  const steps = [
    ...connecting,
    requestObjectInfo,
    createExpectReplyStep(
      ["ATTRIBUTE", "FORWARDED", "LINK", "FAILURE NOT-FOUND"],
      "Prospero 5",
      "what the object is",
    ),
    requestContents,
    redirect,
    requestLinks,
    createStep("transfer", "3.11", "the contents, or the links of the directory"),
    createStep("close", "Prospero 5", "no message is sent"),
  ];
  return createPlan(url, steps, {
    connect,
    requestObjectInfo,
    requestContents,
    requestLinks,
    redirect,
  });
}

/** The steps that request the attributes of a Prospero object. */
export interface ProsperoObjectInfoPlan extends Plan<ProsperoUrl> {
  readonly connect: Step;
  readonly requestObjectInfo: Step;
  readonly redirect: Step;
}

export function planProsperoStat(
  url: ProsperoUrl,
  options: PlanOptions & ProsperoOptions = {},
): ProsperoObjectInfoPlan {
  const { connecting, connect, requestObjectInfo } = planObjectInfo(url, options);
  const expected = createExpectReplyStep(
    ["ATTRIBUTE", "FORWARDED", "LINK"],
    "Prospero 5",
    "what the object is",
  );
  const redirect = createStep("redirect", "3.11", "the URL of the object's location", "FORWARDED");
  const steps = [
    ...connecting,
    requestObjectInfo,
    expected,
    redirect,
    createStep("close", "Prospero 5", "no message is sent"),
  ];
  return createPlan(url, steps, { connect, requestObjectInfo, redirect });
}

function planObjectInfo(
  url: ProsperoUrl,
  options: PlanOptions & ProsperoOptions,
): { connecting: readonly Step[]; connect: Step; requestObjectInfo: Step } {
  // The plan contains the encoded request, so that invalid bytes are rejected before the name of the host is resolved.
  const requestObjectInfo = createRequestStep(encodeObjectInfoRequest(url, REQUESTED_ATTRIBUTES, options));
  const connecting = createResolveAndConnectSteps(url);
  const connect = connecting.find(({ action }) => action === "connect") ?? requestObjectInfo;
  return { connecting, connect, requestObjectInfo };
}

function createRequestStep({ bytes, text }: { bytes: Uint8Array; text: string }, when?: string): Step {
  return createSendStep(bytes, "Prospero 5", text, { onReply: when });
}
