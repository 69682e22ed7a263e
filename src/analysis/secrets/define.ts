/** The classes of secrets, by how they are found and how sure that is. Each is a rule of `ctx check`. */
export const MEANS = ['private-key', 'credential', 'url-password', 'authorization', 'assigned-secret'] as const;

export type SecretClass = (typeof MEANS)[number];

/** A secret in a text, in UTF-16 code units. */
export interface Secret {
  readonly means: SecretClass;
  /** Its name for people: `Stripe live key`. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** The secret itself: what that stretch reads as, without escapes, colours and line breaks of a terminal. */
  readonly value: string;
}

export type FoundSecret = Omit<Secret, 'means' | 'value'>;

/** One way to tell secrets from other text. */
export interface SecretPattern {
  readonly means: SecretClass;
  readonly kind: string;
  /** See `TextFinder`: one of these is in every text that holds a match, and in the JSON of that text. */
  readonly anchors: readonly string[];
  /** Loads what `find` needs, if that is anything. */
  prepare?(): Promise<void>;
  /** Looks at a text that holds an anchor, in time that grows with its length and no faster. */
  find(text: string): Iterable<FoundSecret>;
  /** A text with one secret. It is made up anew at each call, so that no file holds what looks like one. */
  example(dice: Dice): SecretExample;
  /** Texts that look much like it, without a secret. */
  readonly counterexamples: readonly string[];
}

export interface SecretExample {
  readonly text: string;
  readonly secret: string;
}

/** So many characters of a class, `A-Za-z0-9`, drawn at random. */
export type Dice = (characters: string, length: number) => string;

/** A pattern whose matches are secrets: all of a match or, with the flag `d`, its group `secret`. */
export function shaped(
  about: Omit<SecretPattern, 'find' | 'means' | 'counterexamples'> & {
    readonly means?: SecretClass;
    readonly pattern: RegExp;
    readonly counterexamples?: readonly string[];
    /** Says of a match whether it really is one. */
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
