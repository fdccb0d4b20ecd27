import { AccessError, type Step } from "@anyscheme/core";
import type { PlanOptions } from "@anyscheme/core/plugin";
import { percentDecode } from "@anyscheme/core/syntax";
import {
  BEGINS,
  DATA,
  PASSIVE,
  RECEIVE_FILE,
  RECEIVE_LIST,
  RECEIVE_NAMES,
  SIZE_TOLD,
  TIME_TOLD,
} from "./common-steps.ts";
import type { Errand } from "./phases.ts";
import type { FtpRequestOptions, FtpOptions } from "../options.ts";
import { hear, bytesOf, type Say } from "./steps.ts";
import type { FtpUrl } from "../url/syntax.ts";
import { guessTransferType, type TransferType } from "./transfer-type.ts";

type CallOptions = PlanOptions & FtpRequestOptions;

const LISTS: TransferType = { code: "A", reason: "lists are text" };

/**
 * What is done in the directory of a URL: a list of names for the typecode `d`, else TYPE and RETR. An empty name without a
 * typecode, of which the RFC says nothing, stands for a listing of the directory walked to. RFC 1738 §3.2.2.
 */
export function transferErrand(url: FtpUrl, options: CallOptions, settings: FtpOptions, say: Say): Errand {
  const name = percentDecode(url.name ?? "");
  const typecode = options.type ?? url.type?.toLowerCase();
  if (typecode === "d") return nameListErrand(name, say);
  if (typecode === undefined && name.length === 0) return listingErrand(say);
  const type = transferType(name, typecode, options, settings);
  const { start = 0 } = options.range ?? {};
  return {
    type: typePart(type, typecode === undefined ? "3.2.3" : "3.2.2", say),
    ask: askSteps(name, type, options, say),
    transfer: [
      DATA,
      ...(start > 0 ? restartSteps(start, say) : []),
      say({ verb: "RETR", argument: name, what: "name" }, "3.2.2"),
      BEGINS,
    ],
    receive: RECEIVE_FILE[type.code === "I" ? "asIs" : (settings.asciiNewlines ?? "lf")],
  };
}

/** RFC 1738 §3.2.3: a type that is omitted is guessed, unless there is a setting or something that only one type can do. */
function transferType(
  name: Uint8Array,
  typecode: string | undefined,
  { range, resume }: CallOptions,
  { defaultTransferType: omittedType = "guess" }: FtpOptions,
): TransferType {
  const given = typecode ?? (omittedType === "guess" ? undefined : omittedType);
  if (range && given === "a") {
    throw new AccessError("unsupported", "a part of a text cannot be had: its bytes are counted in no way", {
      advice: "with ;type=i a part of the file as it is",
    });
  }
  if (given !== undefined) return { code: given === "a" ? "A" : "I", reason: "as given" };
  if (range) return { code: "I", reason: "only bytes as they are can be counted" };
  if (resume) return { code: "I", reason: "only bytes as they are can be gone on with" };
  return guessTransferType(name);
}

/**
 * Size and time go out together with the request for a data connection: none of the three changes anything that the others
 * depend on. In TYPE A some servers refuse SIZE, and others tell that of the file as it is. RFC 3659 §3, §4.
 */
function askSteps(name: Uint8Array, type: TransferType, options: CallOptions, say: Say): Step[] {
  const size = type.code === "I";
  const time = options.resume !== undefined || options.ifModifiedSince !== undefined;
  const [passive, ...answers] = PASSIVE;
  return [
    ...(size ? [say({ verb: "SIZE", argument: name, what: "name" }, "RFC 3659 4")] : []),
    ...(time ? [say({ verb: "MDTM", argument: name, what: "name" }, "RFC 3659 3")] : []),
    passive,
    ...(size ? [SIZE_TOLD] : []),
    ...(time ? [TIME_TOLD] : []),
    ...answers,
  ];
}

/** RFC 1738 §3.2.2: "If the typecode is "d", perform a NLST (name list) command with <name> as the argument". */
function nameListErrand(name: Uint8Array, say: Say): Errand {
  const argument = name.length === 0 ? undefined : name;
  return {
    type: typePart(LISTS, "RFC 959 4.1.3", say),
    ask: PASSIVE,
    transfer: [DATA, say({ verb: "NLST", argument, what: "name" }, "3.2.2"), BEGINS],
    receive: RECEIVE_NAMES,
  };
}

/** MLSD tells most, and exactly; a server that does not know it (500 to 504) is asked for LIST, and then for names alone. */
function listingErrand(say: Say): Errand {
  const unknown = (verb: string): string =>
    `150 or 125, the transfer begins; 500 to 504, ${verb} is not known`;
  return {
    type: typePart(LISTS, "RFC 959 4.1.3", say),
    ask: PASSIVE,
    transfer: [
      DATA,
      say({ verb: "MLSD" }, "RFC 3659 7"),
      hear(["1", "50"], unknown("MLSD")),
      say({ verb: "LIST" }, "RFC 959 4.1.3", { when: "50" }),
      hear(["1", "50"], unknown("LIST"), "50"),
      say({ verb: "NLST" }, "RFC 959 4.1.3", { when: "50" }),
      hear(["1"], "150 or 125, the transfer begins", "50"),
    ],
    receive: RECEIVE_LIST,
  };
}

/** By what is shown of them: there are as many as media types and reasons. */
const typeParts = new Map<string, NonNullable<Errand["type"]>>();

/** The steps that set a type. */
export function typePart(
  { code, reason }: TransferType,
  section: string,
  say: Say,
): NonNullable<Errand["type"]> {
  const text = `TYPE ${code} (${reason})`;
  const known = typeParts.get(section + text);
  if (known) return known;
  const set = say({ verb: "TYPE", argument: bytesOf(code) }, section, { text });
  const made = { code, steps: [set, hear(["2"], "200, the type is set")] };
  typeParts.set(section + text, made);
  return made;
}

/** The next transfer begins at this byte. RFC 3659 §5.3. */
export function restartSteps(start: number, say: Say): Step[] {
  return [
    say({ verb: "REST", argument: bytesOf(String(start)) }, "RFC 3659 5"),
    hear(["350"], "350, the transfer will begin at that byte"),
  ];
}
