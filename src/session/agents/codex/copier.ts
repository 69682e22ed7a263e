import path from 'node:path';
import type { AgentCopier } from '../copier.js';
import { isRedactedReasoning, payloadOf } from './items.js';
import { listReplacement } from './messages.js';
import { codexMembers } from './record-members.js';
import { writeCopy } from './write-copy.js';

/** Writes copies that `codex resume` opens. Codex looks for them below its own folder only. */
export const codexCopier: AgentCopier = {
  isDerived: () => false,
  sendsStoredImages: false,
  wholeResults: new Map([['tool_search', 'a list of found tools has no text to shorten']]),
  recordsHistory: (record) => 'replacement_history' in payloadOf(record),
  orphanType: null,
  // Version 0.171 was tried: it pairs calls, leaves out damaged lines, and sends thinking as it is.
  effectOf: ({ rule, cause }) => (STOPPING.has(rule) || cause !== undefined ? 'stops' : 'goes on'),
  startsAtOrphan: () => false,
  sentPart: payloadOf,
  findFlaws: (record) =>
    [payloadOf(record), ...listReplacement(payloadOf(record))].some(isRedactedReasoning) ? ['unsigned thinking'] : [],
  members: codexMembers,
  write: writeCopy,
  place({ folder, root, sessionId, timestamp }) {
    const [date = '', time = ''] = timestamp.slice(0, 19).split('T');
    const sessions = /^(.*[/\\]sessions)[/\\]\d{4}[/\\]\d\d[/\\]\d\d$/.exec(folder)?.[1] ?? root;
    return path.join(sessions, ...date.split('-'), `rollout-${date}T${time.replaceAll(':', '-')}-${sessionId}.jsonl`);
  },
  opensInFolder: false,
  resumeCommand: (sessionId, file) => (file === null ? `codex resume ${sessionId}` : null),
};

const STOPPING: ReadonlySet<string> = new Set(['lost-signature', 'usage-above-window']);
