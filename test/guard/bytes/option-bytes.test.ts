import { describe, expect, it } from "vitest";
import type { UrlComponentInjectionCase } from "./url-injection-cases.ts";
import {
  encodeTemplateAsClientSendsOption,
  CLIENT_OPTIONS_SENT_TO_SERVERS,
  type ClientOptionSentToServer,
} from "./client-options-sent-to-servers.ts";
import { type RequestNetworkObservation, performObservedRequest } from "./perform-observed-request.ts";
import type { RecordingServer } from "../servers/recording-servers.ts";
import {
  insertIntoTemplate,
  TEMPLATE_WITH_PLACEHOLDERS,
  MAX_BYTES_PER_PLACEHOLDER,
  ALL_BYTE_VALUES,
} from "./placeholder-template.ts";
import type { DecodedCommand } from "./command-decoders.ts";

/**
 * Matches a character that encoders or servers treat specially. The test puts each special character alone into an
 * option of the client.
 */
const SPECIAL_CHARACTER_PATTERN = /["'\\:;,=%<>\t \xff]/;

const decodeLatin1 = (codes: readonly number[]): string => String.fromCharCode(...codes);

async function requestWithOption(
  option: ClientOptionSentToServer,
  recorder: RecordingServer,
  text: string,
  allowControlCharacters: boolean,
): Promise<RequestNetworkObservation> {
  const component: UrlComponentInjectionCase = {
    ...option.createRequestSettings(text),
    createUrl: (_, port) => option.createUrl(port),
    decodeReceivedCommands: option.decodeReceivedCommands,
    isRejected: option.isRejected,
  };
  return performObservedRequest(component, recorder, option.createUrl(recorder.port), allowControlCharacters);
}

/** Returns the client's commands before the first command that contains the text of the option. */
function listCommandsBeforeText(
  commands: readonly DecodedCommand[],
  text: string,
): readonly DecodedCommand[] {
  const index = commands.findIndex((command) => command.some((part) => part.includes(text)));
  return commands.slice(0, index);
}

describe.each(Object.entries(CLIENT_OPTIONS_SENT_TO_SERVERS))(
  "the bytes sent for the option %s",
  (_, option) => {
    const {
      isRejected,
      isAllowedByControlCharacterOption = () => false,
      encodeTextAsSent,
      decodeReceivedCommands,
      isRefusedAfterConnect = false,
    } = option;

    it("the client refuses every character of the option up to U+00FF, or sends its encoded form", async () => {
      await using recorder = await option
        .createRequestSettings(TEMPLATE_WITH_PLACEHOLDERS)
        .startRecordingServer();
      const base = decodeReceivedCommands(
        (await requestWithOption(option, recorder, TEMPLATE_WITH_PLACEHOLDERS, false)).receivedBytes,
      );
      const mark = encodeTemplateAsClientSendsOption(option);
      expect(base.flat().join("\n")).toContain(mark);

      const check = async (codes: readonly number[], allowControlCharacters: boolean): Promise<void> => {
        const text = insertIntoTemplate(decodeLatin1(codes));
        const outcome = await requestWithOption(option, recorder, text, allowControlCharacters);
        const at = `${JSON.stringify(text)}${allowControlCharacters ? " allowed" : ""}: ${String(outcome.error)}`;
        const refused = codes.some(
          (code) => isRejected(code) && !(allowControlCharacters && isAllowedByControlCharacterOption(code)),
        );
        expect(outcome.isRefused, at).toBe(refused);
        const received = decodeReceivedCommands(outcome.receivedBytes);
        if (!refused) {
          const expected = base.map((command) =>
            command.map((part) => part.replaceAll(mark, encodeTextAsSent(text))),
          );
          return expect(received, at).toEqual(expected);
        }
        if (isRefusedAfterConnect)
          expect(
            received.filter(([verb]) => verb !== "QUIT"),
            at,
          ).toEqual(listCommandsBeforeText(base, mark));
        else
          expect([outcome.dnsLookupCount, outcome.connectionCount, outcome.receivedBytes], at).toEqual([
            0,
            0,
            "",
          ]);
      };

      for (const code of ALL_BYTE_VALUES.filter(isRejected)) await check([code], false);
      const sendable = ALL_BYTE_VALUES.filter((code) => !isRejected(code));
      for (const code of sendable.filter((each) => SPECIAL_CHARACTER_PATTERN.test(decodeLatin1([each]))))
        await check([code], false);
      for (let from = 0; from < sendable.length; from += MAX_BYTES_PER_PLACEHOLDER)
        await check(sendable.slice(from, from + MAX_BYTES_PER_PLACEHOLDER), false);
      for (const code of ALL_BYTE_VALUES.filter(
        (each) => isRejected(each) && !isAllowedByControlCharacterOption(each),
      ))
        await check([code], true);
      const allowed = ALL_BYTE_VALUES.filter(isAllowedByControlCharacterOption);
      if (allowed.length > 0) await check(allowed, true);
    });

    it("the client never truncates a character of the option above U+00FF to a line end", async () => {
      await using recorder = await option
        .createRequestSettings(TEMPLATE_WITH_PLACEHOLDERS)
        .startRecordingServer();
      for (const code of [0x010a, 0x010d, 0x0100, 0x560d, 0x2028, 0xd83d]) {
        const { receivedBytes: received } = await requestWithOption(
          option,
          recorder,
          insertIntoTemplate(String.fromCharCode(code)),
          true,
        );
        for (const argument of decodeReceivedCommands(received).flat())
          expect(argument).not.toMatch(/[\0\r\n]/);
      }
    });
  },
);
