import type { Step } from "@anyscheme/core";
import { connectSteps, sendStep, tlsStep, type PlanOptions } from "@anyscheme/core/plugin";
import { MASK, percentDecode } from "@anyscheme/core/syntax";
import type { FtpTls } from "../options.ts";
import type { FtpUrl } from "../url/syntax.ts";
import { commandStep, encodeText, expectReply } from "./commands.ts";

const EXPECT_GREETING: Step = expectReply(["220"], "220, the greeting; 120 asks to wait");
const EXPECT_USER_REPLY: Step = expectReply(
  ["2", "331", "332"],
  "230, logged in; 331, send the password; 332, send the account",
);
const EXPECT_PASS_REPLY: Step = expectReply(["2", "332"], "230, logged in; 332, send the account", "331");
const ACCT: readonly Step[] = [
  sendStep(undefined, "RFC 959 4.1.1", `ACCT ${MASK} (asked for)`, {
    command: "ACCT",
    onReply: "332",
    secret: true,
  }),
  expectReply(["2"], "230, logged in", "332"),
];

/** Opens the control connection, with TLS if `tls` is set (RFC 4217 §4). No RFC describes implicit TLS. */
export function connectPhase(url: FtpUrl, tls: FtpTls | undefined): Step[] {
  const connect = connectSteps(url);
  if (tls === undefined) return [...connect, EXPECT_GREETING];
  if (tls === "implicit") return [...connect, tlsStep(url, "RFC 4217 (implicit TLS)"), EXPECT_GREETING];
  // RFC 4217 §4.3: 534 and 431 refuse TLS; 500, 502 and 504 mean that the server does not support it.
  const isOptional = tls === "opportunistic";
  return [
    ...connect,
    EXPECT_GREETING,
    commandStep({ name: "AUTH", argument: encodeText("TLS") }, "RFC 4217 4"),
    expectReply(
      isOptional ? ["234", "5", "431"] : ["234"],
      `234, TLS starts${isOptional ? "; after a refusal the session continues in clear text" : ""}`,
    ),
    tlsStep(url, "RFC 4217 4", "234"),
  ];
}

/** Protects the data connections too. RFC 4217 §9, §12.1. */
export function protectSteps(tls: FtpTls | undefined): Step[] {
  if (tls === undefined) return [];
  const onReply = tls === "implicit" ? undefined : "234";
  return [
    commandStep({ name: "PBSZ", argument: encodeText("0") }, "RFC 4217 9", {}, { onReply }),
    expectReply(["2"], "200, the buffer size is set", onReply),
    commandStep({ name: "PROT", argument: encodeText("P") }, "RFC 4217 9", {}, { onReply }),
    expectReply(["2"], "200, data connections are protected", onReply),
  ];
}

/**
 * Logs in (RFC 1738 §3.2.1). The `credentials` callback provides a password or account that the server requires
 * and the URL lacks.
 */
export function loginSteps(url: FtpUrl, options: PlanOptions): Step[] {
  const argument = url.user === undefined ? encodeText("anonymous") : percentDecode(url.user);
  return [
    commandStep({ name: "USER", argument, argumentName: "user name" }, "3.2.1", options),
    EXPECT_USER_REPLY,
    passStep(url, options),
    EXPECT_PASS_REPLY,
    ...ACCT,
  ];
}

function passStep({ user, password }: FtpUrl, options: PlanOptions): Step {
  const onReply = "331";
  const secret = { onReply, secret: true };
  if (password !== undefined) {
    const command = { name: "PASS", argument: percentDecode(password), argumentName: "password" };
    return commandStep(command, "3.2.1", options, { ...secret, description: `PASS ${MASK}` });
  }
  if (user !== undefined)
    return sendStep(undefined, "3.2.1", `PASS ${MASK} (asked for)`, { command: "PASS", ...secret });
  const { email } = options;
  if (email === undefined)
    return commandStep({ name: "PASS", argument: encodeText("anonymous@") }, "3.2.1", options, { onReply });
  const command = { name: "PASS", argument: encodeText(email), argumentName: "e-mail address" };
  return commandStep(command, "3.2.1", options, {
    ...secret,
    description: `PASS ${MASK} (the e-mail address)`,
  });
}
