import { describe, expect, it } from "vitest";
import {
  decodeDiagnostic,
  WAIS_DIAGNOSTICS,
  createDiagnosticError,
} from "../../../src/wais/apdu/diagnostic.ts";

describe("diagnostics of a WAIS server", () => {
  it("decodes the code of a diagnostic, and its text on one line without control characters", () => {
    expect(decodeDiagnostic(Buffer.from("S1no\r\n\u001b[2J such  thing\u0000"))).toEqual({
      code: "S1",
      text: "no [2J such thing",
    });
    expect(decodeDiagnostic(Buffer.from([0x53, 0x1b, 0xe9, 1]))).toEqual({ code: "S?", text: "é" });
  });

  // The codes of Z39.50-1988, and their names in zprot.h of freeWAIS.
  const rows = [
    ["S1", "unavailable", "PermanentSystemError", "permanent system error"],
    ["S2", "unavailable", "TemporarySystemError", "temporary system error"],
    ["S3", "unsupported", "UnsupportedSearch", "unsupported search"],
    ["S5", "unsupported", "TermsOnlyStopWords", "only stop words"],
    ["S6", "unsupported", "TooManyArgumentWords", "too many words"],
    ["S7", "unsupported", "TooManyBooleanOperators", "too many operators"],
    ["S8", "unsupported", "TooManyTruncatedWords", "too many truncated words"],
    ["S9", "unsupported", "TooManyIncompleteSubfields", "too many incomplete subfields"],
    ["SA", "unsupported", "TruncatedWordsTooShort", "a truncated word is too short"],
    ["SB", "unsupported", "InvalidFormatForRecordNumber", "bad format of a record number"],
    ["SC", "unsupported", "TooManyCharactersInSearch", "too many characters"],
    ["SD", "unsupported", "TooManyRecordsRetrieved", "too many records"],
    ["SF", "not-found", "PresentRequestOutOfRange", "no such document, or none of its bytes"],
    ["SG", "unavailable", "SystemErrorInPresentRecords", "system error in the records"],
    ["SH", "permission-denied", "RecordNotAuthorizedToBeSent", "the record may not be sent"],
    ["SI", "unsupported", "RecordExceedsPrefMessageSize", "the record exceeds the preferred message size"],
    ["SJ", "unsupported", "RecordExceedsMaxRecordSize", "the record exceeds the maximum record size"],
    ["SK", "unsupported", "ResultSetNotSuppAsSearchTerm", "no result set as a search term"],
    ["SL", "unsupported", "OnlyOneRsltSetAsSrchTermSupp", "one result set only as a search term"],
    ["SM", "unsupported", "OnlyANDingOfASnglRsltSetSupp", "result sets can only be combined with AND"],
    ["SN", "unavailable", "RsltSetExistsNoReplace", "the result set exists already"],
    ["SO", "unsupported", "ResultSetNamingNotSupported", "result sets have no names"],
    ["SP", "unsupported", "CombinationDatabasesNotSupp", "the databases cannot be combined"],
    ["SQ", "unsupported", "ElementSetNamesNotSupported", "element sets have no names"],
    ["SR", "unsupported", "ElementSetNameNotValid", "no such element set in the database"],
    ["SS", "unsupported", "OnlyASingleElmntSetNameSupp", "only the generic element set names"],
    ["ST", "unavailable", "ResultSetDeletedByTarget", "the result set is gone"],
    ["SU", "unavailable", "ResultSetIsInUse", "the result set is in use"],
    ["SV", "unavailable", "DatabasesIsLocked", "a database is locked"],
    ["SW", "unavailable", "TerminatedByNoContinueResp", "ended by resource control"],
    ["SX", "unavailable", "ResultSetDoesNotExist", "there is no such result set"],
    ["SY", "unavailable", "ResExNoResultsAvailable", "resources exhausted, no results"],
    ["SZ", "unavailable", "ResExUnpredictableResults", "resources exhausted, unpredictable partial results"],
    ["T1", "unavailable", "ResExValidSubsetOfResults", "resources exhausted, a valid subset of the results"],
    ["T2", "permission-denied", "AccessControlFailure", "access control"],
    ["T3", "permission-denied", "SecurityNotIssuedReqTerm", "no security challenge, the request is ended"],
    [
      "T4",
      "permission-denied",
      "SecurityNotBeIssuedRecNotInc",
      "no security challenge, the record is left out",
    ],
  ] as const;

  it.each(rows)(
    "converts the diagnostic code %s to the error code %s: %s",
    (code, accessCode, _name, meaning) => {
      expect(createDiagnosticError({ code, text: "" })).toMatchObject({
        code: accessCode,
        reason: `the server refuses: ${meaning} [${code}]`,
      });
      expect(createDiagnosticError({ code, text: "in its own words" }).reason).toBe(
        `the server refuses: in its own words [${code}]`,
      );
    },
  );

  it("tests each known diagnostic code", () => {
    expect(Object.keys(WAIS_DIAGNOSTICS)).toEqual(rows.map(([code]) => code));
  });

  it.each([
    ["S1", "The following database is not available: db/x", "not-found"],
    ["S1", "query syntax error: (x", "unsupported"],
    ["S1", "out of memory", "unavailable"],
    // The pattern matches only at the beginning of the text, because the rest may quote the request.
    ["S1", "out of memory for query syntax error: (x", "unavailable"],
    ["S1", "no room: The following database is not available: db/x", "unavailable"],
    ["S2", "The following database is not available: db/x", "unavailable"],
    ["ZZ", "whatever", "unavailable"],
    ["__", "", "unavailable"],
  ])("converts the diagnostic %s with the text %j to the error code %s", (code, text, accessCode) => {
    expect(createDiagnosticError({ code, text }).code).toBe(accessCode);
  });
});
