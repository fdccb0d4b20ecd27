import { optionKinds as kind, type OptionTable } from "@anyscheme/core/plugin";

/** Options of the scheme prospero, for all calls or for one. */
export interface ProsperoOptions {
  /** What the server is told of who asks; nobody proves it. Default `anonymous`. */
  readonly user?: string | undefined;
  /** What the server is told of the program that asks. Default `anyscheme`. */
  readonly software?: string | undefined;
  /**
   * Which access method of an object is used when it has several: the contents that the Prospero server itself sends, where it
   * offers them, or the first one in the server's order that leads to a URL or to them. Default `"contents-first"`.
   */
  readonly accessMethods?: "contents-first" | "in-order" | undefined;
  /**
   * Whether the directories that a directory is united with are asked for their links as well. They may be on other servers,
   * each of which the guard checks. Default `"list"`: they are listed as links.
   */
  readonly unions?: "list" | "follow" | undefined;
}

export const PROSPERO_OPTIONS: OptionTable<ProsperoOptions> = {
  user: kind.string,
  software: kind.string,
  accessMethods: kind.oneOf("contents-first", "in-order"),
  unions: kind.oneOf("list", "follow"),
};
