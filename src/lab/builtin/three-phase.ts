import type { ContextEngine } from '../contract.js';
import { defineBuiltinEngine, type EngineSetup } from '../define.js';
import { type Assembly, buildDefaultAssembly } from '../injectors/assembly.js';
import type { Contribution } from '../injectors/compose.js';
import { type MessageOrigin, ThreePhaseAssembler } from './three-phase/assembler.js';
import { answerReadResult } from './three-phase/read-result.js';

export default defineBuiltinEngine({
  name: 'three-phase',
  summary: 'Inject context within budgets, shorten history in steps, keep the prefix stable',
  create: (setup) => createThreePhaseEngine(setup, buildDefaultAssembly()),
});

/** The engine, and the contributors of the request that was assembled last. */
export interface ThreePhaseEngine extends ContextEngine {
  contributions(): readonly Contribution[];
  /** The origin of each message of the request. */
  origins(): readonly MessageOrigin[];
}

export function createThreePhaseEngine(setup: EngineSetup, assembly: Assembly): ThreePhaseEngine {
  let assembler = new ThreePhaseAssembler(setup, assembly);
  const engine: ThreePhaseEngine = {
    info: { id: 'three-phase', name: 'Three-phase assembly', ownsCompaction: true },
    // The engine keeps no messages: it assembles each request from the transcript.
    ingest: () => Promise.resolve({ ingested: false }),
    ingestBatch: () => Promise.resolve({ ingestedCount: 0 }),
    assemble(params) {
      if (!assembler.conversation.isBeginningOf(params.messages)) assembler = new ThreePhaseAssembler(setup, assembly);
      return assembler.assemble(params);
    },
    compact: (params) => assembler.compact(params),
    dispose: () => assembly.close(),
    contributions: () => assembler.contributions(),
    origins: () => assembler.origins(),
  };
  if (!assembly.readResult) return engine;
  return { ...engine, callTool: (params) => Promise.resolve(answerReadResult(setup.transcript(), params)) };
}
