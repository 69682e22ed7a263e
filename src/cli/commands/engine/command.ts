import { CtxError } from '#base/errors.js';
import { readConfig } from '#cli/config/read-config.js';
import type { OpenSession } from '#context/open.js';
import { checkEngine } from '#engines/check/check.js';
import { activePath } from '#session/tree/tree.js';
import { readSettings } from '../compact/settings.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { positive } from '../flags.js';
import { policyFlags, policyFor } from '../prune/policy.js';
import { openNamed, sessionFileArgument } from '../session.js';
import { windowAt } from '../window.js';
import { engineNamed } from './named.js';
import { engineCheckDoc } from './view.js';

const FLAGS = {
  'time-limit': positive('SECONDS', 'how long each call of an engine of your own may take; 30 if nothing is said'),
  ...policyFlags,
};

const SECONDS = 30;

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'engine',
  summary: 'Check that a context engine keeps the contract',
  description:
    'Drives a context engine over a recorded session, through its whole life, and says what was called in which order, ' +
    'what the engine did, and where it broke the contract. The code of an engine of your own runs in a process of its ' +
    'own, and only when it is named here. Writes nothing.',
  args: [
    { name: 'action', help: 'check' },
    { name: 'engine', help: 'a module in TypeScript or JavaScript, or the name of an engine that is built in' },
    sessionFileArgument,
  ],
  flags: FLAGS,
  examples: ['ctx engine check ./engine.ts session.jsonl --limit 200k', 'ctx engine check turn-prune latest --json'],
  async run(input) {
    const { io, args } = input;
    const [action, engine, session] = args;
    if (action !== 'check' || engine === undefined) {
      const what =
        action === undefined || action === 'check'
          ? 'no engine is named'
          : `unknown action ${JSON.stringify(action)}: ctx engine has only "check"`;
      throw new CtxError('usage', what, { hint: 'write: ctx engine check ENGINE SESSION' });
    }
    const opened = await openNamed(input, session);
    return io.untilInterrupted((signal) => checked(input, engine, { session: opened, signal }));
  },
});

async function checked(
  { io, flags }: Input,
  engine: string,
  { session, signal }: { readonly session: OpenSession; readonly signal: AbortSignal },
): Promise<Outcome> {
  const { policy, window, baseline } = await policyFor(io, flags);
  const config = await readConfig(io, flags);
  const path = activePath(session.tree);
  const settings = await readSettings(io, session, path, {});
  const changedInput = new Set<string>();
  const timeLimit = (flags['time-limit'] ?? SECONDS) * 1000;
  const onChangedInput = (method: string): void => void changedInput.add(method);
  const { make, createPast } = await engineNamed(engine, { io, config, timeLimit, signal, onChangedInput });
  const tokenBudget = windowAt(session, path, window).tokens;
  const options = { path, tokenBudget, settings, policy, baseline, signal, createPast };
  const data = await checkEngine(session, { engine, make, changedInput }, options);
  return {
    kind: 'report',
    report: { data, doc: (view) => engineCheckDoc(data, view) },
    problems: session.problems,
    file: session.file,
    exitCode: data.failure === null && data.breaches.length === 0 ? 0 : 1,
  };
}
