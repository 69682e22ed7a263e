/** The agents whose sessions ctx writes. */
export const TARGETS = ['pi', 'claude-code', 'codex'] as const;

export type Target = (typeof TARGETS)[number];
