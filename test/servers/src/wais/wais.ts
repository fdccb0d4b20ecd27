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

/** What a small WAIS server offers. */
export interface SmallWaisOptions {
  readonly databases: readonly SmallWaisDatabase[];
  /** The "host:port" that document-ids name. Default: where it listens. */
  readonly serverName?: string | undefined;
  readonly implementation?: Implementation | undefined;
  /** Default: counts words. */
  readonly score?: Score | undefined;
}

/** A conversation with one client, which may lower what a message may hold. */
interface Conversation {
  readonly databases: readonly SmallWaisDatabase[];
  readonly serverName: string;
  readonly implementation: Implementation;
  readonly score: Score;
  maxRecordBytes: number;
}

/** What freeWAIS gives at most. */
const maxRecordBytes = 100_000;
/** "Present" and "delete" among the options of an Init, for which freeWAIS refuses it. */
const refusedOptions = 0x60;
/** "Cannot be answered." */
const nothing = Buffer.alloc(0);

/**
 * Starts a WAIS server that answers as freeWAIS-sf 2.2 does, its faults included: it tells success by status 1, gives a catalogue
 * for a search without hits, an empty body for what it cannot answer, and hangs up where the other one crashes.
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

/** The body of the answer; `undefined` to hang up. */
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
  // The server that this one imitates would ask another one in its turn.
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
    // For help the original looks no further than for the files of the database, and reads a query before it opens the database.
    if (words === "") return searchAnswer(1, [], referenceId);
    const missing = fault
      ? `query syntax error: ${words}`
      : `The following database is not available: ${indexFolder}${name}`;
    return searchAnswer(0, [diagnostic("S1", missing, 0)], referenceId);
  }
  const hits = hitsOf(database, words, fault ? () => 0 : score).slice(0, maxDocuments);
  const faults = fault ? [diagnostic("S1", `query syntax error: ${words}`, 0)] : [];
  const records = hits.map((hit) => headerRecord(hit, serverName, firstVersion));
  // A list that is too long is cut.
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
  // What is told about a database comes as whatever type it is asked for.
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

/** Names the document that follows, or the one before; the one that follows is named with a NUL behind it. */
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
