import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import type { Head } from '#session/heads/head.js';
import type { Heads } from '#session/heads/heads.js';
import type { CollectedRequests } from './collected-requests.js';
import type { RequestSource } from './request-source.js';

/** Derives requests of other branches from known ones without a replay, if they only add messages: nearly all do. */
export function deriveRequests(source: RequestSource, requests: CollectedRequests): void {
  const { heads } = source.session.tree;
  if (!heads.areParentsAbove() || !isPlain(heads)) return;
  const derivation = new Derivation(source, requests);
  for (let index = 0; index < heads.length; index += 1) {
    if (heads.roleAt(index) === 'assistant' && requests.numbers[index] === -1) derivation.derive(index);
  }
}

/** Whether every id is unique, and every edit follows its target. */
function isPlain(heads: Heads): boolean {
  for (let index = 0; index < heads.length; index += 1) {
    if (heads.entryOfIdAt(index) !== index) return false;
  }
  for (const { index } of heads.ofType('context_edit')) {
    if (heads.targetAt(index) >= index) return false;
  }
  return true;
}

/** Entries that change more than the end of the message list. */
const CHANGES: ReadonlySet<string | null> = new Set([
  'compaction',
  'context_transform',
  'context_edit',
  'thinking_level_change',
]);

/** The derivation of requests, each from the one before it on its path. */
class Derivation {
  /** 1 for an answer whose request needs a replay, and so do those that follow it. */
  private readonly isBlocked: Uint8Array;

  constructor(
    private readonly source: RequestSource,
    private readonly requests: CollectedRequests,
  ) {
    this.isBlocked = new Uint8Array(requests.numbers.length);
  }

  /** Adds the request that an entry answers, if it can be derived. */
  derive(answer: number): void {
    const between = this.listEntriesSince(answer);
    if (between === null) {
      this.isBlocked[answer] = 1;
      return;
    }
    const { source, requests } = this;
    const { lasts, preambles, levels } = requests.columns;
    const before = requests.numbers[between[0] ?? -1] ?? -1;
    let last = lasts[before] ?? -1;
    for (const entry of between) {
      const message = source.stored[entry] ?? -1;
      if (message !== -1) last = requests.tree.append(last, message);
    }
    const preamble = preambles[before] ?? 0;
    const level = levels[before] ?? 0;
    const model = source.models[answer] ?? 0;
    requests.add({ entry: answer, before, last, preamble, model, level, logged: this.findLogged(between) });
  }

  /** The entries from the previous answer to this one; null if they do not suffice to derive the request. */
  private listEntriesSince(answer: number): readonly number[] | null {
    const { heads } = this.source.session.tree;
    const entries: number[] = [];
    for (let at = heads.parentAt(answer); at !== -1; at = heads.parentAt(at)) {
      if (this.isBlocked[at] === 1 || CHANGES.has(heads.typeAt(at)) || heads.roleAt(at) === 'system') return null;
      entries.push(at);
      if ((this.requests.numbers[at] ?? -1) !== -1) return entries.toReversed();
    }
    return null;
  }

  private findLogged(entries: readonly number[]): Head | null {
    const { heads } = this.source.session.tree;
    const last = entries.findLast((entry) => {
      const type = heads.typeAt(entry);
      return type === 'ephemeral' || MESSAGE_TYPES.has(type);
    });
    const head = heads.at(last ?? -1);
    return head?.type === 'ephemeral' ? head : null;
  }
}
