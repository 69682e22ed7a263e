import { candidatesIn } from '#analysis/ledger/candidates.js';
import { documentOf } from '#analysis/ledger/document.js';
import { ledgerOf } from '#analysis/ledger/ledger.js';
import { CtxError } from '#base/errors.js';
import { LEAST_PACKET_TOKENS, packetMessage, packetText } from '#change/prune/packet.js';
import { tokensOfMessage } from '#context/replay/tokens.js';
import { verbatim } from '#ui/doc/doc.js';
import { defineCommand } from '../define.js';
import { positive, text, toggle } from '../flags.js';
import { openNamed, pathAt, sessionArgument } from '../session.js';
import { ledgerDoc } from './view.js';

const PACKET_TOKENS = 2000;

const FLAGS = {
  at: text('REV', 'the entry at which it stands so, written as for "ctx show --at"; HEAD is the default'),
  full: toggle('print every text whole'),
  packet: toggle('print what a model is given of it in the place of what a prune drops'),
  tokens: positive('TOKENS', `the most that the packet may take: ${PACKET_TOKENS} is the default`),
};

export default defineCommand({
  name: 'ledger',
  summary: 'Show what a conversation has established: goal, constraints, decisions, tasks, blockers',
  description:
    'Reads every message and summary down to an entry, those that a compaction took out of the context too, and lists ' +
    'by fixed rules what they establish, each thing with the entry that says so last. Uses no model and changes nothing.',
  args: [sessionArgument],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx ledger session.jsonl',
    "ctx ledger session.jsonl --at '@{compaction}^'",
    'ctx ledger latest --packet --tokens 500',
    "ctx ledger latest --json | jq -r '.tasks.facts[].text'",
  ],
  async run(input) {
    const { args, flags, format } = input;
    if (flags.tokens !== undefined && !flags.packet && format !== 'json')
      throw new CtxError('usage', '--tokens has an effect only on --packet', { hint: 'give both, or neither' });
    const maxTokens = flags.tokens ?? PACKET_TOKENS;
    if (maxTokens < LEAST_PACKET_TOKENS) {
      const hint = `give it ${LEAST_PACKET_TOKENS} or more`;
      throw new CtxError('usage', `a packet does not fit into ${maxTokens} tokens`, { hint });
    }
    const session = await openNamed(input, args[0]);
    const { end: at, path } = pathAt(session, flags.at);
    const ledger = ledgerOf(candidatesIn(session, path));
    const packet = packetText(ledger, { maxTokens });
    const tokens = tokensOfMessage(packetMessage(packet, 0));
    return {
      kind: 'report',
      report: {
        data: documentOf(ledger, { session, at, packet: { text: packet, tokens } }),
        doc: () => (flags.packet ? [verbatim(packet)] : ledgerDoc(ledger, { isFull: flags.full ?? false })),
      },
      file: session.file,
      problems: session.problems,
    };
  },
});
