import type { CompactParams, CompactResult } from '../contract.js';
import { defineEngine, type EngineSetup } from '../define.js';
import { compactionByPi } from './compaction-by-pi.js';

export default defineEngine({
  name: 'pi',
  summary: 'Do as Pi does: let the context grow, and compact it at the threshold',
  help: `Shows everything until less room is left than Pi reserves, or until a request was too long. Then it cuts where Pi
cuts, keeps what Pi keeps, and puts a summary in the place of the rest. The settings are those of Pi's settings files.`,
  create: (setup) => ({
    info: { id: 'pi', name: 'As Pi does', ownsCompaction: false },
    ingest: () => Promise.resolve({ ingested: false }),
    assemble: ({ messages }) => Promise.resolve({ messages, estimatedTokens: setup.count(messages) }),
    compact: (params) => Promise.resolve(compact(setup, params)),
  }),
});

function compact(setup: EngineSetup, params: CompactParams): CompactResult {
  const { force, tokenBudget, currentTokenCount = 0, customInstructions } = params;
  const threshold = tokenBudget === undefined ? 0 : tokenBudget - setup.settings.reserveTokens;
  if (!force && currentTokenCount <= threshold)
    return { ok: true, compacted: false, reason: 'the threshold is not reached' };
  const result = compactionByPi(setup, customInstructions);
  if (result === null) return { ok: true, compacted: false, reason: 'there is nothing to compact' };
  return { ok: true, compacted: true, result };
}
