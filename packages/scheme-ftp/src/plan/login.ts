import type { Step } from "@anyscheme/core";
import { connectSteps, tlsStep, sendStep, type PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode, MASK } from "@anyscheme/core/syntax";
import type { FtpTls } from "../options.ts";
import { hear, bytesOf, type Say, sayWith } from "./steps.ts";
import type { FtpUrl } from "../url/syntax.ts";

const GREETING: Step = hear(["220"], "220, the greeting; 120 before it means: wait");

/** The answers to USER, PASS and ACCT. */
const USER_ANSWERED: Step = hear(
  ["2", "331", "332"],
  "230, logged in; 331, send the password; 332, send the account",
);
const PASS_ANSWERED: Step = hear(["2", "332"], "230, logged in; 332, send the account", "331");
const ACCT: readonly Step[] = [
  sendStep(undefined, "RFC 959 4.1.1", `ACCT ${MASK} (asked for)`, { onReply: "332", secret: true }),
  hear(["2"], "230, logged in", "332"),
];

/** What opens a connection to one server; the last one is kept, since a URL seldom comes alone from its server. */
let opening: { readonly server: string; readonly steps: readonly Step[] } | undefined;

/** Opens the control connection, with TLS where it is wanted. RFC 4217 §4; implicit TLS is older than any RFC. */
export function openSteps(url: FtpUrl, tls: FtpTls | undefined): readonly Step[] {
  const server = `${url.host} ${url.effectivePort} ${tls ?? ""}`;
  if (opening?.server !== server) opening = { server, steps: stepsToOpen(url, tls) };
  return opening.steps;
}

function stepsToOpen(url: FtpUrl, tls: FtpTls | undefined): Step[] {
  const connect = connectSteps(url);
  if (tls === undefined) return [...connect, GREETING];
  if (tls === "implicit") return [...connect, tlsStep(url, "RFC 4217 (implicit TLS)"), GREETING];
  // RFC 4217 §4.3: 534 and 431 mean that the server will not, 500, 502 and 504 that it cannot.
  const answers = tls === "opportunistic" ? ["234", "5", "431"] : ["234"];
  const others = tls === "opportunistic" ? "; a refusal, and everything goes on in clear text" : "";
  return [
    ...connect,
    GREETING,
    sayWith({})({ verb: "AUTH", argument: bytesOf("TLS") }, "RFC 4217 4"),
    hear(answers, `234, TLS begins${others}`),
    tlsStep(url, "RFC 4217 4", "234"),
  ];
}

const NONE: readonly Step[] = [];

/** Has the data connections secured too. RFC 4217 §9, §12.1. */
export function protectSteps(tls: FtpTls | undefined, say: Say): readonly Step[] {
  if (tls === undefined) return NONE;
  const when = tls === "implicit" ? undefined : "234";
  return [
    say({ verb: "PBSZ", argument: bytesOf("0") }, "RFC 4217 9", { when }),
    hear(["2"], "200, as TLS needs it", when),
    say({ verb: "PROT", argument: bytesOf("P") }, "RFC 4217 9", { when }),
    hear(["2"], "200, data connections are secured", when),
  ];
}

/** The login of anonymous users, which is the same for all URLs. */
let anonymous: { readonly options: PlanOptions; readonly steps: readonly Step[] } | undefined;

/** RFC 1738 §3.2.1; a password or account that the URL does not have is asked for when the server wants it. */
export function loginSteps(url: FtpUrl, options: PlanOptions, say: Say): readonly Step[] {
  if (url.user !== undefined) return stepsFor(percentDecode(url.user), url, options, say);
  const { email, allowControlCharacters } = options;
  const known = anonymous?.options;
  if (!anonymous || known?.email !== email || known?.allowControlCharacters !== allowControlCharacters) {
    const steps = stepsFor(bytesOf("anonymous"), url, options, say);
    anonymous = { options: { email, allowControlCharacters }, steps };
  }
  return anonymous.steps;
}

function stepsFor(user: Uint8Array, url: FtpUrl, options: PlanOptions, say: Say): Step[] {
  return [
    say({ verb: "USER", argument: user, what: "user name" }, "3.2.1"),
    USER_ANSWERED,
    passStep(url, options, say),
    PASS_ANSWERED,
    ...ACCT,
  ];
}

function passStep(url: FtpUrl, { email }: PlanOptions, say: Say): Step {
  const command = { verb: "PASS", what: "password" };
  if (url.password !== undefined) {
    const argument = percentDecode(url.password);
    return say({ ...command, argument }, "3.2.1", { text: `PASS ${MASK}`, when: "331", secret: true });
  }
  if (url.user !== undefined) {
    return sendStep(undefined, "3.2.1", `PASS ${MASK} (asked for)`, { onReply: "331", secret: true });
  }
  if (email === undefined)
    return say({ ...command, argument: bytesOf("anonymous@") }, "3.2.1", { when: "331" });
  const text = `PASS ${MASK} (the e-mail address)`;
  return say({ ...command, argument: bytesOf(email), what: "e-mail address" }, "3.2.1", {
    text,
    when: "331",
    secret: true,
  });
}
