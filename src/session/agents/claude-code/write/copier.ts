import path from 'node:path';
import { isObject } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import type { AgentCopier } from '../../copier.js';
import { contentOf } from '../content/content.js';
import { findBrokenLinks } from './broken-links.js';
import { findFaultEffect, startsAtOrphan } from './fault-effects.js';
import { findFlaws } from './record-flaws.js';
import { claudeMembers } from './record-members.js';
import { convertSideFile, writeCopy } from './write-copy.js';

/** Records that repeat what others say, or sum up calls: the client writes its own for the copy. */
const DERIVED: ReadonlySet<unknown> = new Set(['api-request', 'api-request-blob', 'cost-state']);

/** Writes copies that `claude --resume` opens. */
export const claudeCopier: AgentCopier = {
  write: writeCopy,
  convertSideFile,
  records: {
    isDerived: ({ type }) => DERIVED.has(type),
    holdsHistory: () => false,
    sentPart: (record) => (isObject(record['message']) ? contentOf(record) : record),
    findFlaws,
    findBrokenLinks,
    members: claudeMembers,
  },
  client: {
    effectOf: findFaultEffect,
    startsAtOrphan,
    sendsStoredImages: true,
    orphanType: 'claude-code:orphan-result',
    wholeResults: new Map(),
  },
  opening: {
    placeOf({ folder, root, cwd, sessionId }) {
      const isProject = path.basename(path.dirname(folder)) === 'projects';
      const project = isProject ? folder : path.join(root, (cwd ?? '').replaceAll(/[^a-zA-Z0-9]/g, '-'));
      return path.join(project, `${sessionId}.jsonl`);
    },
    isBoundToFolder: true,
    formatCommand: (sessionId, file) =>
      file === null ? `claude --resume ${sessionId}` : `claude --resume ${toShellWord(file)} --fork-session`,
  },
};
