import * as fc from "fast-check";

const lowercaseLetters = "abcdefghijklmnopqrstuvwxyz";
/** `unreserved` of RFC 1738 §5. */
const unreservedCharacters = `${lowercaseLetters}${lowercaseLetters.toUpperCase()}0123456789$-_.+!*'(),`;
const hexDigitArbitrary = createCharacterArbitrary("0123456789ABCDEFabcdef");
const escapeArbitrary = fc.tuple(hexDigitArbitrary, hexDigitArbitrary).map(([high, low]) => `%${high}${low}`);

/** Generates a component `*[ uchar | … ]` of unreserved characters, escapes, and some reserved characters. */
export function createComponentArbitrary(reserved = "", most = 12): fc.Arbitrary<string> {
  const kinds = [createCharacterArbitrary(unreservedCharacters), escapeArbitrary];
  if (reserved !== "") kinds.push(createCharacterArbitrary(reserved));
  return fc.string({ unit: fc.oneof(...kinds), maxLength: most });
}

/** `group` of RFC 1738 §5. */
export const groupNameArbitrary: fc.Arbitrary<string> = fc
  .tuple(
    createCharacterArbitrary(`${lowercaseLetters}AZ`),
    fc.string({ unit: createCharacterArbitrary("azAZ09-.+_"), maxLength: 9 }),
  )
  .map(([first, rest]) => first + rest);

export const hostArbitrary: fc.Arbitrary<string> = fc.constantFrom(
  "h",
  "host.dom",
  "9.a-b.C0",
  "10.0.0.1",
  "255.0.255.9",
);

/** `hostport` of RFC 1738 §5. */
export const hostportArbitrary: fc.Arbitrary<string> = fc
  .tuple(hostArbitrary, fc.constantFrom("", ":0", ":1525", ":00080", ":65535"))
  .map(([name, port]) => name + port);

/** `login` of RFC 1738 §5. */
export const authorityArbitrary: fc.Arbitrary<string> = fc
  .tuple(
    fc.option(createComponentArbitrary(";?&=")),
    fc.option(createComponentArbitrary(";?&=")),
    hostportArbitrary,
  )
  .map(([user, password, rest]) =>
    user === null ? rest : `${user}${password === null ? "" : `:${password}`}@${rest}`,
  );

/** Generates a decoded component, which may contain any bytes. */
export const bytesArbitrary: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 16 });

function createCharacterArbitrary(characters: string): fc.Arbitrary<string> {
  return fc.constantFrom(...Array.from(characters));
}
