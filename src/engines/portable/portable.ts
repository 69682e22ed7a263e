import type { SystemPart } from '#context/replay/content.js';
import type { AssembleResult, CompactResult, ContextEngine, ContextEngineRuntimeContext } from '../contract.js';
import type { EngineDefinition, WholeAssembleResult } from '../define.js';
import { newestTime } from './told-messages.js';
import { type PortableOptions, ToldSetup } from './told-setup.js';

interface Told {
  readonly sessionFile: string;
  readonly runtimeContext?: ContextEngineRuntimeContext;
}

/**
 * A built-in engine as a plain context engine. It uses the parameters of the contract and the session file, and returns
 * the fields of the contract. A prompt of its own becomes `systemPromptAddition`; the tools stay those of the host.
 */
export function portable({ create, name }: EngineDefinition, options: PortableOptions = {}): ContextEngine {
  const told = new ToldSetup(options);
  const setup = told.asSetup();
  const engine = create(setup);
  const { maintain, afterTurn, ingestBatch } = engine;
  const hear = async ({ sessionFile, runtimeContext }: Told): Promise<void> => {
    await told.read(sessionFile);
    const { transcript } = runtimeContext ?? {};
    if (transcript) told.messages.learn(transcript);
    else told.learnFromFile();
  };
  return {
    info: engine.info,
    async bootstrap({ sessionFile }) {
      await hear({ sessionFile });
      return { bootstrapped: true, importedMessages: told.imported() };
    },
    ingest: (params) => engine.ingest(params),
    ...(ingestBatch ? { ingestBatch: ingestBatch.bind(engine) } : {}),
    async assemble(params) {
      told.tokenBudget = params.tokenBudget ?? told.tokenBudget;
      if (READS_FILE.has(name)) {
        await told.read();
        told.learnFromFile();
      }
      const messages = told.messages.hear(params.messages);
      return ofContract(await engine.assemble({ ...params, messages }), setup.declared().system.parts);
    },
    async compact(params) {
      told.tokenBudget = params.tokenBudget ?? told.tokenBudget;
      await hear(params);
      return compacted(told, await engine.compact(params));
    },
    ...(maintain
      ? {
          async maintain(params) {
            await hear(params);
            return maintain.call(engine, params);
          },
        }
      : {}),
    ...(afterTurn
      ? {
          async afterTurn(params) {
            await hear(params);
            const messages = told.messages.hear(params.messages);
            return afterTurn.call(engine, { ...params, messages });
          },
        }
      : {}),
    async dispose() {
      told.close();
      await engine.dispose?.();
    },
  };
}

/** The engines that use the prompt and the ids of the session file, whose calls before `assemble` pass no newer ones. */
const READS_FILE: ReadonlySet<string> = new Set(['recorded', 'three-phase']);

function ofContract(result: WholeAssembleResult, declared: readonly SystemPart[]): AssembleResult {
  const { messages, estimatedTokens, promptAuthority, system = [], systemPromptAddition = '' } = result;
  const known = new Set(declared.map(({ name }) => name));
  const own = system.filter(({ name }) => !known.has(name)).map(({ text }) => text);
  const addition = [systemPromptAddition, ...own].filter((text) => text !== '').join('\n\n');
  return {
    messages,
    estimatedTokens,
    ...(promptAuthority === undefined ? {} : { promptAuthority }),
    ...(addition === '' ? {} : { systemPromptAddition: addition }),
  };
}

/** A host that applies the compaction needs an id that it knows. Any other host gets the compacted messages. */
function compacted({ messages }: ToldSetup, answer: CompactResult): CompactResult {
  const { result } = answer;
  if (!answer.compacted || result?.firstKeptEntryId === undefined) return answer;
  messages.compact(result, newestTime(messages.now));
  if (messages.isTold(result.firstKeptEntryId)) return answer;
  const { firstKeptEntryId: _, ...others } = result;
  return { ...answer, result: others };
}
