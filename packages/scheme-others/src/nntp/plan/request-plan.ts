import type { Step } from "@anyscheme/core";
import { expectStep, sendStep, step } from "@anyscheme/core/plugin";
import { encodeCommand } from "./commands.ts";
import { planConnect } from "./connect-steps.ts";
import { asking, question } from "../question.ts";
import type { NntpUrl } from "../syntax.ts";

/** What is asked of a server: an article, the articles of a group, or the groups. */
export type RequestKind = "article" | "overview" | "groups";

/** The steps of one visit to one server. */
export interface RequestPlan {
  /** Where the server is: its scheme, host and port count. */
  readonly server: NntpUrl;
  readonly asked: RequestKind;
  /** The group that the exchanges select. */
  readonly group: string | undefined;
  /** Up to a server that takes commands; a connection that was kept needs none of them. */
  readonly opening: readonly Step[];
  /** One after the other, each up to the reply that leads to the next one or to the data. */
  readonly exchanges: readonly (readonly Step[])[];
  readonly closing: readonly Step[];
}

/** What an attempt consists of, in the order in which it is performed. */
export function flattenSteps({ opening: first, exchanges, closing }: RequestPlan): Step[] {
  return first.concat(...exchanges, closing);
}

const GROUP = question(
  "RFC 3977 6.1.1",
  ["211"],
  "211, how many articles the group has, and their lowest and highest number",
);
/** The steps that select the group of the attempt before: mostly the articles of one group come one after the other. */
let selected: { readonly group: string; readonly steps: readonly Step[] } | undefined;

function selecting(group: string): readonly Step[] {
  if (selected?.group !== group) selected = { group, steps: asking(GROUP, "GROUP", group) };
  return selected.steps;
}

const ARTICLE = question("RFC 3977 6.2.1", ["220"], "220, the article follows");

/** Asks for an article: by its number in a group, which is selected first, or by its identifier in brackets. RFC 3977 §6.2.1. */
export function planArticle(
  server: NntpUrl,
  by: { readonly group: string; readonly number: string } | { readonly id: string },
  startTls: boolean,
): RequestPlan {
  const byId = "id" in by;
  const ask = asking(ARTICLE, "ARTICLE", byId ? by.id : by.number);
  const exchanges = byId ? [ask] : [selecting(by.group), ask];
  const group = byId ? undefined : by.group;
  return {
    server,
    asked: "article",
    group,
    exchanges,
    opening: planConnect(server, startTls),
    closing: closing.article,
  };
}

/** Every article there is. RFC 3977 §8.3: a range of "an article number followed by a dash". */
const ALL = "1-";

const LISTED = "224, one article a line; 423 or 420, there is none";
const OVER = question("RFC 3977 8.3", ["224", "420", "423", "5"], `${LISTED}; 500, XOVER is tried`);
const OVERVIEW: readonly Step[] = [
  ...asking(OVER, "OVER", ALL),
  sendStep(encodeCommand("XOVER", ALL), "RFC 2980 2.8", `XOVER ${ALL}`, { onReply: "5" }),
  expectStep(["224", "420", "423"], "RFC 2980 2.8", LISTED, "5"),
];
/** The range depends on the numbers of the group. */
const RANGES: readonly Step[] = [
  sendStep(
    undefined,
    "RFC 3977 8.3",
    "OVER of the highest numbers, then of those below, as many as are read",
    {
      onReply: "211",
    },
  ),
  expectStep(["224", "420", "423"], "RFC 3977 8.3", LISTED),
];

/** Asks for the overview of a group: of all its articles, or range by range from the newest one down. RFC 3977 §8.3. */
export function planOverview(
  server: NntpUrl,
  group: string,
  newestFirst: boolean,
  startTls: boolean,
): RequestPlan {
  const exchanges = [selecting(group), newestFirst ? RANGES : OVERVIEW];
  return {
    server,
    asked: "overview",
    group,
    exchanges,
    opening: planConnect(server, startTls),
    closing: closing.overview,
  };
}

const DESCRIPTIONS = question(
  "RFC 3977 7.6.6",
  ["215", "5"],
  "215, descriptions follow up to a line of one dot; a refusal means there are none",
);
const ACTIVE = "215, the groups follow";
const SOME_GROUPS = question("RFC 3977 7.6.3", ["215"], ACTIVE);
const ALL_GROUPS = question(
  "RFC 3977 7.6.3",
  ["215", "5"],
  `${ACTIVE}; old servers refuse and know LIST alone`,
);
const BARE_LIST: readonly Step[] = [
  sendStep(encodeCommand("LIST"), "RFC 977 3.6", "LIST", { onReply: "5" }),
  expectStep(["215"], "RFC 977 3.6", ACTIVE, "5"),
];

/** Asks for the groups whose names fit a pattern, with their descriptions first where the server has any. RFC 3977 §7.6.3, §7.6.6. */
export function planGroupList(server: NntpUrl, wildmat: string | undefined, startTls: boolean): RequestPlan {
  const pattern = wildmat === undefined ? "" : ` ${wildmat}`;
  const active = asking(wildmat === undefined ? ALL_GROUPS : SOME_GROUPS, "LIST", `ACTIVE${pattern}`);
  const exchanges = [
    asking(DESCRIPTIONS, "LIST", `NEWSGROUPS${pattern}`),
    wildmat === undefined ? [...active, ...BARE_LIST] : active,
  ];
  const group = undefined;
  return {
    server,
    asked: "groups",
    group,
    exchanges,
    opening: planConnect(server, startTls),
    closing: closing.groups,
  };
}

const CLOSE = step(
  "close",
  "RFC 3977 5.4",
  "the connection, unless it is kept for the next access to this server",
);

const closing: Readonly<Record<RequestKind, readonly Step[]>> = {
  article: [
    step("transfer", "RFC 3977 3.1.1", "the article up to a line of one dot, doubled dots undone"),
    CLOSE,
  ],
  overview: [step("transfer", "RFC 3977 3.1.1", "one article a line up to a line of one dot"), CLOSE],
  groups: [step("transfer", "RFC 3977 3.1.1", "one group a line up to a line of one dot"), CLOSE],
};
