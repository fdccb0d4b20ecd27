import { createClient, publicInternet, anyAddress } from "@anyscheme/core";
import { extractUrls } from "@anyscheme/core/extract";
import { createGenericSyntax } from "@anyscheme/core/syntax";
import { describeScheme } from "@anyscheme/core/testing";
import { registerClientInTsyringe, registerSchemeInTsyringe } from "@anyscheme/core/tsyringe";
import { createDefaultClientContainer } from "@anyscheme/gateway/default-client";
import { ftp, ftpSyntax } from "@anyscheme/scheme-ftp";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http, https, httpSyntax } from "@anyscheme/scheme-http";
import { file, mailto, news, nntp, nntps, prospero, telnet, wais } from "@anyscheme/scheme-others";
import { describe, expect, it } from "vitest";

// Option values of any type, as a JavaScript program may pass them.
/* eslint-disable @typescript-eslint/no-explicit-any */
type OptionsOfAnyType = any;

const SECRET_OPTION_VALUE = "n33dle-pa55word";
const schemes = [http(), https(), ftp(), gopher(), file(), mailto(), telnet()] as const;
const client = createClient({ schemes }) as OptionsOfAnyType;
const url = "http://h.example/";

type RejectedCall = readonly [message: string, call: () => unknown];

/** Returns test cases that call a function with wrong options, each with the expected message. */
function listRejectedCalls(
  call: (options: OptionsOfAnyType) => unknown,
  messages: readonly (readonly [unknown, string])[],
): RejectedCall[] {
  return messages.map(([options, message]) => [message, () => call(options)]);
}

/** Returns the options of `createClient` with a scheme object that has wrong fields, each with the expected message. */
function listRejectedSchemeFields(
  messages: readonly (readonly [fields: object, message: string])[],
): (readonly [unknown, string])[] {
  return messages.map(([fields, message]) => [{ schemes: [{ ...ftp(), ...fields }] }, message]);
}

const EXPECTED_POLICY_TEXT = "a policy, such as the return value of publicInternet()";
const EXPECTED_SCHEMES_TEXT = "an array of schemes, as [http(), ftp()]";

const REJECTED_CALLS: readonly RejectedCall[] = [
  ...listRejectedCalls(createClient as OptionsOfAnyType, [
    [undefined, 'createClient: the argument "options" has to be an object, and not undefined'],
    [null, 'createClient: the argument "options" has to be an object, and not null'],
    [[http()], 'createClient: the argument "options" has to be an object, and not an array'],
    [{}, `createClient: the option "schemes" has to be ${EXPECTED_SCHEMES_TEXT}, and not undefined`],
    [
      { schemes: http() },
      `createClient: the option "schemes" has to be ${EXPECTED_SCHEMES_TEXT}, and not an object; put it in an array`,
    ],
    [
      { schemes: [ftp(), http] },
      'createClient: the option "schemes[1]" has to be a scheme, such as the return value of http(), and not a function; call it: http()',
    ],
    ...listRejectedSchemeFields([
      [{ requestOption: {} }, 'the scheme ftp has no option "requestOption": did you mean "requestOptions"?'],
      [
        { portRange: "any" },
        'the scheme ftp: the option "portRange" has to be "default" or "unprivileged", and not "any"',
      ],
      [
        { operations: { puts: {} } },
        'the scheme ftp: the option "operations" has no option "puts": did you mean "put"?',
      ],
      [
        { operations: { put: () => 0 } },
        'the scheme ftp: the option "operations.put" has to be an operation: { plan, perform }, and not a function; call it: put()',
      ],
      [
        { supportedOptions: ["rnage"] },
        'the scheme ftp: the option "supportedOptions[0]" has to be "range", "resume", "method" or "cache", and not "rnage"',
      ],
      [
        { requestOptions: { a: 1 } },
        'the scheme ftp: the option "requestOptions.a" has to be an option kind, such as booleanOptionKind or createEnumOptionKind(), and not 1',
      ],
      [
        { additionalProtocolPorts: { ftps: 0 } },
        'the scheme ftp: the option "additionalProtocolPorts.ftps" has to be a whole number from 1 to 65535, and not 0',
      ],
      [
        { redirectSchemes: "ftp" },
        'the scheme ftp: the option "redirectSchemes" has to be an array of scheme names, as ["http", "https"], and not a string; put it in an array',
      ],
      [
        { limits: { maxRedirects: 3 } },
        "the scheme ftp declares the limit maxRedirects with the default 3, and core declares it with the default 5: begin the name of a limit with the name of its scheme, as in ftpMaxRedirects",
      ],
    ]),
    [{ schemes, polcy: anyAddress() }, 'createClient has no option "polcy": did you mean "policy"?'],
    [
      { schemes, policy: publicInternet },
      `createClient: the option "policy" has to be ${EXPECTED_POLICY_TEXT}, and not a function; call it: publicInternet()`,
    ],
    [
      { schemes, policy: {} },
      `createClient: the option "policy" has to be ${EXPECTED_POLICY_TEXT}, and not an object`,
    ],
    [
      { schemes, mode: "Strict" },
      'createClient: the option "mode" has to be "modern" or "rfc1738", and not "Strict"',
    ],
    [
      { schemes, limits: { maxRedirect: 1 } },
      'createClient: the option "limits" has no option "maxRedirect": did you mean "maxRedirects"?',
    ],
    [
      { schemes, limits: 5 },
      'createClient: the option "limits" has to be an object of limits, such as { maxRedirects: 2 }, and not 5',
    ],
    [
      { schemes, maxRedirects: 5 },
      'createClient has no option "maxRedirects": write limits: { maxRedirects }',
    ],
    [
      { schemes, timeout: 5 },
      'createClient has no option "timeout": write limits: { callTimeoutMs }, or signal: AbortSignal.timeout(ms)',
    ],
    [
      { schemes, credentials: SECRET_OPTION_VALUE },
      'createClient: the option "credentials" has to be a function that returns a login, as ({ host }) => host === "api.example" ? { user, password } : undefined, and not a string',
    ],
    [
      { schemes, password: SECRET_OPTION_VALUE },
      'createClient has no option "password": write credentials: ({ host }) => host === "api.example" ? { user, password } : undefined',
    ],
    [{ schemes, email: 5 }, 'createClient: the option "email" has to be a string, and not 5'],
    [
      { schemes, gateways: { wais: { urlTemplate: "http://g/{url}", when: "never" } } },
      'createClient: the option "gateways.wais.when" has to be "always", "unavailable" or "unregistered", and not "never"',
    ],
    [
      { schemes, resolver: {} },
      'createClient: the option "resolver" has to be a function that returns addresses, as async (host) => ["192.0.2.1"], and not an object',
    ],
    [
      { schemes, nothingLikeIt: 1 },
      'createClient has no option "nothingLikeIt": the options are "schemes", "policy", "credentials", "resolver", "gateways", "proxy", "cache", "cookies", "limits", "connectionAttemptDelayMs", "linkLocalZone", "retry", "email", "mode", "trace"',
    ],
  ]),
  ...listRejectedCalls(publicInternet as OptionsOfAnyType, [
    [
      { allowPorts: { http: 3000 } },
      'publicInternet: the option "allowPorts.http" has to be an array of ports from 1 to 65535, and not 3000; put it in an array',
    ],
    [
      { allowPorts: { http: [0] } },
      'publicInternet: the option "allowPorts.http[0]" has to be a whole number from 1 to 65535, and not 0',
    ],
    [
      { allowPorts: [3000] },
      'publicInternet: the option "allowPorts" has to be an object with ports by scheme, such as { http: [3000] }, and not an array',
    ],
    [{ strictPort: true }, 'publicInternet has no option "strictPort": did you mean "strictPorts"?'],
    [
      { strictPorts: "yes" },
      'publicInternet: the option "strictPorts" has to be true or false, and not a string',
    ],
    [
      { allowAddresses: "10.0.0.0/8" },
      'publicInternet: the option "allowAddresses" has to be an array of address blocks, such as "10.1.0.0/16", and not a string; put it in an array',
    ],
    [
      { allowAddresses: [{ cird: "10.0.0.0/8" }] },
      'publicInternet: the option "allowAddresses[0]" has no option "cird": did you mean "cidr"?',
    ],
    [
      { redirectPolicy: anyAddress() },
      'publicInternet has no option "redirectPolicy": the options are "allowPorts", "confirmPort", "strictPorts", "allowAddresses", "allowNames", "allowProxyResolution", "allowSchemeRedirects"',
    ],
    ["strict", 'publicInternet: the argument "options" has to be an object, and not a string'],
  ]),
  ...listRejectedCalls(anyAddress as OptionsOfAnyType, [
    [
      { redirectPolicy: publicInternet },
      `anyAddress: the option "redirectPolicy" has to be ${EXPECTED_POLICY_TEXT}, and not a function; call it: publicInternet()`,
    ],
    [
      { allowSchemeRedirects: "http→ftp" },
      'anyAddress: the option "allowSchemeRedirects" has to be an object with target schemes by scheme, such as { http: ["ftp"] }, and not a string',
    ],
  ]),
  ...listRejectedCalls(ftp as OptionsOfAnyType, [
    [
      { cwdStrategy: "fast" },
      'ftp: the option "cwdStrategy" has to be "multicwd", "singlecwd", "absolute" or "adaptive", and not "fast"',
    ],
    [
      { idleTimeoutMs: -1 },
      'ftp: the option "idleTimeoutMs" has to be a number from 0 to 2147483647, or Infinity, and not -1',
    ],
    [
      { tls: true },
      'ftp: the option "tls" has to be "explicit", "implicit" or "opportunistic", and not true',
    ],
    [{ asciiNewline: "lf" }, 'ftp has no option "asciiNewline": did you mean "asciiNewlines"?'],
  ]),
  ...listRejectedCalls(http as OptionsOfAnyType, [
    [{ useragent: "x" }, 'http has no option "useragent": did you mean "userAgent"?'],
    [{ ca: "x" }, 'http has no option "ca": the options are "userAgent", "keepAliveTimeoutMs"'],
  ]),
  ...listRejectedCalls(https as OptionsOfAnyType, [
    [
      { ca: 5 },
      'https: the option "ca" has to be certificates in PEM, as a string or an array of strings, and not 5',
    ],
    [
      { passphrase: [SECRET_OPTION_VALUE] },
      'https: the option "passphrase" has to be a string, and not an array',
    ],
  ]),
  ...listRejectedCalls(gopher as OptionsOfAnyType, [
    [
      { charset: "koi9" },
      'gopher: the option "charset" has to be the name of a charset that TextDecoder accepts, as "koi8-r", and not "koi9"',
    ],
  ]),
  ...listRejectedCalls(gophers as OptionsOfAnyType, [
    [{ CA: "x" }, 'gophers has no option "CA": did you mean "ca"?'],
  ]),
  ...listRejectedCalls(file as OptionsOfAnyType, [
    [{ root: 5 }, 'file: the option "root" has to be a string, and not 5'],
  ]),
  ...listRejectedCalls(mailto as OptionsOfAnyType, [
    [{ to: "x" }, 'mailto has no option "to": it has no options'],
  ]),
  ...listRejectedCalls(news as OptionsOfAnyType, [
    [
      { servers: "news.example" },
      'news: the option "servers" has to be an array of servers, as ["news.example"], and not a string; put it in an array',
    ],
    [
      { servers: [{ host: "h", port: "119" }] },
      'news: the option "servers[0].port" has to be a whole number from 1 to 65535, and not a string',
    ],
    [{ server: ["h"] }, 'news has no option "server": did you mean "servers"?'],
  ]),
  ...listRejectedCalls(nntp as OptionsOfAnyType, [
    [{ startTls: true }, 'nntp: the option "startTls" has to be "require" or "never", and not true'],
  ]),
  ...listRejectedCalls(nntps as OptionsOfAnyType, [
    [{ startTls: "require" }, 'nntps has no option "startTls": the options are "ca"'],
  ]),
  ...listRejectedCalls(prospero as OptionsOfAnyType, [
    [{ unions: "merge" }, 'prospero: the option "unions" has to be "list" or "follow", and not "merge"'],
  ]),
  ...listRejectedCalls(telnet as OptionsOfAnyType, [
    [
      { acceptTelnetOptions: ["ecko"] },
      'telnet: the option "acceptTelnetOptions[0]" has to be "binary", "echo" or "suppress-go-ahead", and not "ecko"',
    ],
  ]),
  ...listRejectedCalls(wais as OptionsOfAnyType, [
    [
      { maxDocuments: 1.5 },
      'wais: the option "maxDocuments" has to be a whole number from 1 to 4294967295, and not 1.5',
    ],
  ]),
  ...listRejectedCalls(
    (options) => client.plan(url, options),
    [
      [{ header: "x" }, 'plan has no option "header": did you mean "headers"?'],
      [
        { operation: "remove" },
        'plan: the option "operation" has to be "stat", "put", "delete", "mkdir" or "rename", and not "remove"',
      ],
      [null, 'plan: the argument "options" has to be an object, and not null'],
    ],
  ),
  ...listRejectedCalls(
    (options) => client.parse(url, options),
    [
      [{ mode: "lenient" }, 'parse: the option "mode" has to be "modern" or "rfc1738", and not "lenient"'],
      [{ maxlength: 5 }, 'parse has no option "maxlength": did you mean "maxLength"?'],
    ],
  ),
  ...listRejectedCalls(
    (options) => client.tryParse(url, options),
    [[{ mode: true }, 'parse: the option "mode" has to be "modern" or "rfc1738", and not true']],
  ),
  ...listRejectedCalls(
    (options) => httpSyntax.parse(url, options),
    [
      [{ strict: true }, 'parse has no option "strict": the options are "mode", "maxLength"'],
      [{ maxLength: "5" }, 'parse: the option "maxLength" has to be a number above 0, and not a string'],
    ],
  ),
  ...listRejectedCalls(
    (options) => httpSyntax.canParse(url, options),
    [[{ strict: true }, 'parse has no option "strict": the options are "mode", "maxLength"']],
  ),
  ['parse: the argument "text" has to be a string, and not 5', () => httpSyntax.parse(5 as OptionsOfAnyType)],
  ['parse: the argument "text" has to be a string, and not undefined', () => client.parse()],
  [
    'resolve: the argument "reference" has to be a string, and not 5',
    () => client.resolve(client.parse(url), 5),
  ],
  [
    'equal: the argument "level" has to be "identical", "equivalent" or "same-plan", and not "same"',
    () => client.equal(url, url, "same"),
  ],
  ...listRejectedCalls(createGenericSyntax as OptionsOfAnyType, [
    [{ scheme: ["x"] }, 'createGenericSyntax has no option "scheme": did you mean "schemes"?'],
    [
      { schemes: "x" },
      'createGenericSyntax: the option "schemes" has to be an array of names of schemes, as ["x-any"], and not a string; put it in an array',
    ],
    [
      { hierarchy: "path" },
      'createGenericSyntax: the option "hierarchy" has to be true or false, and not a string',
    ],
  ]),
  ...listRejectedCalls(
    (options) => extractUrls("text", options),
    [
      [undefined, 'extractUrls: the argument "options" has to be an object, and not undefined'],
      [
        {},
        'extractUrls: the option "syntaxes" has to be an array of syntaxes, as [httpSyntax, ftpSyntax], and not undefined',
      ],
      [
        { syntaxes: [ftpSyntax], bareUrl: true },
        'extractUrls has no option "bareUrl": did you mean "bareUrls"?',
      ],
      [
        { syntaxes: [http()] },
        'extractUrls: the option "syntaxes[0]" has to be a syntax or a client, and not an object',
      ],
    ],
  ),
  ...listRejectedCalls(
    (scheme) => registerSchemeInTsyringe({ register: () => 0, resolve: () => 0 } as OptionsOfAnyType, scheme),
    [
      [
        http,
        'registerSchemeInTsyringe: the argument "scheme" has to be a scheme, such as the return value of http(), and not a function; call it: http()',
      ],
    ],
  ),
  ...listRejectedCalls(registerClientInTsyringe as OptionsOfAnyType, [
    [
      undefined,
      'registerClientInTsyringe: the argument "container" has to be a container of tsyringe, and not undefined',
    ],
  ]),
  ...listRejectedCalls(createDefaultClientContainer as OptionsOfAnyType, [
    [
      { newsServer: "h" },
      'createDefaultClientContainer has no option "newsServer": did you mean "newsServers"?',
    ],
  ]),
  ...listRejectedCalls(
    (example) =>
      describeScheme({ describe: () => 0, it: Object.assign(() => 0, { skip: () => 0 }) }, "x", example),
    [
      [
        { scheme: http, valid: [], invalid: [] },
        'describeScheme: the option "serve" has to be a function, and not undefined',
      ],
      [
        { scheme: http, valid: [], invald: [] },
        'describeScheme has no option "invald": did you mean "invalid"?',
      ],
    ],
  ),
];

describe("a wrong option is refused with a message that says what to write", () => {
  it.each(REJECTED_CALLS)("a call throws the TypeError %s", (message, call) => {
    expect(call).toThrow(new TypeError(message));
  });
});
