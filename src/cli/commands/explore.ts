import { CtxError } from '#base/errors.js';
import { toVisibleLine } from '#base/visible.js';
import { addModelList } from '#cli/window.js';
import { formatModel } from '#context/models/model-name.js';
import type { Io } from '#platform/io.js';
import type { Terminal } from '#platform/terminal/terminal.js';
import type { ExploreOptions } from '#ui/explore/explore.js';
import type { PickedSession, PickerSession } from '#ui/explore/picker-state.js';
import { locateSession } from '../locate.js';
import { hasColours } from '../output/colours.js';
import { formatFolder, shortenPath } from '../sessions/folders.js';
import { createHandles } from '../sessions/handles.js';
import { type CommandInput, defineCommand } from './define.js';
import { revisionArgument, sessionFileArgument } from './session.js';
import * as shared from './shared-flags.js';

const FLAGS = { limit: shared.limit };

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'explore',
  summary: 'Browse sessions full-screen (TUI)',
  description:
    'Shows the tree of a session, the context at the selected entry, and how the context grew. Follows the session ' +
    'while it grows. Without a session, lists those of all agents to choose from. Needs a terminal; in a session, ? lists the keys. ' +
    'Writes only a plan that you confirm.',
  args: [
    { ...sessionFileArgument, help: 'the session, or latest (default: choose from a list)' },
    { ...revisionArgument, help: 'the entry to select at first (default: HEAD); see ctx help revisions' },
  ],
  flags: FLAGS,
  hasOneForm: true,
  examples: [
    'ctx explore',
    'ctx explore session.jsonl',
    'ctx explore latest @{compaction}',
    'ctx explore latest --limit 200k',
  ],
  async run(input) {
    const { io, args } = input;
    const file = args[0] === undefined ? null : await locateSession(io, args[0]);
    const hint = 'name a file: keys are read from there';
    if (file === '-') throw new CtxError('usage', 'standard input cannot be explored', { hint });
    const terminal = io.env.TERM === 'dumb' ? null : await io.terminal();
    if (!terminal)
      throw new CtxError('usage', 'explore needs a terminal', { hint: 'ctx tree and ctx show print the same' });
    const options = { ...toExploreOptions(input), names: await loadNames(io) };
    const farewell = await io.untilInterrupted(async (signal) => {
      if (file === null) return exploreChosen(io, terminal, options, signal);
      const { explore } = await import('#ui/explore/explore.js');
      const parting = await explore(io, terminal, { ...options, file, revision: args[1] }, signal);
      return parting.kind === 'quit' ? parting.say : null;
    });
    const bytes = farewell === null ? [] : [new TextEncoder().encode(`${toVisibleLine(farewell)}\n`)];
    return { kind: 'bytes', bytes, problems: [] };
  },
});

async function loadNames(io: Io): Promise<NonNullable<ExploreOptions['names']>> {
  const findHandle = await createHandles(io);
  return { findHandle, shortenPath: (file) => shortenPath(file, io) };
}

type Options = Omit<ExploreOptions, 'file' | 'revision'>;

function toExploreOptions({ io, flags, configuredLimit, colour = 'auto', theme }: Input): Options {
  const window = addModelList({ limit: flags.limit, configuredLimit, baseline: undefined });
  return { isPlain: !hasColours(io, io.stdout, colour), theme, window };
}

/** Explores one session of the list after another, until the user quits. */
async function exploreChosen(
  io: Io,
  terminal: Terminal,
  options: Options,
  signal: AbortSignal,
): Promise<string | null> {
  const { pickSession } = await import('#ui/explore/pick-session.js');
  const { explore } = await import('#ui/explore/explore.js');
  let notice: string | null = null;
  let before: PickedSession | null = null;
  for (;;) {
    const list = { ...options, files: io.files, sessions: listPickerSessions(io), notice, before };
    before = await pickSession(terminal, list, signal);
    const { file } = before;
    if (file === null) return null;
    notice = null;
    try {
      const parting = await explore(io, terminal, { ...options, file, isFromList: true }, signal);
      if (parting.kind === 'quit') return parting.say;
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      notice = error.message;
    }
  }
}

/** The sessions of all agents as they are read, newest first. Files that are none are left out. */
async function* listPickerSessions(io: Io): AsyncGenerator<readonly PickerSession[]> {
  const { findAgentSessions } = await import('#cli/sessions/agent-sessions.js');
  const { summarizeSessions } = await import('#cli/sessions/summarize-sessions.js');
  const { sessions } = await findAgentSessions(io, 'all');
  const newest = sessions.toSorted((a, b) => b.at - a.at);
  const filter = { model: undefined, most: undefined, isQuiet: true };
  for await (const batch of summarizeSessions(io, newest, filter)) {
    yield batch.flatMap(({ file: { file, size, at }, result }) => {
      if (!result.ok) return [];
      const { name, title, cwd, agent = 'pi', model, ...summary } = result.output;
      const project = formatFolder(io, cwd);
      const labels = { title: name ?? title, project, agent, model: model ? formatModel(model) : '' };
      return [{ ...summary, ...labels, file, age: io.now() - at, bytes: size }];
    });
  }
}
