import { AccessError, type Plan, type Step } from "@anyscheme/core";
import { step, type PlanOptions, type PutOptions } from "@anyscheme/core/plugin";
import { shown } from "./encode-command.ts";
import { BEGINS, DATA, PASSIVE } from "./common-steps.ts";
import type { FtpRequestOptions, FtpOptions } from "../options.ts";
import { journey } from "./plan.ts";
import { renameSteps } from "./operations.ts";
import { restartSteps, typePart } from "./retrieve.ts";
import { hear, type Say } from "./steps.ts";
import { requireName, parseTarget } from "../url/target.ts";
import type { FtpUrl } from "../url/syntax.ts";

type CallOptions = PlanOptions & FtpRequestOptions;

/** The name that an atomic put writes to first. */
function besideName(name: Uint8Array): Uint8Array {
  return Uint8Array.from([...name, ...new TextEncoder().encode(".anyscheme-part")]);
}

/** When the put fails, what it has written so far goes away again, if the server lets it. */
function removal(target: Uint8Array, say: Say): Step[] {
  const command = { verb: "DELE", argument: target, what: "name" };
  return [
    say(command, "RFC 959 4.1.3", { text: `DELE ${shown(target)} (when the put has failed)`, when: "5" }),
    hear(["2", "4", "5"], "any answer", "5"),
  ];
}

/** STOR, APPE, or STOR under another name and a change of names. RFC 959 §4.1.3, RFC 3659 §5. */
export function planPut(url: FtpUrl, options: CallOptions & PutOptions, settings: FtpOptions): Plan<FtpUrl> {
  const subject = parseTarget(url);
  if (subject.isDirectory || (options.type ?? url.type?.toLowerCase()) === "d")
    throw new AccessError("unsupported", "the URL names a directory, which has no content to write");
  const { atomic = false, at = 0 } = options;
  if (atomic && at !== 0)
    throw new AccessError(
      "unsupported",
      "only the whole of a file can be written beside it and then renamed",
    );
  const isText = (options.type ?? url.type?.toLowerCase()) === "a";
  if (isText && typeof at === "number" && at > 0)
    throw new AccessError("unsupported", "a place in a text cannot be counted in bytes");
  const name = requireName(subject);
  const target = atomic ? besideName(name) : name;
  const type = { code: isText ? "A" : "I", reason: isText ? "as given" : "unless given, as it is" } as const;
  return journey(url, subject.directories, options, settings, (say) => ({
    repeatable: false,
    type: typePart(type, "3.2.2", say),
    ask: PASSIVE,
    transfer: [
      DATA,
      ...(typeof at === "number" && at > 0 ? restartSteps(at, say) : []),
      say({ verb: at === "end" ? "APPE" : "STOR", argument: target, what: "name" }, "RFC 959 4.1.3"),
      BEGINS,
    ],
    send: [
      step(
        "transfer",
        "RFC 959 4.1.3",
        `the bytes of the file${isText ? ", their line ends made CR LF" : ""}`,
      ),
      hear(["2"], "226 or 250: only now everything is stored"),
    ],
    ...(atomic && { after: renameSteps(target, name, say), otherwise: [removal(target, say)] }),
  }));
}
