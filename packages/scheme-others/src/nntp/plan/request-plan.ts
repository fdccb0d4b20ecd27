import type { Step } from "@anyscheme/core";
import { expectStep, sendStep, step } from "@anyscheme/core/plugin";
import type { NntpUrl } from "../syntax.ts";
import { commandWithLogin, encodeCommand } from "./commands.ts";
import { planConnect } from "./connect-steps.ts";

/**
 * The kind of a request. `overview` lists the articles of a group, `newest-first` lists them from the highest
 * number down, and `groups` lists the groups.
 */
export type RequestKind = "article" | "overview" | "newest-first" | "groups";

/** The steps of a request to a single server. The fields are in the order of execution. */
export interface RequestPlan {
  readonly kind: RequestKind;
  /** The URL of the server. The path of the URL is ignored. */
  readonly server: NntpUrl;
  /** The group that `selectGroup` selects. */
  readonly group: string | undefined;
  /** The steps of a new connection, skipped on a reused connection. */
  readonly connect: readonly Step[];
  /** The steps that select the group. Empty for a request without a group. */
  readonly selectGroup: readonly Step[];
  /** The steps that request the descriptions of groups. Empty unless the groups are listed. */
  readonly listDescriptions: readonly Step[];
  /** The steps that request the data. The data follows the last reply. */
  readonly retrieve: readonly Step[];
  readonly finish: readonly Step[];
}

/** Returns all steps of a request in their order. */
export function flattenSteps(request: RequestPlan): Step[] {
  const { connect, selectGroup, listDescriptions, retrieve, finish } = request;
  return [...connect, ...selectGroup, ...listDescriptions, ...retrieve, ...finish];
}

function planGroup(group: string): Step[] {
  return commandWithLogin("GROUP", group, {
    spec: "RFC 3977 6.1.1",
    expectReplies: ["211"],
    description: "211, how many articles the group has, and their lowest and highest number",
  });
}

/**
 * Plans the retrieval of an article (RFC 3977 §6.2.1). The argument is a number in a group, or an identifier
 * between "<" and ">".
 */
export function planArticle(
  server: NntpUrl,
  by: { readonly group: string; readonly number: string } | { readonly id: string },
  startTls: boolean,
): RequestPlan {
  const group = "id" in by ? undefined : by.group;
  return {
    kind: "article",
    server,
    group,
    connect: planConnect(server, startTls),
    selectGroup: group === undefined ? [] : planGroup(group),
    listDescriptions: [],
    retrieve: commandWithLogin("ARTICLE", "id" in by ? by.id : by.number, {
      spec: "RFC 3977 6.2.1",
      expectReplies: ["220"],
      description: "220, the article follows",
    }),
    finish: finish("the article up to a line of one dot, doubled dots undone"),
  };
}

/** The range of all articles. RFC 3977 §8.3: "an article number followed by a dash". */
const ALL_ARTICLES = "1-";
const OVERVIEW_REPLIES = "224, one article a line; 423 or 420, there is none";

const OVER_ALL: readonly Step[] = [
  ...commandWithLogin("OVER", ALL_ARTICLES, {
    spec: "RFC 3977 8.3",
    expectReplies: ["224", "420", "423", "5"],
    description: `${OVERVIEW_REPLIES}; 500, XOVER is tried`,
  }),
  sendStep(encodeCommand("XOVER", ALL_ARTICLES), "RFC 2980 2.8", `XOVER ${ALL_ARTICLES}`, { onReply: "5" }),
  expectStep(["224", "420", "423"], "RFC 2980 2.8", OVERVIEW_REPLIES, "5"),
];

/** The steps that request ranges of articles. The bytes of these steps depend on the numbers in the reply to GROUP. */
const OVER_RANGES: readonly Step[] = [
  sendStep(
    undefined,
    "RFC 3977 8.3",
    "OVER of the highest numbers, then of those below, as many as are read",
    { onReply: "211" },
  ),
  expectStep(["224", "420", "423"], "RFC 3977 8.3", OVERVIEW_REPLIES),
];

/**
 * Plans the overview of a group (RFC 3977 §8.3). Requests all articles at once, or range by range from the newest
 * article down.
 */
export function planOverview(
  server: NntpUrl,
  group: string,
  isNewestFirst: boolean,
  startTls: boolean,
): RequestPlan {
  return {
    kind: isNewestFirst ? "newest-first" : "overview",
    server,
    group,
    connect: planConnect(server, startTls),
    selectGroup: planGroup(group),
    listDescriptions: [],
    retrieve: isNewestFirst ? OVER_RANGES : OVER_ALL,
    finish: finish("one article a line up to a line of one dot"),
  };
}

const BARE_LIST: readonly Step[] = [
  sendStep(encodeCommand("LIST"), "RFC 977 3.6", "LIST", { onReply: "5" }),
  expectStep(["215"], "RFC 977 3.6", "215, the groups follow", "5"),
];

/** Plans the list of the groups that match a wildmat, after their descriptions (RFC 3977 §7.6.3, §7.6.6). */
export function planGroupList(server: NntpUrl, wildmat: string | undefined, startTls: boolean): RequestPlan {
  const argument = wildmat === undefined ? "" : ` ${wildmat}`;
  const listActive =
    wildmat === undefined
      ? [
          ...commandWithLogin("LIST", "ACTIVE", {
            spec: "RFC 3977 7.6.3",
            expectReplies: ["215", "5"],
            description: "215, the groups follow; old servers refuse and know LIST alone",
          }),
          ...BARE_LIST,
        ]
      : commandWithLogin("LIST", `ACTIVE${argument}`, {
          spec: "RFC 3977 7.6.3",
          expectReplies: ["215"],
          description: "215, the groups follow",
        });
  return {
    kind: "groups",
    server,
    group: undefined,
    connect: planConnect(server, startTls),
    selectGroup: [],
    listDescriptions: commandWithLogin("LIST", `NEWSGROUPS${argument}`, {
      spec: "RFC 3977 7.6.6",
      expectReplies: ["215", "5"],
      description: "215, descriptions follow up to a line of one dot; a refusal means there are none",
    }),
    retrieve: listActive,
    finish: finish("one group a line up to a line of one dot"),
  };
}

function finish(transfer: string): Step[] {
  return [
    step("transfer", "RFC 3977 3.1.1", transfer),
    step("close", "RFC 3977 5.4", "the connection, unless it is kept for the next request to this server"),
  ];
}
