import { find, numberIn, readElements, tag, type Element } from "./elements.ts";

/** The request of a client. */
export type Request =
  | { readonly kind: "init"; readonly options: number; readonly maxRecordBytes: number | undefined }
  | SearchRequest
  | RetrievalRequest
  | { readonly kind: "unknown" };

interface CommonRequest {
  readonly database: string;
  readonly referenceId: Buffer | undefined;
}

export interface SearchRequest extends CommonRequest {
  readonly kind: "search";
  readonly words: string;
  readonly maxDocuments: number;
}

export interface RetrievalRequest extends CommonRequest {
  readonly kind: "retrieval";
  readonly documentId: Buffer | undefined;
  /** The original server crashes without a type. */
  readonly type: string | undefined;
  readonly unit: "bytes" | "lines";
  readonly start: number;
  readonly end: number;
}

const init = 20;
const search = 22;
/** The size of three bounds of three bytes each, and the replace indicator. */
const searchFixedBytes = 10;
const defaultDatabase = "INFO";

/** Parses the body of a message. */
export function readRequest(body: Buffer): Request {
  const unknown = { kind: "unknown" } as const;
  if (body.length < 3) return unknown;
  const headEnd = 2 + body.readUInt16BE(0);
  const type = body[2];
  if (headEnd > body.length) return unknown;
  if (type === init) return readInit(readElements(body.subarray(3, headEnd)) ?? []);
  if (type !== search || headEnd < 3 + searchFixedBytes) return unknown;
  const head = readElements(body.subarray(3 + searchFixedBytes, headEnd));
  const information = readElements(body.subarray(headEnd));
  const [first, ...more] = information ?? [];
  // A second APDU in the same message decodes as further elements.
  if (!head || !first || more.length > 0) return unknown;
  const queryType = find(head, tag.queryType)?.toString("latin1");
  const members = readElements(first.content) ?? [];
  const names = find(head, tag.databaseNames)?.toString("latin1").split("\u001f");
  const common = { database: names?.[0] ?? defaultDatabase, referenceId: find(head, tag.referenceId) };
  if (queryType === "3" && first.tag === tag.userInformation) {
    const words = find(members, tag.seedWords)?.toString("latin1") ?? "";
    const maxDocuments = numberIn(find(members, tag.maxDocuments)) ?? 0;
    return { kind: "search", ...common, words, maxDocuments };
  }
  return queryType === "1" && first.tag === tag.query
    ? { kind: "retrieval", ...common, ...readTerms(members) }
    : unknown;
}

function readInit(head: readonly Element[]): Request {
  const options = find(head, tag.options)?.[0] ?? 0;
  return { kind: "init", options, maxRecordBytes: numberIn(find(head, tag.maximumRecordSize)) };
}

type Terms = Omit<RetrievalRequest, "kind" | keyof CommonRequest>;

/** Returns the terms by their first two attributes, as in `wb ro`. The operators between them are all "and". */
function readTerms(members: readonly Element[]): Terms {
  const terms = new Map<string, Buffer>();
  let attributes = "";
  for (const { tag: name, content } of members) {
    if (name === tag.attributes) attributes = content.toString("latin1", 0, 5);
    else if (name === tag.term) terms.set(attributes, content);
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
