import type { AccessContext } from "@anyscheme/core/plugin";
import { createHttpHeader } from "../headers.ts";
import type { HttpHopInputs } from "../http-hop-inputs.ts";
import type { HttpPlan } from "../plan.ts";
import type { HttpResponseHead } from "../response/response-head.ts";
import { formatRequestUrlWithoutLogin, type HttpRequest } from "./http-request-head.ts";

/**
 * Returns the planned request with the cookies of the jar for its URL. RFC 6265 §5.4. A Cookie header of the
 * caller replaces the cookies of the jar. Throws `refused-characters` for a cookie that cannot be sent.
 */
export async function addCookies({ plan, context }: HttpHopInputs): Promise<HttpRequest> {
  const { url, request } = plan;
  const { cookies } = context;
  if (!cookies || request.headers.some(([name]) => name === "cookie")) return request;
  const value = await cookies.getCookieString(formatRequestUrlWithoutLogin(url, request));
  if (value === "") return request;
  context.reportSecretSent();
  const header = createHttpHeader("cookie", value);
  return context.hasOwnCookies ? request.withOwnCookie(header) : request.withHeaders([header]);
}

/** Stores the cookies of a response in the jar. The jar decides which cookies to accept. RFC 6265 §5.3. */
export async function storeCookies(
  { headers }: HttpResponseHead,
  { url, request }: HttpPlan,
  cookies: NonNullable<AccessContext["cookies"]>,
): Promise<void> {
  for (const cookie of headers["set-cookie"] ?? [])
    await cookies.setCookie(cookie, formatRequestUrlWithoutLogin(url, request), { ignoreError: true });
}
