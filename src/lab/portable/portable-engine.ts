import type { SystemPart } from '#context/replay/content.js';
import type { AssembleResult, CompactResult, ContextEngine } from '../contract.js';
import type { EngineDefinition, WholeAssembleResult } from '../define.js';
import type { ContextEngineRuntimeContext } from '../runtime-context.js';
import { findNewestTime } from './host-messages.js';
import { type PortableOptions, PortableSetup } from './portable-setup.js';

interface HostParams {
  readonly sessionFile: string;
  readonly runtimeContext?: ContextEngineRuntimeContext;
}

/**
 * A built-in engine as a plain context engine. It uses the parameters of the contract and the session file, and returns
 * the fields of the contract. A prompt of its own becomes `systemPromptAddition`; the tools stay those of the host.
 */
export function createPortableEngine({ create, name }: EngineDefinition, options: PortableOptions): ContextEngine {
  const told = new PortableSetup(options);
  const setup = told.asSetup();
  const engine = create(setup);
  return {
    info: engine.info,
    async bootstrap({ sessionFile }) {
      await takeTranscript(told, { sessionFile });
      return { bootstrapped: true, importedMessages: told.countMessages() };
    },
    ingest: (params) => engine.ingest(params),
    async assemble(params) {
      told.tokenBudget = params.tokenBudget ?? told.tokenBudget;
      if (READS_FILE.has(name)) {
        await told.read();
        told.takeEntriesOfFile();
      }
      const messages = told.messages.take(params.messages);
      return toContractResult(await engine.assemble({ ...params, messages }), setup.declared().system.parts);
    },
    async compact(params) {
      told.tokenBudget = params.tokenBudget ?? told.tokenBudget;
      await takeTranscript(told, params);
      return applyCompaction(told, await engine.compact(params));
    },
    ...buildOptionalMethods(engine, told),
    async dispose() {
      told.close();
      await engine.dispose?.();
    },
  };
}

/** The optional methods of an engine that it has. */
function buildOptionalMethods(engine: ContextEngine, told: PortableSetup): Partial<ContextEngine> {
  const { maintain, afterTurn, ingestBatch } = engine;
  const methods: Partial<ContextEngine> = {};
  if (ingestBatch) methods.ingestBatch = ingestBatch.bind(engine);
  if (maintain)
    methods.maintain = async (params) => {
      await takeTranscript(told, params);
      return maintain.call(engine, params);
    };
  if (afterTurn)
    methods.afterTurn = async (params) => {
      await takeTranscript(told, params);
      return afterTurn.call(engine, { ...params, messages: told.messages.take(params.messages) });
    };
  return methods;
}

/** Takes the transcript from the host if it passes one, otherwise from the session file. */
async function takeTranscript(told: PortableSetup, { sessionFile, runtimeContext }: HostParams): Promise<void> {
  await told.read(sessionFile);
  const { transcript } = runtimeContext ?? {};
  if (transcript) told.messages.takeEntries(transcript);
  else told.takeEntriesOfFile();
}

/** The engines that use the prompt and the ids of the session file, whose calls before `assemble` pass no newer ones. */
const READS_FILE: ReadonlySet<string> = new Set(['recorded', 'three-phase']);

function toContractResult(result: WholeAssembleResult, declared: readonly SystemPart[]): AssembleResult {
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
function applyCompaction({ messages }: PortableSetup, answer: CompactResult): CompactResult {
  const { result } = answer;
  if (!answer.compacted || result?.firstKeptEntryId === undefined) return answer;
  messages.compact(result, findNewestTime(messages.messages));
  if (messages.knowsEntry(result.firstKeptEntryId)) return answer;
  const { firstKeptEntryId: _, ...others } = result;
  return { ...answer, result: others };
}
