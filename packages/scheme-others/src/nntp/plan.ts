import type { Plan, Step } from "@anyscheme/core";
import {
  createResolveAndConnectSteps,
  createExpectReplyStep,
  createPlan,
  type PlanOptions,
  createSendStep,
  createStep,
  createTlsStep,
} from "@anyscheme/core/plugin";
import { planCommandAndRepeatAfterLogin, encodeNntpCommand } from "./commands.ts";
import type { NntpOptions, NntpRequestOptions } from "./scheme-options.ts";
import type { NntpUrl } from "./syntax.ts";

/** The plan of an NNTP request to one server. */
export interface NntpPlan<U extends NntpUrl = NntpUrl> extends Plan<U> {
  /** The steps of the plan, grouped by purpose. The JSON of a plan omits this field, and contains each step once. */
  readonly request: NntpRequestPlan;
}

/**
 * The steps of a request to a single NNTP server. The client executes the groups of NNTP steps in the order of the
 * fields.
 */
export interface NntpRequestPlan {
  /** `newest-first` lists the articles of a group from the highest number down, and `overview` from the lowest up. */
  readonly kind: "article" | "overview" | "newest-first" | "groups";
  /** The URL of the NNTP server. Its path is ignored. */
  readonly server: NntpUrl;
  /** The newsgroup that the steps `selectGroup` select. */
  readonly group: string | undefined;
  /** The wildmat of the listed groups. Only plans of the kind `groups` for a pattern have a wildmat. */
  readonly wildmat: string | undefined;
  /**
   * The steps that open a connection to an NNTP server. A request on a reused NNTP connection skips the steps that open
   * a connection.
   */
  readonly connect: readonly Step[];
  /** The steps that select the newsgroup, or no steps for a request without a newsgroup. */
  readonly selectGroup: readonly Step[];
  /**
   * The steps that request the descriptions of groups. Only NNTP plans of the kind `groups` request descriptions of
   * groups.
   */
  readonly listDescriptions: readonly Step[];
  /**
   * The steps that request the article or list from the NNTP server. The NNTP server sends the article or list after
   * the reply that the last of these steps expects.
   */
  readonly retrieve: readonly Step[];
  readonly transferAndClose: readonly Step[];
}

/**
 * Plans a request for an article, for the articles of a group, or for the groups of a server (RFC 1738 §3.7). A URL
 * without an article number designates a group, and a URL without a group designates a server. Only modern mode accepts
 * a URL without a group.
 */
export function planNntp<U extends NntpUrl>(
  url: U,
  { order }: PlanOptions & NntpRequestOptions = {},
  options: NntpOptions = {},
): NntpPlan<U> {
  const { group, article } = url;
  const startTls = options.startTls === "require";
  const request =
    group === undefined
      ? planGroupListRetrieval(url, undefined, startTls)
      : article === undefined
        ? planOverviewRetrieval(url, group, order === "newest-first", startTls)
        : planArticleRetrieval(url, { group, number: article }, startTls);
  return createPlan(url, flattenRequestSteps(request), { request });
}

/** Returns all steps of a request in the order of execution. */
export function flattenRequestSteps(request: NntpRequestPlan): Step[] {
  const { connect, selectGroup, listDescriptions, retrieve, transferAndClose } = request;
  return [...connect, ...selectGroup, ...listDescriptions, ...retrieve, ...transferAndClose];
}

/**
 * Plans the retrieval of an article (RFC 3977 §6.2.1). The article has a number in a group, or a message identifier
 * between "<" and ">".
 */
export function planArticleRetrieval(
  server: NntpUrl,
  by: { readonly group: string; readonly number: string } | { readonly id: string },
  startTls: boolean,
): NntpRequestPlan {
  return createNntpRequestPlan("article", server, startTls, {
    group: "id" in by ? undefined : by.group,
    retrieve: planCommandAndRepeatAfterLogin("ARTICLE", "id" in by ? by.id : by.number, {
      rfcSection: "RFC 3977 6.2.1",
      expectedReplyCodes: ["220"],
      replyDescription: "220: the article follows",
    }),
    transfer: "the article, up to a line with a single dot",
  });
}

/**
 * The argument of OVER that selects all article numbers. RFC 3977 §8.3 permits "an article number followed by a dash"
 * as a range.
 */
const ALL_ARTICLES_RANGE = "1-";
const OVERVIEW_REPLY_DESCRIPTION =
  "224: one line for each article follows; 423 or 420: the range has no articles";

/** Plans OVER, and XOVER for a server that does not support OVER. */
function planOverviewCommands(range: string | undefined, laterArgument?: string): Step[] {
  return [
    ...planCommandAndRepeatAfterLogin(
      "OVER",
      range,
      {
        rfcSection: "RFC 3977 8.3",
        expectedReplyCodes: ["224", "420", "423", "5"],
        replyDescription: `${OVERVIEW_REPLY_DESCRIPTION}; 500: the server may support XOVER instead`,
      },
      { laterArgument },
    ),
    ...planCommandAndRepeatAfterLogin(
      "XOVER",
      range,
      {
        rfcSection: "RFC 2980 2.8",
        expectedReplyCodes: ["224", "420", "423"],
        replyDescription: OVERVIEW_REPLY_DESCRIPTION,
      },
      { onReply: "5", laterArgument },
    ),
  ];
}

const OVER_ALL_STEPS: readonly Step[] = planOverviewCommands(ALL_ARTICLES_RANGE);

/**
 * The steps that request ranges of articles, repeated for each range. The bytes of the commands depend on the article
 * numbers in the reply to GROUP.
 */
const OVER_RANGES_STEPS: readonly Step[] = planOverviewCommands(
  undefined,
  "with a range of article numbers, repeated from the highest number down",
);

/**
 * Plans the overview of a group (RFC 3977 §8.3). Requests all articles at once, or range by range from the newest
 * article down.
 */
export function planOverviewRetrieval(
  server: NntpUrl,
  group: string,
  isNewestFirst: boolean,
  startTls: boolean,
): NntpRequestPlan {
  return createNntpRequestPlan(isNewestFirst ? "newest-first" : "overview", server, startTls, {
    group,
    retrieve: isNewestFirst ? OVER_RANGES_STEPS : OVER_ALL_STEPS,
    transfer: "one line for each article, up to a line with a single dot",
  });
}

const LIST_WITHOUT_ARGUMENTS_STEPS: readonly Step[] = planCommandAndRepeatAfterLogin(
  "LIST",
  undefined,
  {
    rfcSection: "RFC 977 3.6",
    expectedReplyCodes: ["215"],
    replyDescription: "215: the list of groups follows",
  },
  { onReply: "5" },
);

/**
 * Plans a request for the descriptions of the groups that match a wildmat, and then for the groups (RFC 3977 §7.6.3,
 * §7.6.6).
 */
export function planGroupListRetrieval(
  server: NntpUrl,
  wildmat: string | undefined,
  startTls: boolean,
): NntpRequestPlan {
  const argument = wildmat === undefined ? "" : ` ${wildmat}`;
  const canFallBack = wildmat === undefined;
  const listActive = planCommandAndRepeatAfterLogin("LIST", `ACTIVE${argument}`, {
    rfcSection: "RFC 3977 7.6.3",
    expectedReplyCodes: canFallBack ? ["215", "5"] : ["215"],
    replyDescription: `215: the list of groups follows${canFallBack ? "; 5xx: an old server accepts only LIST" : ""}`,
  });
  return createNntpRequestPlan("groups", server, startTls, {
    wildmat,
    listDescriptions: planCommandAndRepeatAfterLogin("LIST", `NEWSGROUPS${argument}`, {
      rfcSection: "RFC 3977 7.6.6",
      // RFC 3977 §3.2.1 permits 403 in reply to each command, and the client lists groups without descriptions too.
      expectedReplyCodes: ["215", "403", "5"],
      replyDescription:
        "215: the descriptions of the groups follow; 403 or 5xx: the server sends no descriptions",
    }),
    retrieve: canFallBack ? [...listActive, ...LIST_WITHOUT_ARGUMENTS_STEPS] : listActive,
    transfer: "one line for each group, up to a line with a single dot",
  });
}

function createNntpRequestPlan(
  kind: NntpRequestPlan["kind"],
  server: NntpUrl,
  startTls: boolean,
  steps: Partial<NntpRequestPlan> & { readonly retrieve: readonly Step[]; readonly transfer: string },
): NntpRequestPlan {
  const { group, wildmat, listDescriptions = [], retrieve, transfer } = steps;
  return {
    kind,
    server,
    group,
    wildmat,
    connect: planConnectionSetup(server, startTls),
    selectGroup: group === undefined ? [] : planGroupSelection(group),
    listDescriptions,
    retrieve,
    transferAndClose: [
      createStep("transfer", "RFC 3977 3.1.1", transfer),
      createStep(
        "close",
        "RFC 3977 5.4",
        "the connection, unless the pool keeps the connection for another request",
      ),
    ],
  };
}

function planGroupSelection(group: string): Step[] {
  return planCommandAndRepeatAfterLogin("GROUP", group, {
    rfcSection: "RFC 3977 6.1.1",
    expectedReplyCodes: ["211"],
    replyDescription: "211: the number of articles in the group, and their lowest and highest number",
  });
}

const GREETING_STEP: Step = createExpectReplyStep(
  ["200", "201"],
  "RFC 3977 5.1",
  "200 or 201: the server is ready for commands",
);

const STARTTLS_COMMAND = encodeNntpCommand("STARTTLS");

/**
 * The steps up to the TLS handshake. innd accepts STARTTLS only in reader mode, and otherwise replies 401, which names
 * the capability MODE-READER (RFC 3977 §3.2.1).
 */
const STARTTLS_STEPS: readonly Step[] = [
  createSendStep(STARTTLS_COMMAND, "RFC 4642 2.2", "STARTTLS"),
  createExpectReplyStep(
    ["382", "401"],
    "RFC 4642 2.2",
    "382: the server is ready for the TLS handshake; 401: the server must be switched to reader mode first",
  ),
  ...planModeReader("401", ["200", "201"], "200 or 201: the server permits reading"),
  createSendStep(STARTTLS_COMMAND, "RFC 4642 2.2", "STARTTLS", { onReply: "20" }),
  createExpectReplyStep(["382"], "RFC 4642 2.2", "382: the server is ready for the TLS handshake", "20"),
];

const CAPABILITIES_STEPS: readonly Step[] = [
  createSendStep(encodeNntpCommand("CAPABILITIES"), "RFC 3977 5.2", "CAPABILITIES"),
  createExpectReplyStep(
    ["101", "480", "5"],
    "RFC 3977 5.2",
    "101: the list of capabilities follows; 5xx: an old server does not support the command",
  ),
];

/**
 * The steps that switch a server to reader mode. A server that can switch lists the capability MODE-READER. An old
 * server lists no capabilities, and may reject MODE READER.
 */
const MODE_READER_STEPS: readonly Step[] = [
  ...planModeReader("101 MODE-READER", ["200", "201"], "200 or 201: the server permits reading"),
  ...planModeReader(
    "5",
    ["200", "201", "480", "500", "501"],
    "200 or 201: the server permits reading; 500: the server has only one mode",
  ),
];

function planModeReader(onReply: string, expectReplies: readonly string[], description: string): Step[] {
  return [
    createSendStep(encodeNntpCommand("MODE READER"), "RFC 3977 5.3", "MODE READER", { onReply }),
    createExpectReplyStep(expectReplies, "RFC 3977 5.3", description, onReply),
  ];
}

/**
 * Plans the steps of a new connection, until the server accepts commands. The client sends no command before 200 or 201
 * (RFC 3977 §5.1).
 */
function planConnectionSetup(server: NntpUrl, startTls: boolean): Step[] {
  const commands = [...CAPABILITIES_STEPS, ...MODE_READER_STEPS];
  if (server.scheme === "nntps")
    return [
      ...createResolveAndConnectSteps(server),
      createTlsStep(server, "RFC 8143 2"),
      GREETING_STEP,
      ...commands,
    ];
  const upgrade = startTls ? [...STARTTLS_STEPS, createTlsStep(server, "RFC 4642 2.2")] : [];
  return [...createResolveAndConnectSteps(server), GREETING_STEP, ...upgrade, ...commands];
}
