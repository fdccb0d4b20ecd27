import { AccessError, type Client, createClient, type Scheme } from "@anyscheme/core";
import { ftp } from "@anyscheme/scheme-ftp";
import { gopher, gophers } from "@anyscheme/scheme-gopher";
import { http, https } from "@anyscheme/scheme-http";
import { file, mailto, news, nntp, nntps, prospero, telnet, wais } from "@anyscheme/scheme-others";
import { syntaxes } from "./syntaxes.ts";

const planning: readonly Scheme[] = [
  ftp(),
  http(),
  https(),
  gopher(),
  gophers(),
  file({ root: "/" }),
  wais(),
  nntp(),
  nntps(),
  news({ servers: ["news.example"] }),
  prospero(),
  telnet(),
  mailto(),
];

/** Schemes of which only the grammar is there. */
const unplanned = syntaxes.flatMap((syntax) =>
  syntax.schemes
    .filter((name) => !planning.some((scheme) => scheme.name === name))
    .map((name): Scheme => ({ name, syntax, plan: refuse, access: refuse })),
);

function refuse(): never {
  throw new AccessError("unsupported", "there is no access");
}

/** A client of all schemes. */
export const client: Client = createClient({ schemes: [...planning, ...unplanned] });
