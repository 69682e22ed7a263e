import type { FactList, ListedFact } from '#analysis/facts/document.js';
import type { SourceKind } from '#analysis/facts/fact.js';
import type { ConversationFacts } from '#analysis/facts/facts.js';
import { CtxError } from '#base/errors.js';
import { formatCount } from '#base/numbers.js';
import { buildFactsDocument, PACKET_TOKENS } from '#change/prune/facts-document.js';
import { LEAST_PACKET_TOKENS } from '#change/prune/packet.js';
import { cell, type Cell, type Doc, gap, heading, line, listingRow, span, verbatim } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand } from '../define.js';
import { positiveFlag, toggleFlag } from '../flags.js';
import { openNamedSession, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';

const FLAGS = {
  at: shared.at,
  full: toggleFlag('print texts in full'),
  packet: toggleFlag('print the packet that replaces what a prune drops'),
  resume: {
    ...toggleFlag('print the packet for resuming after a compaction or a move in the tree; otherwise exit with 1'),
    excludes: ['packet', 'full'],
  },
  tokens: {
    ...positiveFlag('TOKENS', `the maximum size of the packet (default: ${PACKET_TOKENS})`),
    needs: ['packet', 'resume', 'format json'],
  },
};

export default defineCommand({
  name: 'facts',
  summary: 'List goals, decisions and open tasks',
  description:
    'Lists the goal, constraints, decisions, tasks and blockers of a conversation, each with the entry that states it ' +
    'last. Reads every message and summary up to an entry, including those that a compaction removed from the context. ' +
    'Works by fixed rules, uses no model and changes nothing.',
  args: [sessionArgument, revisionArgument],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx facts session.jsonl',
    "ctx facts session.jsonl '@{compaction}^'",
    'ctx facts latest --packet --tokens 500',
    "ctx facts session.jsonl '@{compaction}' --resume",
    "ctx facts latest --json | jq -r '.tasks.facts[].text'",
  ],
  async run(input) {
    const { args, flags } = input;
    const maxTokens = readPacketTokens(flags);
    const session = await openNamedSession(input, args[0]);
    const data = buildFactsDocument(session, { revision: flags.at, packetTokens: maxTokens, isResuming: flags.resume });
    const isNeeded = !flags.resume || data.resume !== null;
    const doc = (): Doc => {
      if (!isNeeded) return [line('nothing to resume: no compaction and no move in the tree since the last answer')];
      const hasPacket = flags.packet || flags.resume;
      return hasPacket ? [verbatim(data.packet.text)] : renderFacts(data, flags.full ?? false);
    };
    const { file, problems } = session;
    return { kind: 'single', item: { data, doc }, file, problems, exitCode: isNeeded ? 0 : 1 };
  },
});

/** The maximum size of the packet in tokens. Throws a CtxError (usage) if nothing fits. */
function readPacketTokens({ tokens = PACKET_TOKENS }: CommandInput<typeof FLAGS>['flags']): number {
  if (tokens >= LEAST_PACKET_TOKENS) return tokens;
  const hint = `give it ${LEAST_PACKET_TOKENS} or more`;
  throw new CtxError('usage', `a packet does not fit into ${tokens} tokens`, { hint });
}

function renderFacts(conversation: ConversationFacts, isFull: boolean): Doc {
  const { goal, constraints, decisions, tasks, blockers, done } = conversation;
  const renderFact = (fact: ListedFact): Doc =>
    isFull
      ? [listingRow(toCells(fact)), verbatim(formatFact(fact))]
      : [listingRow([...toCells(fact), cell(formatFact(fact))])];
  const renderList = (title: string, { facts, more }: FactList): Doc => {
    if (facts.length === 0) return [];
    const older = more > 0 ? [line(span(`  … and ${formatCount(more)} older`, 'faint'))] : [];
    return [gap, heading(2, title), ...older, ...facts.flatMap(renderFact)];
  };
  const doc = [
    ...renderList('Goal', { facts: goal ? [goal] : [], more: 0 }),
    ...renderList('Constraints', constraints),
    ...renderList('Decisions', decisions),
    ...renderList('To do', tasks),
    ...renderList('Blocked or failing', blockers),
    ...renderList('Done or answered', done),
  ].slice(1);
  return doc.length > 0 ? doc : [line(span('no facts found', 'faint'))];
}

function toCells({ time, source: { entryId, line: at, kind } }: ListedFact): readonly Cell[] {
  return [
    cell('', 1),
    cell(entryId ?? `line ${at}`, 8, 'id'),
    cell((time ?? 'no time').slice(0, TO_MINUTES).replace('T', ' '), TO_MINUTES, 'faint'),
    cell(SOURCE_NAMES[kind], LONGEST_KIND, 'faint'),
  ];
}

function formatFact({ text, outcome }: ListedFact): string {
  return outcome === null ? text : `${text} → ${outcome}`;
}

const TO_MINUTES = 16;

const SOURCE_NAMES: Readonly<Record<SourceKind, string>> = {
  toolResult: 'result',
  assistant: 'assistant',
  branch: 'branch',
  compaction: 'summary',
  user: 'user',
};
const LONGEST_KIND = 9;
