import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/suggestion.js';
import { compactionSettings } from '#change/compact/settings.js';
import { selectWindow } from '#context/size/window.js';
import { isEngineFile, engines as shelf } from '#lab/index.js';
import type { SimulateOptions } from '#lab/simulate/simulate.js';
import { readConfig } from '../../config/read-config.js';
import { findNamedFiles } from '../../sessions/named-files.js';
import { toCacheOptions } from '../cache/command.js';
import { defineCommand } from '../define.js';
import { readHostValues } from '../engine/host-flags.js';
import { readActivePolicy } from '../prune/policy.js';
import { SIMULATE_FLAGS, type SimulateCall } from './flags.js';
import { simulateSessions } from './sessions.js';

export default defineCommand({
  name: 'simulate',
  summary: 'Compare context engines on recorded sessions',
  description:
    'Replays recorded sessions through context engines, request by request. Reports the context size, the tokens that ' +
    'the provider could have read from its cache, the cost at recorded or listed prices, what was compacted and ' +
    'pruned, and what was re-read after it was removed. Changes nothing. Your own engine runs in its own process.',
  args: [
    {
      name: 'sessions',
      help: 'files, folders, patterns, session ids or prefixes of them, "latest" (the default), "all", "all:AGENT", or -',
      isMany: true,
    },
  ],
  flags: SIMULATE_FLAGS,
  formats: [{ name: 'csv', summary: 'a row per request and engine, for spreadsheets' }],
  examples: [
    'ctx simulate latest',
    'ctx simulate session.jsonl --limit 200k --engine pi --engine turn-prune --chart',
    'ctx simulate session.jsonl --limit 200k --engine ./engine.ts --full',
    "ctx simulate 'sessions/**/*.jsonl' --limit 200k --json > simulated.jsonl",
  ],
  async run(input) {
    const { io, args } = input;
    const names = chooseEngines(input);
    const options = await readOptions(input);
    const sessions = args.flatMap((name) => name ?? []);
    const files = await findNamedFiles(io, sessions.length === 0 ? ['latest'] : sessions);
    // Who names engines, or has many sessions, is waiting for them alone.
    const seeksCheaper = input.flags.engine === undefined && files.length === 1;
    return simulateSessions(input, { files, names, options, seeksCheaper, config: await readConfig(io, input.flags) });
  },
});

/** The recorded run first, the others in the order in which they are named. */
function chooseEngines({ flags }: SimulateCall): readonly string[] {
  const named = flags.engine ?? DEFAULT_ENGINES;
  for (const name of named) {
    if (isEngineFile(name) || shelf.some((engine) => engine.name === name)) continue;
    const names = shelf.map((engine) => engine.name);
    const others = `choose one of ${names.join(', ')}, or name a module such as ./engine.ts`;
    throw new CtxError('usage', `there is no engine "${name}"`, { hint: didYouMean(name, names, others) });
  }
  return [...new Set(['recorded', ...named])];
}

const DEFAULT_ENGINES = ['recorded', 'pi', 'turn-prune', 'three-phase', 'none'];

/** Settings files of the user are left alone, so that the same call gives the same everywhere. */
async function readOptions({ io, flags }: SimulateCall): Promise<SimulateOptions> {
  const { policy, window, baseline } = await readActivePolicy(io, flags);
  const { reserveTokens, keepRecentTokens } = compactionSettings([], null);
  // Where the user names no limit, each session has the context window of its own model.
  const budgets = [flags.budget, selectWindow(null, window).tokens].flatMap((tokens) => tokens ?? []);
  return {
    drive: {
      tokenBudget: budgets.length === 0 ? null : Math.min(...budgets),
      settings: {
        enabled: true,
        reserveTokens: flags.reserve ?? reserveTokens,
        keepRecentTokens: flags['keep-recent'] ?? keepRecentTokens,
      },
      policy,
      baseline,
      host: readHostValues(flags),
    },
    cache: toCacheOptions(flags),
    recordedMisses: flags['recorded-misses'] ?? false,
  };
}
