/** A token that is known by its shape. */
export interface ShapeRow {
  /** That of the rule of gitleaks. */
  readonly id: string;
  /** Its name for people. */
  readonly kind: string;
  /** The source of a regular expression. */
  readonly pattern: string;
  /** See `TextFinder`. */
  readonly anchors: readonly string[];
  /** How one is made up: classes of characters, each with a count. */
  readonly example: string;
  /** The least bits that each character has. */
  readonly entropy: number;
}

/** A value that is known by the name before it: `ADAFRUIT_KEY=…`. */
export interface NamedRow {
  readonly id: string;
  readonly kind: string;
  /** In small letters. */
  readonly names: readonly string[];
  /** The source of a regular expression. */
  readonly value: string;
  readonly example: string;
  readonly entropy: number;
}
