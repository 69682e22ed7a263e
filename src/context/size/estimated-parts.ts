/** A context as estimated. */
export interface EstimatedParts {
  /** Tokens of the system prompt and the tools. */
  readonly declared: number;
  readonly messages: number;
}

/** A context as estimated, with the number of its messages. */
export interface ReplayedParts extends EstimatedParts {
  readonly count: number;
}
