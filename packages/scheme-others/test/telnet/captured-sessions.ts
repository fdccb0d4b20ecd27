/** A message of a capture: the sender, and the bytes in hexadecimal. */
export type CapturedTelnetMessage = readonly [from: "server" | "client", bytes: string];

/** The sessions between telnetd of GNU inetutils 2.4 and another client, by the names of the captures. */
export const CAPTURED_TELNET_SESSIONS: Readonly<Record<string, readonly CapturedTelnetMessage[]>> = {
  "01-refuse-everything": [
    ["server", "fffb25fffb26fffd18fffd20fffd23fffd27fffd24"],
    ["client", "fffe25fffe26fffc18fffc20fffc23fffc27fffc24"],
    ["server", "fffb03fffd01fffd22fffd1ffffb05fffd21"],
    ["client", "fffe03fffc01fffc22fffc1ffffe05fffc21"],
    ["server", "fffb01fffd06fffd00"],
    ["client", "fffe01fffc06fffc00"],
    ["server", "fffb03fffb01"],
    ["client", "fffe03fffe01"],
    ["server", "68656c6c6f2066726f6d20612074656c6e6574206c6f67696e2070726f6772616d0d0a6e616d653a20"],
    ["client", "616c6963650d0a"],
    ["server", "796f752073616964205b616c6963655d205445524d3d6e6574776f726b0d0a"],
    [
      "server",
      "737065656420333834303020626175643b20726f777320303b20636f6c756d6e7320303b206c696e65203d20303b0d0a",
    ],
  ],
  "02-accept-echo-sga-ttype-naws": [
    ["server", "fffb25fffb26fffd18fffd20fffd23fffd27fffd24"],
    ["client", "fffe25fffe26fffb18fffc20fffc23fffc27fffc24"],
    ["server", "fffa1801fff0"],
    ["client", "fffa180044554d42fff0"],
    ["server", "fffb03fffd01fffd22fffd1ffffb05fffd21"],
    ["client", "fffd03fffc01fffc22fffb1ffffa1f00500018fff0fffe05fffc21"],
    ["server", "fffb01fffd06fffd00"],
    ["client", "fffd01fffc06fffc00"],
    ["server", "68656c6c6f2066726f6d20612074656c6e6574206c6f67696e2070726f6772616d0d0a6e616d653a20"],
    ["client", "616c6963650d0a"],
    ["server", "616c6963650d0a"],
    [
      "server",
      "796f752073616964205b616c6963655d205445524d3d64756d620d0a73706565642033383430302062617564" +
        "3b20726f77732032343b20636f6c756d6e732038303b206c696e65203d20303b0d0a",
    ],
  ],
};
