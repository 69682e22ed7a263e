import path from 'node:path';
import type { AgentCopier } from '../copier.js';
import { isRedactedReasoning } from './items.js';
import { listReplacement } from './messages.js';
import { codexMembers } from './record-members.js';
import { payloadOf } from './record-payload.js';
import { writeCopy } from './write-copy.js';

/** Writes copies that `codex resume` opens. Codex looks for them below its own folder only. */
export const codexCopier: AgentCopier = {
  write: writeCopy,
  records: {
    isDerived: () => false,
    holdsHistory: (record) => 'replacement_history' in payloadOf(record),
    sentPart: payloadOf,
    findFlaws(record) {
      const items = [payloadOf(record), ...listReplacement(payloadOf(record))];
      return items.some(isRedactedReasoning) ? ['unsigned thinking'] : [];
    },
    members: codexMembers,
  },
  client: {
    // Version 0.171 was tried: it pairs calls, leaves out damaged lines, and sends thinking as it is.
    effectOf: ({ rule, cause }) => (STOPPING.has(rule) || cause !== undefined ? 'stops' : 'goes on'),
    startsAtOrphan: () => false,
    sendsStoredImages: false,
    orphanType: null,
    wholeResults: new Map([['tool_search', 'a list of found tools has no text to shorten']]),
  },
  opening: {
    placeOf({ folder, root, sessionId, timestamp }) {
      const [date = '', time = ''] = timestamp.slice(0, 19).split('T');
      const sessions = DATED_FOLDER.exec(folder)?.[1] ?? root;
      return path.join(sessions, ...date.split('-'), `rollout-${date}T${time.replaceAll(':', '-')}-${sessionId}.jsonl`);
    },
    isBoundToFolder: false,
    formatCommand: (sessionId, file) => (file === null ? `codex resume ${sessionId}` : null),
  },
};

/** The folder of the sessions of a day, such as `sessions/2026/03/02`. */
const DATED_FOLDER = /^(.*[/\\]sessions)[/\\]\d{4}[/\\]\d\d[/\\]\d\d$/;

/** The rules whose faults stop Codex. */
const STOPPING: ReadonlySet<string> = new Set(['lost-signature', 'usage-above-window']);
