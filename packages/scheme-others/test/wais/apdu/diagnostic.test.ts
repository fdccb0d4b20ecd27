import { describe, expect, it } from "vitest";
import {
  decodeWaisDiagnostic,
  WAIS_DIAGNOSTICS,
  createWaisDiagnosticError,
} from "../../../src/wais/apdu/diagnostic.ts";

describe("the client converts diagnostics of a WAIS server to errors", () => {
  it("the client decodes the code of a diagnostic, and its text on one line without control characters", () => {
    expect(decodeWaisDiagnostic(Buffer.from("S1no\r\n\u001b[2J such  thing\u0000"))).toEqual({
      code: "S1",
      text: "no [2J such thing",
    });
    expect(decodeWaisDiagnostic(Buffer.from([0x53, 0x1b, 0xe9, 1]))).toEqual({ code: "S?", text: "é" });
  });

  // The codes are from Z39.50-1988, and their names are in zprot.h of freeWAIS.
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
    ["SB", "unsupported", "InvalidFormatForRecordNumber", "the format of a record number is invalid"],
    ["SC", "unsupported", "TooManyCharactersInSearch", "too many characters"],
    ["SD", "unsupported", "TooManyRecordsRetrieved", "too many records"],
    [
      "SF",
      "not-found",
      "PresentRequestOutOfRange",
      "the document, or the requested range of its bytes, does not exist",
    ],
    ["SG", "unavailable", "SystemErrorInPresentRecords", "a system error occurred in the records"],
    ["SH", "permission-denied", "RecordNotAuthorizedToBeSent", "the server must not send the record"],
    ["SI", "unsupported", "RecordExceedsPrefMessageSize", "the record exceeds the preferred message size"],
    ["SJ", "unsupported", "RecordExceedsMaxRecordSize", "the record exceeds the maximum record size"],
    [
      "SK",
      "unsupported",
      "ResultSetNotSuppAsSearchTerm",
      "the server does not support result sets as search terms",
    ],
    [
      "SL",
      "unsupported",
      "OnlyOneRsltSetAsSrchTermSupp",
      "the server supports only one result set as a search term",
    ],
    ["SM", "unsupported", "OnlyANDingOfASnglRsltSetSupp", "result sets can only be combined with AND"],
    ["SN", "unavailable", "RsltSetExistsNoReplace", "the result set already exists"],
    ["SO", "unsupported", "ResultSetNamingNotSupported", "the server does not support named result sets"],
    ["SP", "unsupported", "CombinationDatabasesNotSupp", "the server cannot search these databases together"],
    ["SQ", "unsupported", "ElementSetNamesNotSupported", "the server does not support named element sets"],
    ["SR", "unsupported", "ElementSetNameNotValid", "the database has no such element set"],
    [
      "SS",
      "unsupported",
      "OnlyASingleElmntSetNameSupp",
      "the server supports only generic element set names",
    ],
    ["ST", "unavailable", "ResultSetDeletedByTarget", "the server has deleted the result set"],
    ["SU", "unavailable", "ResultSetIsInUse", "the result set is in use"],
    ["SV", "unavailable", "DatabasesIsLocked", "a database is locked"],
    ["SW", "unavailable", "TerminatedByNoContinueResp", "the server ended the request by resource control"],
    ["SX", "unavailable", "ResultSetDoesNotExist", "the result set does not exist"],
    [
      "SY",
      "unavailable",
      "ResExNoResultsAvailable",
      "the server ran out of resources, and returns no results",
    ],
    [
      "SZ",
      "unavailable",
      "ResExUnpredictableResults",
      "the server ran out of resources, and the partial results are unpredictable",
    ],
    [
      "T1",
      "unavailable",
      "ResExValidSubsetOfResults",
      "the server ran out of resources, and returns a valid subset of the results",
    ],
    ["T2", "permission-denied", "AccessControlFailure", "access control"],
    [
      "T3",
      "permission-denied",
      "SecurityNotIssuedReqTerm",
      "the server could not issue a security challenge, and ended the request",
    ],
    [
      "T4",
      "permission-denied",
      "SecurityNotBeIssuedRecNotInc",
      "the server could not issue a security challenge, and omitted the record",
    ],
  ] as const;

  it.each(rows)(
    "the client converts the diagnostic code %s to the error code %s: %s",
    (code, accessCode, _name, meaning) => {
      expect(createWaisDiagnosticError({ code, text: "" })).toMatchObject({
        code: accessCode,
        reason: `the server refuses: ${meaning} [${code}]`,
      });
      expect(createWaisDiagnosticError({ code, text: "in its own words" }).reason).toBe(
        `the server refuses: in its own words [${code}]`,
      );
    },
  );

  it("the test rows contain every diagnostic code that the client knows", () => {
    expect(Object.keys(WAIS_DIAGNOSTICS)).toEqual(rows.map(([code]) => code));
  });

  it.each([
    ["S1", "The following database is not available: db/x", "not-found"],
    ["S1", "query syntax error: (x", "unsupported"],
    ["S1", "out of memory", "unavailable"],
    // The pattern matches only at the beginning of the text, because the other words may quote the request.
    ["S1", "out of memory for query syntax error: (x", "unavailable"],
    ["S1", "no room: The following database is not available: db/x", "unavailable"],
    ["S2", "The following database is not available: db/x", "unavailable"],
    ["ZZ", "whatever", "unavailable"],
    ["__", "", "unavailable"],
  ])(
    "the client converts the diagnostic %s with the text %j to the error code %s",
    (code, text, accessCode) => {
      expect(createWaisDiagnosticError({ code, text }).code).toBe(accessCode);
    },
  );
});

it.each([
  ["S1", undefined],
  ["S2", true],
])("the property isTemporary of the error for the diagnostic %s is %s", (code, isTemporary) => {
  expect(createWaisDiagnosticError({ code, text: "" }).isTemporary).toBe(isTemporary);
});
