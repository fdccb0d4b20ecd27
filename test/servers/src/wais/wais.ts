import { listenOnLoopback, smallServer, type SmallServer } from "../small/loopback-listener.ts";
import {
  diagnostic,
  documentId,
  headerRecord,
  type Implementation,
  initAnswer,
  searchAnswer,
  textRecord,
} from "./answers.ts";
import {
  contentOf,
  countingScore,
  hitsOf,
  holdingsOf,
  indexFolder,
  isQueryFault,
  readLines,
  type Score,
  type SmallWaisDatabase,
  typesOf,
} from "./library.ts";
import { answerTo, createMessageSplitter, isFirstVersion, type Message } from "./message.ts";
import { readRequest, type RetrievalRequest, type SearchRequest } from "./requests.ts";

/** Options of the small WAIS server. */
export interface SmallWaisOptions {
  readonly databases: readonly SmallWaisDatabase[];
  /** The "host:port" in document-ids. Default: its address. */
  readonly serverName?: string | undefined;
  readonly implementation?: Implementation | undefined;
  /** The relevance of a document. Default: counts words. */
  readonly score?: Score | undefined;
}

/** The state of one client's connection. The client may lower the maximum size of a message. */
interface Conversation {
  readonly databases: readonly SmallWaisDatabase[];
  readonly serverName: string;
  readonly implementation: Implementation;
  readonly score: Score;
  maxRecordBytes: number;
}

/** The maximum size of records in freeWAIS. */
const maxRecordBytes = 100_000;
/** The options "present" and "delete" of an Init, for which freeWAIS rejects it. */
const refusedOptions = 0x60;
/** The empty body of a response to an invalid request. */
const nothing = Buffer.alloc(0);

/**
 * Starts a WAIS server that behaves like freeWAIS-sf 2.2, including its faults. Success is status 1, a search without
 * hits returns a catalogue, and an invalid request gets an empty body. The server disconnects where the original
 * crashes.
 */
export async function startSmallWais({
  databases,
  serverName,
  implementation = { id: "small", name: "a small WAIS server", version: "1" },
  score = countingScore,
}: SmallWaisOptions): Promise<SmallServer> {
  const transcript: string[] = [];
  const listener = await listenOnLoopback((socket) => {
    const conversation: Conversation = {
      databases,
      serverName: serverName ?? `127.0.0.1:${socket.localPort ?? 0}`,
      implementation,
      score,
      maxRecordBytes,
    };
    const messages = createMessageSplitter();
    socket.on("data", (bytes) => {
      for (const message of messages.push(bytes)) {
        if (socket.writableEnded) return;
        const body = respond(message, conversation, transcript);
        if (body === undefined) socket.end();
        else socket.write(answerTo(message, body.length > conversation.maxRecordBytes ? nothing : body));
      }
      if (messages.broken) socket.end();
    });
  });
  return smallServer(listener, transcript);
}

/** Returns the body of the response, or `undefined` to disconnect. */
function respond(message: Message, conversation: Conversation, transcript: string[]): Buffer | undefined {
  const request = readRequest(message.body);
  if (request.kind === "unknown") return nothing;
  if (request.kind === "init") {
    transcript.push("init");
    const wanted = request.maxRecordBytes ?? maxRecordBytes;
    conversation.maxRecordBytes = Math.min(maxRecordBytes, wanted);
    const accepted = (request.options & refusedOptions) === 0;
    return initAnswer(accepted, conversation.maxRecordBytes, conversation.implementation);
  }
  // The original server would forward the request to another one.
  if (request.database.includes("@")) return undefined;
  const database = conversation.databases.find(({ name }) => name === request.database);
  if (request.kind === "search") {
    transcript.push(`search ${request.database} for ${request.words}`);
    return search(request, database, conversation, isFirstVersion(message));
  }
  transcript.push(`fetch ${request.type ?? "nothing"} ${request.unit} ${request.start} to ${request.end}`);
  return retrieve(request, database, conversation);
}

function search(
  { words, database: name, maxDocuments, referenceId }: SearchRequest,
  database: SmallWaisDatabase | undefined,
  { serverName, score, maxRecordBytes: most }: Conversation,
  firstVersion: boolean,
): Buffer {
  const fault = isQueryFault(words);
  if (!database) {
    // The original reads only the files of the database for help, and parses a query before it opens the database.
    if (words === "") return searchAnswer(1, [], referenceId);
    const missing = fault
      ? `query syntax error: ${words}`
      : `The following database is not available: ${indexFolder}${name}`;
    return searchAnswer(0, [diagnostic("S1", missing, 0)], referenceId);
  }
  const hits = hitsOf(database, words, fault ? () => 0 : score).slice(0, maxDocuments);
  const faults = fault ? [diagnostic("S1", `query syntax error: ${words}`, 0)] : [];
  const records = hits.map((hit) => headerRecord(hit, serverName, firstVersion));
  // A list that is too long is truncated.
  while (Buffer.concat(records).length + 100 > most) records.pop();
  return searchAnswer(fault ? 0 : 1, [...records, ...faults], referenceId);
}

function retrieve(
  request: RetrievalRequest,
  database: SmallWaisDatabase | undefined,
  { serverName }: Conversation,
): Buffer | undefined {
  const { documentId: id, type, referenceId } = request;
  if (!database || type === undefined) return undefined;
  const found = holdingsOf(database).find((holding) => id?.equals(documentId(holding, serverName)));
  const neighbour = found && neighbourOf(found.document.localId, database, type);
  // The description of a database is sent with any requested type.
  const content =
    found && contentOf(found.document, found.withServer ? type : (typesOf(found.document)[0] ?? type));
  if (!id || !(content ?? neighbour)) {
    return searchAnswer(0, [diagnostic("SF", "Missing DocID in request", 1)], referenceId);
  }
  if (neighbour) return searchAnswer(0, [textRecord(id, neighbour)], referenceId);
  const { text, beyond } = part(content ?? nothing, request);
  const records = text.length > 0 ? [textRecord(id, text)] : [];
  const faults = beyond ? [diagnostic("SF", "Request out of range", 1)] : [];
  return searchAnswer(0, [...records, ...faults], referenceId);
}

function part(content: Buffer, { unit, start, end }: RetrievalRequest): { text: Buffer; beyond: boolean } {
  if (unit === "bytes") return { text: content.subarray(start, end), beyond: end > content.length };
  return { text: Buffer.from(readLines(content).slice(start, end).join(""), "latin1"), beyond: false };
}

/** Returns the next or the previous document. A NUL follows the id of the next one. */
function neighbourOf(localId: string, { documents }: SmallWaisDatabase, type: string): Buffer | undefined {
  const step = type === "WAIS_NEXT" ? 1 : type === "WAIS_PREV" ? -1 : 0;
  const at = documents.findIndex((document) => document.localId === localId) + step;
  const document = documents[at];
  if (step === 0 || !document) return undefined;
  const [first = ""] = Object.keys(document.contents);
  const length = contentOf(document, first)?.length ?? 0;
  const end = step === 1 ? "\0" : "";
  return Buffer.from(`${document.localId}, "${document.headline}", ${first}, ${length}${end}`, "latin1");
}
