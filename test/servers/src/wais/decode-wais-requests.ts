import {
  findWaisApduElementContent,
  decodeBigEndianInteger,
  decodeWaisApduElements,
  waisApduElementTags,
  type WaisApduElement,
} from "./protocol-elements.ts";

/** A decoded request of a WAIS client. */
export type WaisRequest =
  | { readonly kind: "init"; readonly options: number; readonly maxRecordBytes: number | undefined }
  | WaisSearchRequest
  | WaisRetrievalRequest
  | { readonly kind: "unknown" };

interface CommonWaisRequest {
  readonly database: string;
  readonly referenceId: Buffer | undefined;
}

export interface WaisSearchRequest extends CommonWaisRequest {
  readonly kind: "search";
  readonly words: string;
  readonly maxDocuments: number;
}

export interface WaisRetrievalRequest extends CommonWaisRequest {
  readonly kind: "retrieval";
  readonly documentId: Buffer | undefined;
  /** The requested type of the document. freeWAIS-sf crashes when a request has no type. */
  readonly type: string | undefined;
  readonly unit: "bytes" | "lines";
  readonly start: number;
  readonly end: number;
}

const initApduType = 20;
const searchApduType = 22;
/**
 * The length of the fixed fields of a search request: three numbers of three bytes, and the replace
 * indicator.
 */
const searchFixedBytes = 10;
const defaultDatabaseName = "INFO";

/** Decodes the body of a WAIS request message. */
export function decodeWaisRequest(body: Buffer): WaisRequest {
  const unknown = { kind: "unknown" } as const;
  if (body.length < 3) return unknown;
  const headEnd = 2 + body.readUInt16BE(0);
  const type = body[2];
  if (headEnd > body.length) return unknown;
  if (type === initApduType)
    return decodeInitRequest(decodeWaisApduElements(body.subarray(3, headEnd)) ?? []);
  if (type !== searchApduType || headEnd < 3 + searchFixedBytes) return unknown;
  const head = decodeWaisApduElements(body.subarray(3 + searchFixedBytes, headEnd));
  const information = decodeWaisApduElements(body.subarray(headEnd));
  const [first, ...more] = information ?? [];
  // If the message contains a second APDU, its bytes decode as additional elements.
  if (!head || !first || more.length > 0) return unknown;
  const queryType = findWaisApduElementContent(head, waisApduElementTags.queryType)?.toString("latin1");
  const members = decodeWaisApduElements(first.content) ?? [];
  const names = findWaisApduElementContent(head, waisApduElementTags.databaseNames)
    ?.toString("latin1")
    .split("\u001f");
  const common = {
    database: names?.[0] ?? defaultDatabaseName,
    referenceId: findWaisApduElementContent(head, waisApduElementTags.referenceId),
  };
  if (queryType === "3" && first.tag === waisApduElementTags.userInformation) {
    const words =
      findWaisApduElementContent(members, waisApduElementTags.seedWords)?.toString("latin1") ?? "";
    const maxDocuments =
      decodeBigEndianInteger(findWaisApduElementContent(members, waisApduElementTags.maxDocuments)) ?? 0;
    return { kind: "search", ...common, words, maxDocuments };
  }
  return queryType === "1" && first.tag === waisApduElementTags.query
    ? { kind: "retrieval", ...common, ...decodeQueryTerms(members) }
    : unknown;
}

function decodeInitRequest(head: readonly WaisApduElement[]): WaisRequest {
  const options = findWaisApduElementContent(head, waisApduElementTags.options)?.[0] ?? 0;
  return {
    kind: "init",
    options,
    maxRecordBytes: decodeBigEndianInteger(
      findWaisApduElementContent(head, waisApduElementTags.maximumRecordSize),
    ),
  };
}

type RetrievalQueryTerms = Omit<WaisRetrievalRequest, "kind" | keyof CommonWaisRequest>;

/**
 * Decodes the terms of a WAIS retrieval query by their first two attributes, such as `wb ro`. All operators between the
 * terms of a WAIS retrieval query are "and".
 */
function decodeQueryTerms(members: readonly WaisApduElement[]): RetrievalQueryTerms {
  const terms = new Map<string, Buffer>();
  let attributes = "";
  for (const { tag: name, content } of members) {
    if (name === waisApduElementTags.attributes) attributes = content.toString("latin1", 0, 5);
    else if (name === waisApduElementTags.term) terms.set(attributes, content);
  }
  const number = (name: string): number => Number(terms.get(name)?.toString("latin1") ?? 0);
  const unit = terms.has("wl ro") ? "wl" : "wb";
  return {
    documentId: terms.get("un re"),
    type: terms.get("wt re")?.toString("latin1"),
    unit: unit === "wl" ? "lines" : "bytes",
    start: number(`${unit} ro`),
    end: number(`${unit} rl`),
  };
}
