import type { Plan, Step } from "@anyscheme/core";
import { connectSteps, expectStep, makePlan, sendStep, step, type PlanOptions } from "@anyscheme/core/plugin";
import { CONTENTS_METHOD } from "./object/access-method.ts";
import type { ProsperoOptions } from "./options.ts";
import { listRequest, objectInfoRequest } from "./protocol/request.ts";
import type { ProsperoUrl } from "./syntax.ts";

/** A plan for an object of which only its server knows what it is, with the steps that depend on it by name. */
export interface ProsperoPlan extends Plan<ProsperoUrl> {
  readonly connect: Step;
  /** Asks how to get at the object. */
  readonly info: Step;
  readonly contents: Step;
  readonly list: Step;
  /** Goes on to another URL. */
  readonly redirect: Step;
}

/** What is asked of every object. `ACCESS-METHOD` alone is not found by the servers that there were. */
const ATTRIBUTES = "ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES";

/**
 * RFC 1738 §3.11: "Prospero URLs are interpreted by contacting a Prospero directory server on the specified host and port to
 * determine appropriate access methods for a resource". The bytes of a step are those of the message, which ARDP carries in
 * packets. Throws `refused-characters`.
 */
export function planProspero(url: ProsperoUrl, options: PlanOptions & ProsperoOptions = {}): ProsperoPlan {
  const { connecting, connect, info } = planObjectInfo(url, options);
  const contents = requestStep(
    objectInfoRequest(url, "CONTENTS", options),
    `ACCESS-METHOD ${CONTENTS_METHOD}`,
  );
  const listing = requestStep(listRequest(url, options), "no ACCESS-METHOD");
  const redirect = step(
    "redirect",
    "3.11",
    "the URL of another access method, or of where the object is",
    "ACCESS-METHOD",
  );
  const steps = [
    ...connecting,
    info,
    expectStep(["ATTRIBUTE", "FORWARDED", "LINK", "FAILURE NOT-FOUND"], "Prospero 5", "what the object is"),
    contents,
    redirect,
    listing,
    step("transfer", "3.11", "the contents, or the links of the directory"),
    step("close", "Prospero 5", "nothing is said"),
  ];
  return makePlan(url, steps, { connect, info, contents, list: listing, redirect });
}

/** The part of the plan that tells what the object is. */
export interface InfoPlan extends Plan<ProsperoUrl> {
  readonly connect: Step;
  readonly info: Step;
  readonly redirect: Step;
}

export function planInfo(url: ProsperoUrl, options: PlanOptions & ProsperoOptions = {}): InfoPlan {
  const { connecting, connect, info } = planObjectInfo(url, options);
  const expected = expectStep(["ATTRIBUTE", "FORWARDED", "LINK"], "Prospero 5", "what the object is");
  const redirect = step("redirect", "3.11", "the URL of where the object is", "FORWARDED");
  const steps = [...connecting, info, expected, redirect, step("close", "Prospero 5", "nothing is said")];
  return makePlan(url, steps, { connect, info, redirect });
}

function planObjectInfo(
  url: ProsperoUrl,
  options: PlanOptions & ProsperoOptions,
): { connecting: readonly Step[]; connect: Step; info: Step } {
  // Refused bytes come first: nothing is looked up for a URL that cannot be asked for.
  const info = requestStep(objectInfoRequest(url, ATTRIBUTES, options));
  const connecting = connectSteps(url);
  const connect = connecting.find(({ action }) => action === "connect") ?? info;
  return { connecting, connect, info };
}

function requestStep({ bytes, text }: { bytes: Uint8Array; text: string }, when?: string): Step {
  return sendStep(bytes, "Prospero 5", text, { onReply: when });
}
