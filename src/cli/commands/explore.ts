import { CtxError } from '#base/errors.js';
import { visibleLine } from '#base/visible.js';
import { locateSession } from '../locate.js';
import { hasColours } from '../print.js';
import { defineCommand } from './define.js';
import { sessionFileArgument } from './session.js';
import * as shared from './shared-flags.js';
import { windowOptions } from './window.js';

export default defineCommand({
  name: 'explore',
  summary: 'Browse a session full-screen (TUI)',
  description:
    'Shows the tree of a session, the context at the selected entry, and how the context grew. Follows the session ' +
    'while it grows. Needs a terminal; ? lists the keys. Writes only a plan that you confirm.',
  args: [sessionFileArgument],
  flags: { limit: shared.limit },
  isScreen: true,
  examples: ['ctx explore', 'ctx explore session.jsonl', 'ctx explore latest --limit 200k'],
  async run({ io, args, flags, configuredLimit, colour = 'auto', theme }) {
    const file = locateSession(io, args[0] ?? 'latest');
    if (file === '-')
      throw new CtxError('usage', 'standard input cannot be explored', {
        hint: 'name a file: keys are read from there',
      });
    const terminal = io.env['TERM'] === 'dumb' ? null : await io.terminal();
    if (!terminal)
      throw new CtxError('usage', 'explore needs a terminal', {
        hint: 'ctx tree and ctx show print the same',
      });
    const isPlain = !hasColours(io, io.stdout, colour);
    const { explore } = await import('#ui/explore/run.js');
    const window = windowOptions({ limit: flags.limit, configuredLimit, baseline: undefined });
    const said = await io.untilInterrupted((signal) => explore(io, terminal, { file, isPlain, theme, window }, signal));
    const bytes = said === null ? [] : [new TextEncoder().encode(`${visibleLine(said)}\n`)];
    return { kind: 'bytes', bytes, problems: [] };
  },
});
