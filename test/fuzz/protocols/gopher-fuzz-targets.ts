import type { ClientLimits } from "@anyscheme/core";
import type { SocketReader } from "@anyscheme/core/io";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { gopherSyntax } from "@anyscheme/scheme-gopher";
import {
  type ResponsePrefixParser,
  readResponsePrefix,
} from "../../../packages/scheme-gopher/src/response/response-body.ts";
import { createDotTerminatedSource } from "../../../packages/scheme-gopher/src/response/dot-terminated.ts";
import {
  type GopherEntry,
  createGopherMenuContext,
} from "../../../packages/scheme-gopher/src/menu/menu-entry.ts";
import { detectGopherError } from "../../../packages/scheme-gopher/src/response/error-message.ts";
import { parseMenuStream, MenuParser } from "../../../packages/scheme-gopher/src/menu/menu.ts";
import {
  readGopherAttributes,
  readAttributesOfAllItems,
} from "../../../packages/scheme-gopher/src/gopher-plus/read-attributes.ts";
import { parseGopherPlusErrorInPlainResponse } from "../../../packages/scheme-gopher/src/gopher-plus/reply.ts";
import { parseGopherPlusHeader } from "../../../packages/scheme-gopher/src/gopher-plus/reply.ts";
import { createReaderFromChunks, readAllAsLatin1 } from "../reader-from-chunks.ts";
import { type FuzzedDecoder, assertCondition } from "../decoder-target.ts";

const menuSamples = [
  "0A text\t/a b.txt\th.example\t70\r\n1Menu\t1/dir\th.example\t7070\t+\r\n7Find\t7/find\th.example\t70\t+\r\n.\r\n",
  "iwords\tfake\t(NULL)\t0\r\n8Log in\ta@b:c/d\tt.example\t23\r\nhWeb\tURL:http://w.example/?a=b\th.example\t70\r\n",
  "+Mirror\t/sel\th.example\t70\n0caf\xe9\t/\xe9\t2001:db8::1\t 70 \nTLog in\tguest\tt.example\t65535\n2Phones\t\tph.example\t105",
  "hMail\tURL:mailto:a@b.example\t\t\r\n0Bad host\t/m\tuser@evil.example\t70\r\n9Data\t/x%y\rz\th_x.example.\t70\r\n",
];

const attributeSamples = [
  "+INFO: 0Main File\t0/main\th.example\t70\t+\r\n+ADMIN:\r\n Admin: A B <a@b.example>\r\n Mod-Date: now <19930728120000>\r\n+VIEWS:\r\n Text/plain: <10k>\r\n Text/html En_US: <.3k>\r\n+ABSTRACT:\r\n words\r\n more\r\n",
  "+INFO: 1Dir\t1/dir\th.example\t70\t+\r\n+ASK:\r\n Ask: Your name?\tJoe\r\n AskP: Password?\r\n Choose: Colour?\tred\tgreen\r\n Select: Sure?\t1\r\n Note: hm\r\n ChooseF: File?\r\n.\r\n",
  "+-1\r\n+INFO 7Find\t/f\th.example\t70\t?\r\n+ABSTRACT: 0Elsewhere\t/e\tx.example\t7070\r\n\r\n+ODD\r\nno blank\r\n",
];

const gopherPlusReplySamples = [
  "+-1\r\ntext\r\n.\r\n",
  "+12\r\ntwelve bytes!",
  "+-2\r\ntext",
  "--1\r\n1 Admin <a@b.example>\r\nIt is gone.\r\n.\r\n",
  "-1 gone\r\nwords",
  "3 '/x' does not exist!\terror\terror.host\t1\r\n.\r\n",
  "Error: File or directory not found!\r\n___________\r\n      Gophered by Gophernicus/3.1.1\r\n",
];

const gopherMenuServer = createGopherMenuContext(gopherSyntax.parse("gopher://h.example/1/dir"), undefined);

const fallbackSyntax = createGenericSyntax();

/** Returns a menu entry as JSON, and checks that its URL can be parsed. */
function formatMenuEntry(entry: GopherEntry): unknown {
  const href = entry.url?.href;
  assertCondition(
    href === undefined || fallbackSyntax.canParse(href),
    `${JSON.stringify(href)} is not a URL`,
  );
  assertCondition(
    href === undefined || !/[\0-\x20\x7f]/.test(href),
    `${JSON.stringify(href)} has control characters`,
  );
  return JSON.parse(JSON.stringify(entry));
}

function createResponsePrefixDecoder(
  name: string,
  parsePrefix: ResponsePrefixParser<unknown>,
): FuzzedDecoder {
  return {
    name,
    samples: gopherPlusReplySamples,
    async *decode(chunks) {
      const reader = createReaderFromChunks(chunks);
      yield await readResponsePrefix(reader as SocketReader, parsePrefix);
      yield await readAllAsLatin1(reader);
    },
  };
}

function createGopherTextDecoder(end: "close" | "dot", removeDoubledDots: boolean): FuzzedDecoder {
  return {
    name: `a Gopher text that ends at the ${end}${removeDoubledDots ? ", with doubled dots" : ""}`,
    samples: ["a\r\n..b\r\n.\r\n", "..\r\n.c\r\n.\nmore\r\n.\r\n", ".\r\n", "a\r\n.", "a\n...\n.\r\nb"],
    async *decode(chunks) {
      const text = createDotTerminatedSource(createReaderFromChunks(chunks), {
        textEndsAt: end,
        removeDoubledDots,
      });
      yield await readAllAsLatin1(text);
      yield text.completeness;
    },
  };
}

async function* decodeGopherItems(chunks: readonly Uint8Array[], limits: ClientLimits): AsyncGenerator {
  for await (const entry of readAttributesOfAllItems(
    createReaderFromChunks(chunks),
    gopherMenuServer,
    limits,
  ))
    yield [formatMenuEntry(entry), entry.attributes?.admin, entry.attributes?.ask, entry.attributes?.views()];
}

export const fuzzedGopherDecoders: readonly FuzzedDecoder[] = [
  {
    name: "Gopher menus",
    samples: menuSamples,
    async *decode(chunks, limits) {
      const reader = new MenuParser(gopherMenuServer, limits.maxGopherLineBytes);
      for await (const entry of parseMenuStream(createReaderFromChunks(chunks), reader, limits))
        yield formatMenuEntry(entry);
    },
  },
  createGopherTextDecoder("close", false),
  createGopherTextDecoder("close", true),
  createGopherTextDecoder("dot", false),
  createResponsePrefixDecoder("the header of a Gopher+ reply", parseGopherPlusHeader),
  createResponsePrefixDecoder("an error message of a Gopher server", detectGopherError),
  createResponsePrefixDecoder("a Gopher+ error in the reply for a menu", (bytes, ended) =>
    parseGopherPlusErrorInPlainResponse(bytes, ended, "menu"),
  ),
  createResponsePrefixDecoder("a Gopher+ error in the reply for a text", (bytes, ended) =>
    parseGopherPlusErrorInPlainResponse(bytes, ended, "text"),
  ),
  { name: "the attribute blocks of Gopher+ items", samples: attributeSamples, decode: decodeGopherItems },
  {
    name: "the attribute blocks of one Gopher+ item",
    samples: attributeSamples,
    async *decode(chunks, limits) {
      const url = gopherSyntax.parse("gopher://h.example/00/main%09%09!");
      const item = await readGopherAttributes(createReaderFromChunks(chunks), url, gopherMenuServer, limits);
      yield [
        item.toJSON(),
        item.admin,
        item.abstract,
        item.ask,
        item.views(),
        item.view({ accept: "text/*" }),
      ];
    },
  },
];
