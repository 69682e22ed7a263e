/** The agents whose sessions ctx writes, and the format for trajectories, which no agent opens. */
export const TARGETS = ['pi', 'claude-code', 'codex', 'atif'] as const;

export type Target = (typeof TARGETS)[number];

/** The target that a name, or its first word, means, as for `--agent`. */
export function findTarget(name: string): Target | undefined {
  return TARGETS.find((target) => target === name || target.startsWith(`${name}-`));
}
