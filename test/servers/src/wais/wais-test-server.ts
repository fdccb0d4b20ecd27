import {
  listenOnLoopback,
  wrapListenerAsTestServer,
  type TestServer,
} from "../test-servers/loopback-listener.ts";
import {
  encodeDiagnostic,
  encodeDocumentId,
  encodeHeaderRecord,
  type WaisImplementationInfo,
  encodeInitResponse,
  encodeSearchResponse,
  encodeTextRecord,
} from "./encode-wais-responses.ts";
import {
  findWaisContentByType,
  scoreByWordCount,
  searchDatabase,
  listRetrievableDatabaseDocuments,
  waisDatabaseNamePrefix,
  isInvalidWaisQuery,
  splitKeepingLineEnds,
  type DocumentScorer,
  type TestWaisDatabase,
  listTypesOfWaisDocument,
} from "./search-database.ts";
import {
  encodeResponseMessage,
  createWaisMessageSplitter,
  isWaisVersion1Message,
  type WaisMessage,
} from "./wais-message-splitter.ts";
import {
  decodeWaisRequest,
  type WaisRetrievalRequest,
  type WaisSearchRequest,
} from "./decode-wais-requests.ts";

/** Options of the WAIS test server. */
export interface WaisTestServerOptions {
  readonly databases: readonly TestWaisDatabase[];
  /** The "host:port" of the server in WAIS document-ids. Default: the address and the port of the server. */
  readonly serverName?: string | undefined;
  readonly implementation?: WaisImplementationInfo | undefined;
  /**
   * The function that computes the relevance of a document for a WAIS search. The default relevance is 100 for each
   * occurrence of a searched word, at most 1000.
   */
  readonly scoreDocument?: DocumentScorer | undefined;
}

/**
 * The state of one client's connection to a WAIS test server. A WAIS client may lower the maximum size of the records
 * that it receives.
 */
interface WaisConnectionState {
  readonly databases: readonly TestWaisDatabase[];
  readonly serverName: string;
  readonly implementation: WaisImplementationInfo;
  readonly scoreDocument: DocumentScorer;
  maxRecordBytes: number;
}

/** The maximum size of all records in a response of freeWAIS, in bytes. */
const maxRecordBytes = 100_000;
/** The bits of the options "present" and "delete". freeWAIS rejects an Init request with these options. */
const refusedOptions = 0x60;
/** The empty body of a response to an invalid WAIS request. */
const emptyResponseBody = Buffer.alloc(0);

/**
 * Starts a WAIS server that behaves like freeWAIS-sf 2.2, including its faults. The status of a successful
 * search is 1, a search without results returns a catalogue, and the response to an invalid request is empty.
 * The test server closes the connection for requests that crash freeWAIS-sf.
 */
export async function startWaisTestServer({
  databases,
  serverName,
  implementation = { id: "test", name: "a WAIS test server", version: "1" },
  scoreDocument = scoreByWordCount,
}: WaisTestServerOptions): Promise<TestServer> {
  const receivedLines: string[] = [];
  const listener = await listenOnLoopback((socket) => {
    const connection: WaisConnectionState = {
      databases,
      serverName: serverName ?? `127.0.0.1:${socket.localPort ?? 0}`,
      implementation,
      scoreDocument,
      maxRecordBytes,
    };
    const messages = createWaisMessageSplitter();
    socket.on("data", (bytes) => {
      for (const message of messages.addBytes(bytes)) {
        if (socket.writableEnded) return;
        const body = respondToMessage(message, connection, receivedLines);
        if (body === undefined) socket.end();
        else
          socket.write(
            encodeResponseMessage(
              message,
              body.length > connection.maxRecordBytes ? emptyResponseBody : body,
            ),
          );
      }
      if (messages.foundInvalidMessage) socket.end();
    });
  });
  return wrapListenerAsTestServer(listener, receivedLines);
}

/** Returns the body of the response to a WAIS message, or `undefined` to disconnect. */
function respondToMessage(
  message: WaisMessage,
  connection: WaisConnectionState,
  receivedLines: string[],
): Buffer | undefined {
  const request = decodeWaisRequest(message.body);
  if (request.kind === "unknown") return emptyResponseBody;
  if (request.kind === "init") {
    receivedLines.push("init");
    const wanted = request.maxRecordBytes ?? maxRecordBytes;
    connection.maxRecordBytes = Math.min(maxRecordBytes, wanted);
    const accepted = (request.options & refusedOptions) === 0;
    return encodeInitResponse(accepted, connection.maxRecordBytes, connection.implementation);
  }
  // freeWAIS-sf would forward a request for a database with "@" in its name to a different server.
  if (request.database.includes("@")) return undefined;
  const database = connection.databases.find(({ name }) => name === request.database);
  if (request.kind === "search") {
    receivedLines.push(`search ${request.database} for ${request.words}`);
    return respondToSearch(request, database, connection, isWaisVersion1Message(message));
  }
  receivedLines.push(`fetch ${request.type ?? "nothing"} ${request.unit} ${request.start} to ${request.end}`);
  return respondToRetrieval(request, database, connection);
}

function respondToSearch(
  { words, database: name, maxDocuments, referenceId }: WaisSearchRequest,
  database: TestWaisDatabase | undefined,
  { serverName, scoreDocument, maxRecordBytes: most }: WaisConnectionState,
  firstVersion: boolean,
): Buffer {
  const fault = isInvalidWaisQuery(words);
  if (!database) {
    // freeWAIS-sf replies to a search without words for a missing database, and parses a query before it opens
    // the database.
    if (words === "") return encodeSearchResponse(1, [], referenceId);
    const missing = fault
      ? `query syntax error: ${words}`
      : `The following database is not available: ${waisDatabaseNamePrefix}${name}`;
    return encodeSearchResponse(0, [encodeDiagnostic("S1", missing, 0)], referenceId);
  }
  const hits = searchDatabase(database, words, fault ? () => 0 : scoreDocument).slice(0, maxDocuments);
  const faults = fault ? [encodeDiagnostic("S1", `query syntax error: ${words}`, 0)] : [];
  const records = hits.map((hit) => encodeHeaderRecord(hit, serverName, firstVersion));
  // The server truncates a list of results that is longer than the maximum size of records.
  while (Buffer.concat(records).length + 100 > most) records.pop();
  return encodeSearchResponse(fault ? 0 : 1, [...records, ...faults], referenceId);
}

function respondToRetrieval(
  request: WaisRetrievalRequest,
  database: TestWaisDatabase | undefined,
  { serverName }: WaisConnectionState,
): Buffer | undefined {
  const { documentId: id, type, referenceId } = request;
  if (!database || type === undefined) return undefined;
  const found = listRetrievableDatabaseDocuments(database).find((holding) =>
    id?.equals(encodeDocumentId(holding, serverName)),
  );
  const neighbour = found && describeNeighbourDocument(found.document.localId, database, type);
  // The server sends the description or the catalogue of a database regardless of the requested type.
  const content =
    found &&
    findWaisContentByType(
      found.document,
      found.documentIdNamesServer ? type : (listTypesOfWaisDocument(found.document)[0] ?? type),
    );
  if (!id || !(content ?? neighbour)) {
    return encodeSearchResponse(0, [encodeDiagnostic("SF", "Missing DocID in request", 1)], referenceId);
  }
  if (neighbour) return encodeSearchResponse(0, [encodeTextRecord(id, neighbour)], referenceId);
  const { text, beyond } = selectRequestedRange(content ?? emptyResponseBody, request);
  const records = text.length > 0 ? [encodeTextRecord(id, text)] : [];
  const faults = beyond ? [encodeDiagnostic("SF", "Request out of range", 1)] : [];
  return encodeSearchResponse(0, [...records, ...faults], referenceId);
}

function selectRequestedRange(
  content: Buffer,
  { unit, start, end }: WaisRetrievalRequest,
): { text: Buffer; beyond: boolean } {
  if (unit === "bytes") return { text: content.subarray(start, end), beyond: end > content.length };
  return {
    text: Buffer.from(splitKeepingLineEnds(content).slice(start, end).join(""), "latin1"),
    beyond: false,
  };
}

/**
 * Returns the description of the document before or after a document in a WAIS database. The description of the next
 * WAIS document ends with a NUL.
 */
function describeNeighbourDocument(
  localId: string,
  { documents }: TestWaisDatabase,
  type: string,
): Buffer | undefined {
  const step = type === "WAIS_NEXT" ? 1 : type === "WAIS_PREV" ? -1 : 0;
  const at = documents.findIndex((document) => document.localId === localId) + step;
  const document = documents[at];
  if (step === 0 || !document) return undefined;
  const [first = ""] = Object.keys(document.contents);
  const length = findWaisContentByType(document, first)?.length ?? 0;
  const end = step === 1 ? "\0" : "";
  return Buffer.from(`${document.localId}, "${document.headline}", ${first}, ${length}${end}`, "latin1");
}
