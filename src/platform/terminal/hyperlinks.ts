type Environment = Readonly<Record<string, string | undefined>>;

/** Tests whether the terminal has hyperlinks. One of another machine does not have the files. */
export async function hasHyperlinks(env: Environment): Promise<boolean> {
  const isElsewhere = env.SSH_CONNECTION !== undefined || env.SSH_TTY !== undefined;
  if (isElsewhere && !env.FORCE_HYPERLINK) return false;
  const { createSupportsHyperlinks } = await import('supports-hyperlinks');
  return createSupportsHyperlinks({ isTTY: true });
}
