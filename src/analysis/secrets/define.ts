/** The classes of secrets, by detection method and certainty. Each is a rule of `ctx check`. */
export const SECRET_CLASSES = [
  'private-key',
  'credential',
  'url-password',
  'authorization',
  'assigned-secret',
] as const;

export type SecretClass = (typeof SECRET_CLASSES)[number];

/** A secret in a text, in UTF-16 code units. */
export interface Secret {
  readonly secretClass: SecretClass;
  /** Its name for readers: `Stripe live key`. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** The secret itself: the text of the range without escapes, colours and line breaks of a terminal. */
  readonly value: string;
}

export type FoundSecret = Omit<Secret, 'secretClass' | 'value'>;

export interface SecretPattern {
  readonly secretClass: SecretClass;
  readonly kind: string;
  /** See `TextFinder`: every text with a match contains one of these, and so does the JSON of that text. */
  readonly anchors: readonly string[];
  /** Searches a text with an anchor, in linear time. */
  find(text: string): Iterable<FoundSecret>;
}

/** A pattern whose matches are secrets: all of a match or, with the flag `d`, its group `secret`. */
export function definePattern(
  about: Omit<SecretPattern, 'find' | 'secretClass'> & {
    readonly secretClass?: SecretClass;
    readonly pattern: RegExp;
    readonly isSecret?: (secret: string, groups: Readonly<Record<string, string | undefined>>) => boolean;
  },
): SecretPattern {
  const { secretClass = 'credential', kind, anchors, pattern, isSecret = () => true } = about;
  function* find(text: string): Generator<FoundSecret> {
    for (const { index, 0: whole, groups = {}, indices } of text.matchAll(pattern)) {
      const [start, end] = indices?.groups?.secret ?? [index, index + whole.length];
      if (isSecret(text.slice(start, end), groups)) yield { kind, start, end };
    }
  }
  return { secretClass, kind, anchors, find };
}
