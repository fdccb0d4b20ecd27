import { TelnetDecoder } from "../../../packages/scheme-others/src/telnet/telnet-decoder.ts";
import { type FuzzedDecoder, assertCondition } from "../decoder-target.ts";

const telnetSamples = [
  "\xff\xfd\x18\xff\xfd\x20\xff\xfb\x01\xff\xfb\x03Debian GNU/Linux 13\r\nlogin: ",
  "\xff\xfa\x18\x00xterm\xff\xf0\r\0a\r\nb\xff\xffc\xff\xf1",
  "\xff\xfa\x1f\x00\x50\xff\xff\x00\x18\xff\xf0\xff\xfa\x27\xff\xfe\x27text",
];

export const fuzzedTelnetDecoders: readonly FuzzedDecoder[] = [false, true].map((binary) => ({
  name: binary ? "Telnet in binary mode" : "Telnet in text mode",
  samples: telnetSamples,
  *decode(chunks, limits) {
    const decoder = new TelnetDecoder(limits);
    decoder.isBinary = binary;
    // The data events of the Telnet decoder between two commands are joined, because the number of data events depends
    // on the chunks.
    let text = "";
    try {
      for (const chunk of chunks) {
        for (const event of decoder.decode(chunk)) {
          if (event.kind === "data") {
            text += Buffer.from(event.bytes).toString("latin1");
            continue;
          }
          if (text !== "") yield text;
          text = "";
          if (event.kind === "subnegotiation") {
            assertCondition(
              event.parameters.length <= limits.maxSubnegotiationBytes,
              "the parameters are too long",
            );
            yield { ...event, parameters: Array.from(event.parameters) };
          } else yield event;
        }
      }
    } finally {
      if (text !== "") yield text;
    }
  },
}));
