import type { Problem } from '#base/errors.js';
import { formatIdWord } from '../../heads/head.js';
import { buildSpanProblem } from '../blocks.js';
import { LinkedEntries, readLineId } from '../linked-entries.js';
import type { AgentRecord } from '../native-records.js';
import { buildLineEntries, recordsPrompt } from './line-entries.js';
import type { OpenAnswer } from './open-answer.js';
import { toTitlePart } from './plain-parts.js';
import type { Start } from './start.js';

/**
 * Reads the entries of a session of oh-my-pi, which has Pi's format with rules of its own. What a line becomes depends
 * on the newest answer before it, such as one that failed: each line gets it from its parent, and leaves it to its
 * children.
 */
export class SessionReader {
  readonly list: LinkedEntries;
  /** Whether a prompt is recorded: only of a subagent. */
  hasPrompt = false;
  /** The record with which a process ended, if it is the last one. */
  private exit: AgentRecord | null = null;
  /** The record of the newest message. */
  private lastMessage: AgentRecord | null = null;
  /** The newest answer after each line, by the last entry of the line. */
  private readonly openAnswers = new Map<string | null, OpenAnswer>();

  constructor(
    sessionId: string,
    private readonly start: Start,
  ) {
    this.list = new LinkedEntries(sessionId);
    if (start.title) this.list.addRoot(start.title, toTitlePart(start.title.value));
  }

  /** Adds the entries of a line; false if it has none. */
  take(record: AgentRecord): boolean {
    const { value } = record;
    const id = readLineId(value);
    if (typeof value['type'] !== 'string' || (id === null && this.start.version >= 2)) return false;
    // Version 1 is a list without ids.
    const parentId = this.start.version < 2 ? this.list.lastId : toParentId(value['parentId']);
    const open = this.openAnswers.get(this.list.endOf(parentId)) ?? null;
    const { parts, stillOpen, ownAnswer } = buildLineEntries(record, open);
    const ids = this.list.add(record, parts, parentId);
    const newest = ownAnswer ? { id: ids.at(-1) ?? '', ...ownAnswer } : stillOpen;
    if (newest) this.openAnswers.set(this.list.lastId, newest);
    this.exit = value['type'] === 'custom' && value['customType'] === EXIT ? record : null;
    if (value['type'] === 'message') this.lastMessage = record;
    if (recordsPrompt(value)) this.hasPrompt = true;
    return true;
  }

  /**
   * Lists the problem that oh-my-pi resumes an older branch: a killed process may end a file on it, while another
   * process went on with a newer one.
   */
  listProblems(): readonly Problem[] {
    const { exit, lastMessage } = this;
    if (!exit || !lastMessage || this.isBefore(lastMessage, exit)) return [];
    const id = this.list.endOf(readLineId(lastMessage.value));
    const what = `oh-my-pi resumes this session where a killed process was, without entry ${formatIdWord(id)} and those before it on another branch`;
    return [buildSpanProblem(exit, 'stale-leaf', 'warning', what)];
  }

  /** Whether a line is on the path to another one. */
  private isBefore(line: AgentRecord, other: AgentRecord): boolean {
    const parents = new Map(this.list.entries.map(({ id, parentId }) => [id, parentId]));
    const wanted = this.list.endOf(readLineId(line.value));
    const seen = new Set<string>();
    for (
      let id = this.list.endOf(readLineId(other.value));
      id !== null && !seen.has(id);
      id = parents.get(id) ?? null
    ) {
      if (id === wanted) return true;
      seen.add(id);
    }
    return false;
  }
}

/** The entry that a process writes when it ends. */
const EXIT = 'session_exit';

function toParentId(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
