import type { ContentResource, Scheme } from "@anyscheme/core";
import {
  createResolveAndConnectSteps,
  rejectControlBytes,
  createPlan,
  createSendStep,
  createStep,
} from "@anyscheme/core/plugin";
import { percentDecode, createGenericSyntax, type GenericUrl } from "@anyscheme/core/syntax";
import { connectAndSendRequest } from "@anyscheme/core/io";

/** Resolves `x-finger://host/user` to the host's information about a user, by the Finger protocol (RFC 1288). */
export function xFinger(): Scheme<GenericUrl<"x-finger">, ContentResource> {
  return {
    name: "x-finger",
    syntax: createGenericSyntax({ schemes: ["x-finger"], defaultPort: 79 }),
    plan(url, options) {
      const user = rejectControlBytes(percentDecode(url.urlPath ?? ""), "user name", options);
      const query = Buffer.concat([user, Buffer.from("\r\n")]);
      return createPlan(url, [
        ...createResolveAndConnectSteps(url),
        createSendStep(query, "RFC 1288 2.3", `the query for "${url.urlPath ?? ""}"`),
        createStep("transfer", "RFC 1288 2.2", "the answer, until the server closes the connection"),
      ]);
    },
    async access(plan, context) {
      const source = await connectAndSendRequest(plan, context);
      return context.createContent({ source, mediaType: "text/plain", completeness: "unverified" });
    },
  };
}
