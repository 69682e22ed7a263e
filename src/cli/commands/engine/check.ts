import { CtxError } from '#base/errors.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import type { OpenSession } from '#context/open.js';
import { findWindow } from '#context/size/window.js';
import { checkEngine } from '#lab/engine-check/check-engine.js';
import { activePath } from '#session/tree/tree.js';
import { readConfig } from '../../config/read-config.js';
import { type CommandInput, defineCommand, type Outcome, toOutcome } from '../define.js';
import { policyFlags, readActivePolicy } from '../prune/policy.js';
import { openNamedSession, sessionFileArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { renderCheck } from './check-view.js';
import { hostFlags, readHostValues } from './host-flags.js';
import { openEngine } from './open-engine.js';
import { loadSubagents } from './subagents.js';

const FLAGS = { ...shared.compactionFlags, ...hostFlags, 'time-limit': shared.timeLimit, ...policyFlags };

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'engine check',
  summary: 'Check that a context engine keeps its contract',
  description:
    'Replays a recorded session through a context engine, from start to shutdown, and reports the calls in order, what the ' +
    'engine did, and where it broke the contract. Your engine runs in its own process, and only when you name it here. ' +
    'Writes nothing.',
  args: [
    { name: 'engine', help: 'a TypeScript or JavaScript module, or the name of a built-in engine' },
    sessionFileArgument,
  ],
  flags: FLAGS,
  examples: [
    'ctx engine check ./engine.ts session.jsonl --limit 200k',
    'ctx engine check ./engine.ts session.jsonl --set sessionKey=agent:main --set ttlMs=60000',
    'ctx engine check turn-prune latest --json',
  ],
  async run(input) {
    const { io, args } = input;
    const [engine, session] = args;
    if (engine === undefined)
      throw new CtxError('usage', 'no engine is named', { hint: 'write: ctx engine check ENGINE SESSION' });
    const opened = await openNamedSession(input, session);
    return io.untilInterrupted((signal) => runCheck(input, engine, { session: opened, signal }));
  },
});

async function runCheck(
  { io, flags }: Input,
  engine: string,
  { session, signal }: { readonly session: OpenSession; readonly signal: AbortSignal },
): Promise<Outcome> {
  const { policy, window, baseline } = await readActivePolicy(io, flags);
  const config = await readConfig(io, flags);
  const path = activePath(session.tree);
  const settings = await readCompactionSettings(io, session, path, flags);
  const changedInput = new Set<string>();
  const timeLimit = shared.toTimeLimit(flags['time-limit']);
  const onChangedInput = (method: string): void => void changedInput.add(method);
  const { make, createPast } = await openEngine(engine, { io, config, timeLimit, signal, onChangedInput });
  const tokenBudget = findWindow(session, path, window).tokens;
  const host = readHostValues(flags);
  const children = loadSubagents(io.files, { session, path, host });
  const options = { path, tokenBudget, settings, policy, baseline, signal, createPast, host, children };
  const data = await checkEngine(session, { engine, make, changedInput }, options);
  const isKept = data.failure === null && data.breaches.length === 0;
  return toOutcome({ data, doc: (view) => renderCheck(data, view) }, session, isKept ? 0 : 1);
}
