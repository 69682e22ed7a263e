import rules from './rules.json' with { type: 'json' };

/** A token with a recognisable format. */
export interface ShapeRow {
  /** The id of the rule of gitleaks. */
  readonly id: string;
  /** Its name for readers. */
  readonly kind: string;
  /** The source of a regular expression. */
  readonly pattern: string;
  /** See `TextFinder`. */
  readonly anchors: readonly string[];
  /** The format for generated tokens: classes of characters, each with a count. */
  readonly example: string;
  /** The minimum entropy per character in bits. */
  readonly entropy: number;
}

/** A value that is recognised by the name before it: `ADAFRUIT_KEY=…`. */
export interface NamedRow {
  readonly id: string;
  readonly kind: string;
  /** In lower case. */
  readonly names: readonly string[];
  /** The source of a regular expression. */
  readonly value: string;
  readonly example: string;
  readonly entropy: number;
}

/** The rules of gitleaks in rules.json: tokens by their format, and values by the name of a service before them. */
export const { SHAPES, NAMED }: { readonly SHAPES: readonly ShapeRow[]; readonly NAMED: readonly NamedRow[] } = rules;
