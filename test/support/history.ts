import type { Proposal, Strategy } from '#change/prune/define.js';
import { buildHistory, type History } from '#change/prune/history.js';
import { prune, type PruneResult } from '#change/prune/prune.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope, type EnvelopeOptions } from '#context/replay/build-envelope.js';
import { type Entry, entry, sessionOf } from './entries.js';

/** What a strategy sees of a session of these entries: the context at its leaf. */
export function historyFrom(entries: readonly Entry[], options: Pick<EnvelopeOptions, 'limit'> = {}): History {
  const session = sessionOf(entries.map((each) => JSON.stringify(each)).join('\n'));
  const { leaf } = session.tree;
  return buildHistory(session, buildEnvelope(attachPatchReader(session), leaf, options), leaf);
}

/** What a strategy proposes; its options as its schema reads them. */
export function proposed(strategy: Strategy, history: History, options: Entry = {}): readonly Proposal[] {
  return [...strategy.propose(history, optionsOf(strategy, options), () => false)];
}

/** What strategies make of a history where nothing is protected, and the guard has its say. */
export function prunedBy(history: History, ...steps: readonly (readonly [Strategy, Entry?])[]): PruneResult {
  const all = steps.map(([strategy, options = {}]) => ({ strategy, options: optionsOf(strategy, options) }));
  return prune(history, all, { protects: () => null, forbids: () => null });
}

function optionsOf({ options }: Strategy, given: Entry): unknown {
  return options?.parse(given);
}

/** A message that stands in a session: `id`, and what the message holds. */
export type Said = readonly [id: string, message: Entry];

/** Entries of messages, one after another, the first one at the root. */
export function talk(...said: readonly Said[]): readonly Entry[] {
  return said.map(([id, message], at) => entry('message', id, said[at - 1]?.[0] ?? null, { message }));
}

export function asked(id: string, text: string): Said {
  return [id, { role: 'user', content: [{ type: 'text', text }] }];
}

export function answered(id: string, ...content: readonly unknown[]): Said {
  return [id, { role: 'assistant', content, provider: 'anthropic', model: 'claude-opus-4-5' }];
}

export function call(id: string, name: string, args: Entry): Entry {
  return { type: 'toolCall', id, name, arguments: args };
}

/** What an answer says at the end of a turn. */
export const SAID = { type: 'text', text: 'Done.' };

/** The end of a turn, and so many turns behind it. */
export function later(turns: number): readonly Said[] {
  return Array.from({ length: turns }, (_, at) => [answered(`b${at}`, SAID), asked(`v${at}`, 'And then?')]).flat();
}

/** A tool result; a text becomes its one block. */
export function result(id: string, toolCallId: string, content: unknown, rest: Entry = {}): Said {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return [id, { role: 'toolResult', toolCallId, toolName: 'read', content: blocks, isError: false, ...rest }];
}
