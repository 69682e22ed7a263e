import { expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { buildUuid } from '#base/uuid.js';
import { buildCopy } from '#change/copy/build-copy.js';
import {
  adaptToCopy,
  type CopyDraft,
  draftCopyTo,
  draftCopyWithout,
  draftEditedCopy,
} from '#change/copy/copy-draft.js';
import { type SessionToCopy } from '#change/copy/session-to-copy.js';
import { buildDraft } from '#change/plan/draft.js';
import type { ContextSize } from '#context/replay/envelope.js';
import type { CopyForm } from '#session/agents/copier.js';
import { formatId, type Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { generateClaudeCode } from '../support/claude-code.js';
import { generateRollout } from '../support/codex-rollouts.js';
import { createIds, openToCopy } from '../support/copying.js';
import { Random } from '../support/random.js';
import { runs } from '../support/runs.js';
import { generateWorkedClaudeCode } from '../support/worked-claude-code.js';

const SESSIONS = runs(200, 4);
const TIME = '2026-03-01T10:00:00.000Z';

/** A session of Claude Code with more kinds of records: hooks, queued words, replaced results, and kinds that are not known. */
function generateVariedClaudeCode(seed: number): string {
  const random = new Random(seed + 1000);
  let count = 0;
  const lines = generateClaudeCode(seed)
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const { uuid, sessionId, message } = JSON.parse(line) as JsonObject;
      if (typeof uuid !== 'string' || !random.chance(0.25)) return [line];
      count += 1;
      const { content } = (message ?? {}) as JsonObject;
      const [block] = Array.isArray(content) ? (content as JsonObject[]) : [];
      const own = { uuid: `${count.toString(16).padStart(8, '0')}-0000-4000-9000-000000000000`, parentUuid: uuid };
      const attachment = { type: 'attachment', ...own, isSidechain: false, timestamp: TIME, sessionId };
      const hook = { type: 'hook_additional_context', hookEvent: 'PostToolUse', content: [`Hook ${count}`] };
      const words = { type: 'queue-operation', timestamp: TIME, sessionId, content: `Queued ${count}` };
      const replaced = { toolUseId: block?.['tool_use_id'] ?? 'none', replacement: `Replaced ${count}` };
      const more: readonly (readonly object[])[] = [
        [{ ...attachment, attachment: hook }],
        [{ ...words, operation: 'enqueue' }],
        [
          { ...words, operation: 'enqueue' },
          { ...words, operation: 'dequeue' },
        ],
        [{ type: 'content-replacement', sessionId, replacements: [{ kind: 'tool-result', ...replaced }] }],
        [{ type: 'thing-of-tomorrow', sessionId, words: `Unknown ${count}` }],
      ];
      return [line, ...random.pick(more).map((value) => JSON.stringify(value))];
    });
  return `${lines.join('\n')}\n`;
}

type Change = (session: SessionToCopy, random: Random) => CopyDraft;

const textEdit = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });

/** The entries since the last compaction, which are those that commands change. */
function currentPath(session: SessionToCopy): readonly Head[] {
  const path = activePath(session.tree);
  return path.slice(path.findLastIndex(({ type }) => type === 'compaction' || type === 'context_transform') + 1);
}

/** Drops messages of the user, and changes results and the words of answers. */
const editSome: Change = (session, random) => {
  const edited = new Set(activePath(session.tree).flatMap((head) => session.entry(head)['targetId'] ?? []));
  const newId = createIds(0xe0000000);
  let parentId = formatId(session.tree.leaf?.id);
  const entries = currentPath(session).flatMap((head) => {
    // An edit may leave out calls, and is in force until another one.
    const isEdited = edited.has(String(formatId(head.id)));
    const replacement = random.chance(0.3) && !isEdited ? editOf(session, head, random) : undefined;
    if (replacement === undefined) return [];
    const id = newId();
    const entry = { type: 'context_edit', id, parentId, timestamp: TIME, targetId: formatId(head.id), replacement };
    parentId = id;
    return [entry];
  });
  return draftEditedCopy(adaptToCopy(buildDraft(session, entries)));
};

/** What replaces a message; null drops it, undefined: it has to stay as it is. */
function editOf(session: SessionToCopy, head: Head, random: Random): JsonObject | null | undefined {
  if (head.type !== 'message') return undefined;
  if (head.role === 'user') return random.chance(0.5) ? null : textEdit('[said]');
  const message = session.entry(head)['message'] as { toolName?: string; content: readonly JsonObject[] };
  // A list of found tools holds no text.
  if (head.role === 'toolResult') return message.toolName === 'tool_search' ? undefined : textEdit('[cut]');
  if (head.role !== 'assistant') return undefined;
  const isText = ({ type }: JsonObject): boolean => type === 'text';
  if (!message.content.some((block) => isText(block))) return undefined;
  return { content: message.content.map((block) => (isText(block) ? { type: 'text', text: '[answer]' } : block)) };
}

const compactSome: Change = (session, random) => {
  const users = currentPath(session).filter(({ type, role }) => type === 'message' && role === 'user');
  if (users.length === 0) return draftCopyTo(session, null);
  const kept = random.pick(users);
  const id = 'cccccccc';
  const parentId = formatId(session.tree.leaf?.id);
  const firstKeptEntryId = formatId(kept.id);
  const entry = { type: 'compaction', id, parentId, timestamp: TIME, summary: 'It rained.', firstKeptEntryId };
  return draftEditedCopy(adaptToCopy(buildDraft(session, [{ ...entry, tokensBefore: 100 }])));
};

const undoSome: Change = (session, random) => {
  const all = activePath(session.tree).filter(({ type }) => type === 'compaction');
  const some = random.chance(0.5) ? all.slice(-1) : all.filter(() => random.chance(0.6));
  return draftCopyWithout(session, new Set(some.map(({ index }) => index)));
};

/** Ends the copy with a turn. */
const cut: Change = (session, random) => {
  const messages = activePath(session.tree).filter(({ type }) => type === 'message');
  const ends = messages.filter((_, at) => messages[at + 1]?.role === 'user' && messages[at]?.role === 'assistant');
  return draftCopyTo(session, ends.length === 0 ? null : random.pick(ends));
};

const CHANGES = { edits: editSome, compaction: compactSome, undo: undoSome, cut } as const;

/**
 * Whether a copy may be refused: boundaries keep messages in an order that no path of the tree has, so that the messages are
 * stated again at the end. No client writes such a file.
 */
function isOutOfOrder({ problems }: SessionToCopy): boolean {
  return problems.some(({ code }) => code === 'restated-context');
}

/** The lines of kinds that are not known, and those outside of the tree that no change concerns. */
function unknownIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /"words":"Unknown \d+"|"thing_of_tomorrow"/.exec(line)?.[0] ?? []);
}

/** Compares the planned sizes of copies with those that are read from them. */
class ComparedSizes {
  equal = 0;
  readonly others: unknown[] = [];

  /** A size that is read leaves more tokens to an estimate, or is the planned one. */
  compare(change: string, planned: ContextSize, read: ContextSize): void {
    if (Math.abs(read.tokens - planned.tokens) <= 0.01 * planned.tokens + 2) this.equal += 1;
    else if (read.recorded > 0 && Math.abs(read.estimated) <= Math.abs(planned.estimated))
      this.others.push({ change, planned, read });
  }
}

it.each([
  ['Claude Code', generateVariedClaudeCode],
  ['Claude Code at work', generateWorkedClaudeCode],
  ['Codex', generateRollout],
] as const)(`copies of ${SESSIONS} generated sessions of %s show what was planned`, async (agent, generate) => {
  const refused: string[] = [];
  const forms = new Set<CopyForm>();
  const sizes = new ComparedSizes();
  for (let seed = 0; seed < SESSIONS; seed += 1) {
    for (const [name, change] of Object.entries(CHANGES)) {
      const random = new Random(seed);
      let text = generate(seed);
      // The second change is one of a copy.
      for (const step of [1, 2]) {
        const session = await openToCopy(text);
        const sessionId = `aaaaaaaa-000${step}-4000-8000-000000000000`;
        const newId = createIds(step * 1000);
        const stamps = { sessionId, timestamp: TIME, newId: () => buildUuid(newId) };
        try {
          const draft = change(session, random);
          const { bytes, form, context } = await buildCopy(session, draft, stamps);
          forms.add(form);
          sizes.compare(name, draft.after.meta.size, context.meta.size);
          const copied = Buffer.from(bytes).toString();
          // Turns that were rolled back may be left out, with all of their items.
          const isWhole = draft.changes.end === null && !text.includes('thread_rolled_back');
          if (isWhole) expect(unknownIn(copied)).toEqual(unknownIn(text));
          text = copied;
        } catch (error) {
          expect(error).toMatchObject({
            kind: 'refused',
            message: expect.stringContaining('planned context') as string,
          });
          if (!isOutOfOrder(session)) refused.push(`${name} of ${seed}, step ${step}`);
          break;
        }
      }
    }
  }
  expect(refused).toEqual([]);
  expect(sizes.others).toEqual([]);
  expect(sizes.equal).toBeGreaterThan(SESSIONS);
  // Sessions with branches and boundaries in any order need copies with one conversation, too.
  expect(forms).toContain('whole');
  if (agent === 'Claude Code') expect(forms).toContain('path');
});
