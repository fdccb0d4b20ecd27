import * as fc from "fast-check";

const letters = "abcdefghijklmnopqrstuvwxyz";
/** `unreserved` of RFC 1738 §5. */
const unreserved = `${letters}${letters.toUpperCase()}0123456789$-_.+!*'(),`;
const hex = createCharacterArbitrary("0123456789ABCDEFabcdef");
const escape = fc.tuple(hex, hex).map(([high, low]) => `%${high}${low}`);

/** Generates a component `*[ uchar | … ]` of unreserved characters, escapes, and some reserved characters. */
export function createComponentArbitrary(reserved = "", most = 12): fc.Arbitrary<string> {
  const kinds = [createCharacterArbitrary(unreserved), escape];
  if (reserved !== "") kinds.push(createCharacterArbitrary(reserved));
  return fc.string({ unit: fc.oneof(...kinds), maxLength: most });
}

/** `group` of RFC 1738 §5. */
export const group: fc.Arbitrary<string> = fc
  .tuple(
    createCharacterArbitrary(`${letters}AZ`),
    fc.string({ unit: createCharacterArbitrary("azAZ09-.+_"), maxLength: 9 }),
  )
  .map(([first, rest]) => first + rest);

export const host: fc.Arbitrary<string> = fc.constantFrom(
  "h",
  "host.dom",
  "9.a-b.C0",
  "10.0.0.1",
  "255.0.255.9",
);

/** `hostport` of RFC 1738 §5. */
export const hostport: fc.Arbitrary<string> = fc
  .tuple(host, fc.constantFrom("", ":0", ":1525", ":00080", ":65535"))
  .map(([name, port]) => name + port);

/** `login` of RFC 1738 §5. */
export const login: fc.Arbitrary<string> = fc
  .tuple(fc.option(createComponentArbitrary(";?&=")), fc.option(createComponentArbitrary(";?&=")), hostport)
  .map(([user, password, rest]) =>
    user === null ? rest : `${user}${password === null ? "" : `:${password}`}@${rest}`,
  );

/** Generates a decoded component, which may contain any bytes. */
export const bytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 16 });

function createCharacterArbitrary(characters: string): fc.Arbitrary<string> {
  return fc.constantFrom(...Array.from(characters));
}
