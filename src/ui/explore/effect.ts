/** A side effect that a key requests. */
export type Effect =
  /** `say` is printed after the explorer quits. */
  | { readonly kind: 'quit'; readonly say: string | null }
  /** Back to the list of sessions. */
  | { readonly kind: 'back' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'copy'; readonly text: string }
  /** Runs ctx and shows its output on the page. */
  | { readonly kind: 'run'; readonly argv: readonly string[] }
  | { readonly kind: 'stop' }
  | { readonly kind: 'report-mouse'; readonly isOn: boolean }
  /** Runs ctx and shows its output in the user's pager. */
  | { readonly kind: 'pager'; readonly argv: readonly string[] }
  /** `pattern`: null to search for errors. */
  | { readonly kind: 'search'; readonly pattern: string | null; readonly from: number; readonly step: 1 | -1 }
  | { readonly kind: 'stop-search' };

export type SearchEffect = Extract<Effect, { kind: 'search' }>;

/** The reason for leaving the screen: for good, or for a while. */
export type Leave = Extract<Effect, { kind: 'quit' | 'back' | 'suspend' | 'pager' }>;
