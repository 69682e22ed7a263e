import { expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { buildUuid } from '#base/uuid.js';
import { buildCopy } from '#change/copy/build-copy.js';
import {
  type CopyDraft,
  draftCopyTo,
  draftCopyWithout,
  draftEditedCopy,
  introduceSummary,
  type SessionToCopy,
} from '#change/copy/copy-draft.js';
import { buildDraft } from '#change/plan/draft.js';
import { formatId, type Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { generateClaudeCode } from '../support/claude-code.js';
import { generateRollout } from '../support/codex-rollouts.js';
import { createIds, openToCopy } from '../support/copying.js';
import { Random } from '../support/random.js';
import { runs } from '../support/runs.js';

const SESSIONS = runs(200);
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
  const newId = createIds(0xe0000000);
  let parentId = formatId(session.tree.leaf?.id);
  const entries = currentPath(session).flatMap((head) => {
    const replacement = random.chance(0.3) ? editOf(session, head, random) : undefined;
    if (replacement === undefined) return [];
    const id = newId();
    const entry = { type: 'context_edit', id, parentId, timestamp: TIME, targetId: formatId(head.id), replacement };
    parentId = id;
    return [entry];
  });
  return draftEditedCopy(buildDraft(session, entries));
};

/** What replaces a message; null drops it, undefined: it has to stay as it is. */
function editOf(session: SessionToCopy, head: Head, random: Random): JsonObject | null | undefined {
  if (head.type !== 'message') return undefined;
  if (head.role === 'user') return random.chance(0.5) ? null : textEdit('[said]');
  const message = session.entry(head)['message'] as { toolName?: string; content: readonly JsonObject[] };
  // A list of found tools holds no text, and Codex itself makes the results of calls that were aborted.
  const isFixed = message.toolName === 'tool_search' || message.content.some(({ text }) => text === 'aborted');
  if (head.role === 'toolResult') return isFixed ? undefined : textEdit('[cut]');
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
  return draftEditedCopy(introduceSummary(buildDraft(session, [{ ...entry, tokensBefore: 100 }])));
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

/** The share of sessions that is refused at most: generated trees have orders that no client writes. */
const MOST_REFUSED: Readonly<Record<string, number>> = { edits: 0.25, compaction: 0.45, undo: 0.25, cut: 0.25 };

/** The lines of kinds that are not known, and those outside of the tree that no change concerns. */
function unknownIn(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /"words":"Unknown \d+"|"thing_of_tomorrow"/.exec(line)?.[0] ?? []);
}

it.each([
  ['Claude Code', generateVariedClaudeCode],
  ['Codex', generateRollout],
] as const)(`copies of ${SESSIONS} generated sessions of %s show what was planned`, async (agent, generate) => {
  const refused: Record<string, number[]> = { edits: [], compaction: [], undo: [], cut: [] };
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
          const { bytes } = await buildCopy(session, session.copier, draft, stamps);
          const copied = Buffer.from(bytes).toString();
          if (draft.changes.end === null) expect(unknownIn(copied)).toEqual(unknownIn(text));
          text = copied;
        } catch (error) {
          expect(error).toMatchObject({
            kind: 'refused',
            message: expect.stringContaining('planned context') as string,
          });
          refused[name]?.push(seed);
          break;
        }
      }
    }
  }
  if (process.env['CTX_DEBUG'] === '1') console.log(agent, refused);
  for (const [name, seeds] of Object.entries(refused))
    // Of few sessions, two more may be refused by chance.
    expect(seeds.length).toBeLessThanOrEqual((MOST_REFUSED[name] ?? 0) * SESSIONS + 2);
});
