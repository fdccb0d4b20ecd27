import { AccessError, type AccessErrorCode } from "@anyscheme/core";
import {
  createMaskableServerText,
  bytesToLatin1,
  toSingleLine,
  decodeUtf8OrLatin1,
} from "@anyscheme/core/plugin";
import { createMalformedApduError } from "./elements.ts";

/** A diagnostic of the WAIS server, as a response contains it. */
export interface WaisDiagnostic {
  /** The code of the WAIS diagnostic, which has two characters, such as `S1`. */
  readonly code: string;
  /** The WAIS server's text of the diagnostic, on one line. */
  readonly text: string;
}

/** The WAIS diagnostic code for a range beyond the end of the document, and for an invalid document-id. */
export const OUT_OF_RANGE_DIAGNOSTIC_CODE = "SF";

/**
 * A diagnostic record consists of a code of two bytes, a text, and a byte that is set if the record replaces another
 * record.
 */
const DIAGNOSTIC_CODE_BYTES = 2;
const SURROGATE_FLAG_BYTES = 1;

/**
 * The meanings of the diagnostic codes of Z39.50-1988, which WAIS servers send. The names of the codes are in zprot.h
 * of freeWAIS.
 */
export const WAIS_DIAGNOSTICS: Readonly<Record<string, readonly [code: AccessErrorCode, meaning: string]>> = {
  S1: ["unavailable", "permanent system error"],
  S2: ["unavailable", "temporary system error"],
  S3: ["unsupported", "unsupported search"],
  S5: ["unsupported", "only stop words"],
  S6: ["unsupported", "too many words"],
  S7: ["unsupported", "too many operators"],
  S8: ["unsupported", "too many truncated words"],
  S9: ["unsupported", "too many incomplete subfields"],
  SA: ["unsupported", "a truncated word is too short"],
  SB: ["unsupported", "the format of a record number is invalid"],
  SC: ["unsupported", "too many characters"],
  SD: ["unsupported", "too many records"],
  SF: ["not-found", "the document, or the requested range of its bytes, does not exist"],
  SG: ["unavailable", "a system error occurred in the records"],
  SH: ["permission-denied", "the server must not send the record"],
  SI: ["unsupported", "the record exceeds the preferred message size"],
  SJ: ["unsupported", "the record exceeds the maximum record size"],
  SK: ["unsupported", "the server does not support result sets as search terms"],
  SL: ["unsupported", "the server supports only one result set as a search term"],
  SM: ["unsupported", "result sets can only be combined with AND"],
  SN: ["unavailable", "the result set already exists"],
  SO: ["unsupported", "the server does not support named result sets"],
  SP: ["unsupported", "the server cannot search these databases together"],
  SQ: ["unsupported", "the server does not support named element sets"],
  SR: ["unsupported", "the database has no such element set"],
  SS: ["unsupported", "the server supports only generic element set names"],
  ST: ["unavailable", "the server has deleted the result set"],
  SU: ["unavailable", "the result set is in use"],
  SV: ["unavailable", "a database is locked"],
  SW: ["unavailable", "the server ended the request by resource control"],
  SX: ["unavailable", "the result set does not exist"],
  SY: ["unavailable", "the server ran out of resources, and returns no results"],
  SZ: ["unavailable", "the server ran out of resources, and the partial results are unpredictable"],
  T1: ["unavailable", "the server ran out of resources, and returns a valid subset of the results"],
  T2: ["permission-denied", "access control"],
  T3: ["permission-denied", "the server could not issue a security challenge, and ended the request"],
  T4: ["permission-denied", "the server could not issue a security challenge, and omitted the record"],
};

/** The diagnostic codes which report that a response contains some of the found records but not all. */
export const WAIS_PARTIAL_RESULT_DIAGNOSTIC_CODES: ReadonlySet<string> = new Set(
  "SD SG SH SI SJ SZ T1 T4".split(" "),
);

/** Errors that freeWAIS distinguishes only by their text. */
const ERROR_CODES_BY_DIAGNOSTIC_TEXT: readonly (readonly [words: RegExp, code: AccessErrorCode])[] = [
  [/^The following database is not available\b/, "not-found"],
  [/^query syntax error\b/, "unsupported"],
];

/** Decodes a diagnostic record. Throws `protocol` for a diagnostic record without a code. */
export function decodeWaisDiagnostic(record: Uint8Array): WaisDiagnostic {
  if (record.length < DIAGNOSTIC_CODE_BYTES + SURROGATE_FLAG_BYTES)
    throw createMalformedApduError("a diagnostic record has no code", 0);
  return {
    code: bytesToLatin1(record.subarray(0, DIAGNOSTIC_CODE_BYTES)).replace(/[^\x20-\x7e]/g, "?"),
    text: toSingleLine(decodeUtf8OrLatin1(record.subarray(DIAGNOSTIC_CODE_BYTES, -SURROGATE_FLAG_BYTES))),
  };
}

/**
 * Creates the error for a diagnostic of a WAIS server. The error for an unknown WAIS diagnostic has the code
 * `unavailable`.
 */
export function createWaisDiagnosticError({ code, text }: WaisDiagnostic): AccessError {
  const known = Object.hasOwn(WAIS_DIAGNOSTICS, code) ? WAIS_DIAGNOSTICS[code] : undefined;
  const [accessCode, meaning] = known ?? ["unavailable", "unknown diagnostic"];
  const worded =
    code === "S1" ? ERROR_CODES_BY_DIAGNOSTIC_TEXT.find(([words]) => words.test(text))?.[1] : undefined;
  const words = text === "" ? meaning : text;
  // S2 is "TemporarySystemError" in zprot.h.
  const init = { isTemporary: code === "S2" };
  return new AccessError(
    worded ?? accessCode,
    ["the server refuses: ", createMaskableServerText(words), ` [${code}]`],
    init,
  );
}
