import { AccessError, type AccessCode } from "@anyscheme/core";
import { serverText, bytesToLatin1, toSingleLine, decodeUtf8OrLatin1 } from "@anyscheme/core/plugin";
import { createMalformedApduError } from "./elements.ts";

/** A diagnostic in a response of the server. */
export interface WaisDiagnostic {
  /** The code of two characters, such as `S1`. */
  readonly code: string;
  /** The server's text, on one line. */
  readonly text: string;
}

/** The code for a range beyond the end of the document, and for an invalid document-id. */
export const OUT_OF_RANGE_CODE = "SF";

/**
 * The size of the code at the beginning of a record. The text follows, and a byte that is set if the record
 * replaces another record.
 */
const CODE_BYTES = 2;
const SURROGATE_BYTES = 1;

/** The meanings of the codes of Z39.50-1988. The names of the codes are in zprot.h of freeWAIS. */
export const WAIS_DIAGNOSTICS: Readonly<Record<string, readonly [code: AccessCode, meaning: string]>> = {
  S1: ["unavailable", "permanent system error"],
  S2: ["unavailable", "temporary system error"],
  S3: ["unsupported", "unsupported search"],
  S5: ["unsupported", "only stop words"],
  S6: ["unsupported", "too many words"],
  S7: ["unsupported", "too many operators"],
  S8: ["unsupported", "too many truncated words"],
  S9: ["unsupported", "too many incomplete subfields"],
  SA: ["unsupported", "a truncated word is too short"],
  SB: ["unsupported", "bad format of a record number"],
  SC: ["unsupported", "too many characters"],
  SD: ["unsupported", "too many records"],
  SF: ["not-found", "no such document, or none of its bytes"],
  SG: ["unavailable", "system error in the records"],
  SH: ["permission-denied", "the record may not be sent"],
  SI: ["unsupported", "the record exceeds the preferred message size"],
  SJ: ["unsupported", "the record exceeds the maximum record size"],
  SK: ["unsupported", "no result set as a search term"],
  SL: ["unsupported", "one result set only as a search term"],
  SM: ["unsupported", "result sets can only be combined with AND"],
  SN: ["unavailable", "the result set exists already"],
  SO: ["unsupported", "result sets have no names"],
  SP: ["unsupported", "the databases cannot be combined"],
  SQ: ["unsupported", "element sets have no names"],
  SR: ["unsupported", "no such element set in the database"],
  SS: ["unsupported", "only the generic element set names"],
  ST: ["unavailable", "the result set is gone"],
  SU: ["unavailable", "the result set is in use"],
  SV: ["unavailable", "a database is locked"],
  SW: ["unavailable", "ended by resource control"],
  SX: ["unavailable", "there is no such result set"],
  SY: ["unavailable", "resources exhausted, no results"],
  SZ: ["unavailable", "resources exhausted, unpredictable partial results"],
  T1: ["unavailable", "resources exhausted, a valid subset of the results"],
  T2: ["permission-denied", "access control"],
  T3: ["permission-denied", "no security challenge, the request is ended"],
  T4: ["permission-denied", "no security challenge, the record is left out"],
};

/** The codes that report missing records in a response with records. */
export const OMITTED_RECORD_CODES: ReadonlySet<string> = new Set("SD SG SH SI SJ SZ T1 T4".split(" "));

/** Errors that freeWAIS distinguishes only by their text. */
const TEXT_RULES: readonly (readonly [words: RegExp, code: AccessCode])[] = [
  [/^The following database is not available\b/, "not-found"],
  [/^query syntax error\b/, "unsupported"],
];

/** Decodes a diagnostic record. Throws `protocol`. */
export function decodeDiagnostic(record: Uint8Array): WaisDiagnostic {
  if (record.length < CODE_BYTES + SURROGATE_BYTES)
    throw createMalformedApduError("a diagnostic record without a code", 0);
  return {
    code: bytesToLatin1(record.subarray(0, CODE_BYTES)).replace(/[^\x20-\x7e]/g, "?"),
    text: toSingleLine(decodeUtf8OrLatin1(record.subarray(CODE_BYTES, -SURROGATE_BYTES))),
  };
}

/** Creates the error for a diagnostic. An unknown code is `unavailable`. */
export function createDiagnosticError({ code, text }: WaisDiagnostic): AccessError {
  const known = Object.hasOwn(WAIS_DIAGNOSTICS, code) ? WAIS_DIAGNOSTICS[code] : undefined;
  const [accessCode, meaning] = known ?? ["unavailable", "unknown diagnostic"];
  const worded = code === "S1" ? TEXT_RULES.find(([words]) => words.test(text))?.[1] : undefined;
  const words = text === "" ? meaning : text;
  return new AccessError(worded ?? accessCode, ["the server refuses: ", serverText(words), ` [${code}]`]);
}
