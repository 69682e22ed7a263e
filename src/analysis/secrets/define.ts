/** The classes of secrets, by detection method and certainty. Each is a rule of `ctx check`. */
export const MEANS = ['private-key', 'credential', 'url-password', 'authorization', 'assigned-secret'] as const;

export type SecretClass = (typeof MEANS)[number];

/** A secret in a text, in UTF-16 code units. */
export interface Secret {
  readonly means: SecretClass;
  /** Its name for readers: `Stripe live key`. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** The secret itself: the text of the range without escapes, colours and line breaks of a terminal. */
  readonly value: string;
}

export type FoundSecret = Omit<Secret, 'means' | 'value'>;

/** A detector of secrets. */
export interface SecretPattern {
  readonly means: SecretClass;
  readonly kind: string;
  /** See `TextFinder`: every text with a match contains one of these, and so does the JSON of that text. */
  readonly anchors: readonly string[];
  /** Loads the data of `find`, if it needs any. */
  prepare?(): Promise<void>;
  /** Searches a text with an anchor, in linear time. */
  find(text: string): Iterable<FoundSecret>;
  /** A text with one secret. It is generated at each call, so that no file contains something like a secret. */
  example(dice: Dice): SecretExample;
  /** Similar texts without a secret. */
  readonly counterexamples: readonly string[];
}

export interface SecretExample {
  readonly text: string;
  readonly secret: string;
}

/** A number of random characters of a class, `A-Za-z0-9`. */
export type Dice = (characters: string, length: number) => string;

/** A pattern whose matches are secrets: all of a match or, with the flag `d`, its group `secret`. */
export function shaped(
  about: Omit<SecretPattern, 'find' | 'means' | 'counterexamples'> & {
    readonly means?: SecretClass;
    readonly pattern: RegExp;
    readonly counterexamples?: readonly string[];
    /** Whether a match is a secret. */
    readonly isSecret?: (secret: string, groups: Readonly<Record<string, string | undefined>>) => boolean;
  },
): SecretPattern {
  const { means = 'credential', counterexamples = [], pattern, kind, isSecret = () => true } = about;
  return { ...about, means, counterexamples, find };

  function* find(text: string): Generator<FoundSecret> {
    for (const { index, 0: whole, groups = {}, indices } of text.matchAll(pattern)) {
      const [start, end] = indices?.groups?.['secret'] ?? [index, index + whole.length];
      if (isSecret(text.slice(start, end), groups)) yield { kind, start, end };
    }
  }
}
