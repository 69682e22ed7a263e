import { omitUndefined } from '#base/omit-undefined.js';
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
  const setup = new PortableSetup(options);
  const engine = create(setup);
  return {
    info: engine.info,
    async bootstrap({ sessionFile }) {
      await takeTranscript(setup, { sessionFile });
      return { bootstrapped: true, importedMessages: setup.countMessages() };
    },
    ingest: (params) => engine.ingest(params),
    async assemble(params) {
      setup.tokenBudget = params.tokenBudget ?? setup.tokenBudget;
      if (READS_FILE.has(name)) {
        await setup.read();
        setup.takeEntriesOfFile();
      }
      const messages = setup.messages.take(params.messages);
      return toContractResult(await engine.assemble({ ...params, messages }), setup.declared().system.parts);
    },
    async compact(params) {
      setup.tokenBudget = params.tokenBudget ?? setup.tokenBudget;
      await takeTranscript(setup, params);
      return applyCompaction(setup, await engine.compact(params));
    },
    ...buildOptionalMethods(engine, setup),
    async dispose() {
      setup.close();
      await engine.dispose?.();
    },
  };
}

/** The optional methods of an engine that it has. */
function buildOptionalMethods(engine: ContextEngine, setup: PortableSetup): Partial<ContextEngine> {
  const { maintain, afterTurn, ingestBatch } = engine;
  const methods: Partial<ContextEngine> = {};
  if (ingestBatch) methods.ingestBatch = ingestBatch.bind(engine);
  if (maintain)
    methods.maintain = async (params) => {
      await takeTranscript(setup, params);
      return maintain.call(engine, params);
    };
  if (afterTurn)
    methods.afterTurn = async (params) => {
      await takeTranscript(setup, params);
      return afterTurn.call(engine, { ...params, messages: setup.messages.take(params.messages) });
    };
  return methods;
}

/** Takes the transcript from the host if it passes one, otherwise from the session file. */
async function takeTranscript(setup: PortableSetup, { sessionFile, runtimeContext }: HostParams): Promise<void> {
  await setup.read(sessionFile);
  const { transcript } = runtimeContext ?? {};
  if (transcript) setup.messages.takeEntries(transcript);
  else setup.takeEntriesOfFile();
}

/**
 * The engines that use the prompt and the ids of the session file, whose calls before `assemble` pass no newer ones.
 */
const READS_FILE: ReadonlySet<string> = new Set(['recorded', 'three-phase']);

function toContractResult(result: WholeAssembleResult, declared: readonly SystemPart[]): AssembleResult {
  const { messages, estimatedTokens, promptAuthority, system = [] } = result;
  const declaredNames = new Set(declared.map(({ name }) => name));
  const own = system.filter(({ name }) => !declaredNames.has(name)).map(({ text }) => text);
  const texts = [result.systemPromptAddition ?? '', ...own].filter((text) => text !== '');
  const systemPromptAddition = texts.length === 0 ? undefined : texts.join('\n\n');
  return omitUndefined({ messages, estimatedTokens, promptAuthority, systemPromptAddition });
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
