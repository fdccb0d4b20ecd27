import type { Resource } from "../scheme/resource.ts";
import type { Scheme } from "../scheme/scheme.ts";
import type { GenericUrl, Url } from "../syntax/index.ts";

/** The names of the schemes `S`. */
export type NameOf<S> = S extends Scheme<infer U> ? U["scheme"] : never;
type SchemeNamed<S, Name extends string> =
  S extends Scheme<infer U> ? (Name extends U["scheme"] ? S : never) : never;
type UrlOf<S> = S extends Scheme<infer U> ? U : never;
type ResourceOf<S> = S extends Scheme<infer _U, infer R> ? R : never;
type OptionsOf<S> = S extends Scheme<infer _U, infer _R, infer O> ? O : never;

/** The scheme of a URL literal among those of a client; `never` when it is not among them. */
type SchemeFor<S, T> = T extends `${infer Name}:${string}`
  ? SchemeNamed<S, Lowercase<Name>>
  : T extends Url<infer Name>
    ? SchemeNamed<S, Name>
    : never;

/** What a text parses to: known when the text is a literal. */
export type UrlFor<S extends Scheme, T extends string> = string extends T
  ? UrlOf<S> | GenericUrl
  : [SchemeFor<S, T>] extends [never]
    ? GenericUrl
    : UrlOf<SchemeFor<S, T>>;

/** Whether the scheme of an input is not known before the program runs: of any string, and of any `Url`. */
type IsAny<T> = string extends (T extends Url<infer Name> ? Name : T) ? true : false;

/** What a URL or a literal dereferences to; where the scheme is not known, what any of the schemes gives. */
export type ResourceFor<S extends Scheme, T> =
  IsAny<T> extends true
    ? ResourceOf<S>
    : [SchemeFor<S, T>] extends [never]
      ? Resource
      : ResourceOf<SchemeFor<S, T>>;

/** The options of schemes that have any. */
type OwnOptions<S> = S extends Scheme ? ([keyof OptionsOf<S>] extends [never] ? never : OptionsOf<S>) : never;

/** What the scheme of a URL adds to the options of a call; where it is not known, what any of the schemes adds. */
export type OptionsFor<S extends Scheme, T> =
  IsAny<T> extends true ? OrNone<OwnOptions<S>> : OrNone<OwnOptions<SchemeFor<S, T>>>;

/** No options at all are an object without properties. */
type OrNone<O> = [O] extends [never] ? object : O;
