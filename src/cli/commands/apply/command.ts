import { CtxError } from '#base/errors.js';
import { asString, type JsonObject } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import { hashSource } from '#change/bytes/hash-source.js';
import { adaptToCopy } from '#change/copy/copy-draft.js';
import { toEditedDraft } from '#change/copy/edited-draft.js';
import { refuseAgentFile } from '#change/plan/appendable.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import { buildEphemeralEntries, buildPatchEntries, type EntryParent } from '#change/plan/new-entries.js';
import { readMessages, readPatchOps } from '#change/plan/patch-input.js';
import { type Plan, readPlan } from '#change/plan/plan.js';
import { buildRefusal } from '#change/write/refusals.js';
import { findSession, locateSession } from '#cli/locate.js';
import { readJsonFile } from '#cli/read-json.js';
import type { OpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Io } from '#platform/io.js';
import { findCopier } from '#session/agents/index.js';
import { formatId, type Head } from '#session/heads/head.js';
import { peekSession } from '#session/scan/peek.js';
import { resolveRevision } from '#session/tree/revision.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { textFlag, toggleFlag } from '../flags.js';
import { buildNotInstalledError, openToCopy, openToPlan, type SessionToPlan } from '../session-to-plan.js';
import { openSessionFile } from '../session.js';
import * as shared from '../shared-flags.js';
import { executePlan } from './execute-plan.js';
import { describeBranch } from './plan-remarks.js';

/** Flags about the transform that a patch becomes; a plan already contains them. */
const PATCH_FLAGS = ['at', 'name', 'title', 'message', 'ephemeral'] as const;

const FLAGS = {
  at: { ...shared.at, excludes: ['[rev]'] },
  name: textFlag('NAME', 'the name of the transform (default: ctx-apply)'),
  title: textFlag('TEXT', 'a one-line title for readers'),
  message: { ...textFlag('TEXT', 'the reason, for readers'), short: 'm' },
  ephemeral: toggleFlag('log messages for the next request only, as an ephemeral entry'),
  ...shared.copyingFlags,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'apply',
  summary: 'Append a patch or a saved plan to a session',
  description:
    'Appends patch ops at the leaf as one context_transform entry, or the entries of a saved plan. With a revision, a ' +
    'new branch begins there. Checks every op first, then reads the file back and replays it. Existing lines never change. ' +
    'Of a session of Claude Code or Codex, it writes a copy.',
  args: [
    {
      name: 'session',
      help: 'a file, a session id or a prefix of it, or "latest"; alone, the file of a plan, or - for standard input',
    },
    { name: 'patch', help: 'a JSON file with patch ops (with --ephemeral, messages), or - for standard input' },
    { name: 'rev', help: 'the entry to append after, on a new branch (default: the leaf)', isRevision: true },
  ],
  flags: FLAGS,
  examples: [
    'ctx apply session.jsonl patch.json --name trim --title "Drop old listings"',
    'ctx diff --patch session.jsonl HEAD HEAD~4 | ctx apply session.jsonl -',
    "ctx apply session.jsonl patch.json '@{request:2}' --dry-run",
    'ctx apply session.jsonl reminder.json --ephemeral',
    'ctx apply plan.json',
    'ctx apply plan.json --install',
  ],
  run(input) {
    const file = findPlanFile(input);
    return file === null ? applyPatch(input) : applySaved(input, file);
  },
});

/** The plan file: a sole argument that is not a session. */
function findPlanFile({ io, args: [name, patch], flags }: Input): string | null {
  if (name === undefined || patch !== undefined || !isPlan(io, name)) return null;
  const other = PATCH_FLAGS.find((flag) => flags[flag] !== undefined);
  if (other === undefined) return name;
  throw new CtxError('usage', `--${other} has no effect on a plan`, {
    hint: 'leave it out, or name a session and a patch',
  });
}

/** Tests whether a sole argument names a plan. A missing file is recognised by its name. */
function isPlan(io: Io, name: string): boolean {
  if (name === '-') return true;
  return io.files.exists(name) ? !isSession(io, name) : name.endsWith('.json');
}

async function applySaved(input: Input, file: string): Promise<Outcome> {
  const { io, flags, configuredLimit } = input;
  const plan = readPlan(await readJsonFile(io.files, file), file);
  const { file: sessionFile, size, sha256 } = plan.session;
  if (sessionFile !== '-' && !io.files.exists(sessionFile)) {
    throw new CtxError('input', 'the session of the plan does not exist', {
      where: sessionFile,
      hint: 'run ctx apply in the folder in which the plan was made',
    });
  }
  const opened = await openSessionFile(input, sessionFile);
  const session = await openForSavedPlan(opened, flags);
  // A dry run makes this check too, so that it promises nothing that is refused later.
  const { source } = opened;
  if (source.size !== size || hashSource(source) !== sha256) throw buildRefusal('changed', sessionFile);

  const planned = buildDraft(session, plan.entries, findComparedEntry(session, plan));
  const draft = session.copier ? adaptToCopy(planned) : planned;
  return executePlan(io, { session, draft, plan }, { ...flags, configuredLimit });
}

/** The session of a saved plan, or of another agent's session what a copy of it has. */
function openForSavedPlan(opened: OpenSession, flags: Input['flags']): Promise<SessionToPlan> | SessionToPlan {
  const copier = findCopier(opened);
  if (copier) return openToCopy(opened, copier, flags);
  if (flags.install) throw buildNotInstalledError(opened);
  // No command saves such a plan, but a sender of files can write one.
  refuseAgentFile(opened);
  return opened;
}

/** Finds the entry whose context a plan changes: where its branch begins, else the leaf, as for a restored state. */
function findComparedEntry({ tree }: OpenSession, { command, entries: [first] }: Plan): Head | null {
  if (!['apply', 'compact', 'prune'].includes(command) || !first) return tree.leaf;
  const parent = asString(first.parentId);
  return parent === null ? null : (tree.heads.find(parent) ?? tree.leaf);
}

async function applyPatch(input: Input): Promise<Outcome> {
  const { io, args, flags, configuredLimit } = input;
  const { name, patchFile } = await requireSessionAndPatch(input);
  const value = await readJsonFile(io.files, patchFile);
  const session = await openToPlan(input, await locateSession(io, name), flags);
  if (session.copier) refuseTransformFlags(session, flags);

  const at = resolveRevision(session, args[2] ?? flags.at ?? 'HEAD');
  const entries = buildEntries(session, value, { ...input, where: patchFile, parentId: formatId(at?.id) });
  const patched = buildDraft(session, entries, at);
  const draft = session.copier ? adaptToCopy(toEditedDraft(patched, io)) : patched;
  const remarks = at && at.index !== session.tree.leaf?.index ? [describeBranch(at, session)] : [];
  return executePlan(io, { session, draft, plan: buildPlan(draft, 'apply') }, { ...flags, configuredLimit, remarks });
}

interface SessionAndPatch {
  readonly name: string;
  readonly patchFile: string;
}

/**
 * The session and the patch that the arguments name. Throws a CtxError (usage) if one is missing, or they are
 * exchanged.
 */
async function requireSessionAndPatch(input: Input): Promise<SessionAndPatch> {
  const [name, patchFile] = input.args;
  if (name === undefined || patchFile === undefined) {
    throw new CtxError('usage', 'say what to apply, and to which session', {
      hint: 'ctx apply SESSION PATCH.json, or - for standard input',
    });
  }
  if (name === '-' && patchFile === '-')
    throw new CtxError('usage', 'only one of them can come from standard input', { hint: 'name a file' });
  if (await namesSession(input, patchFile)) {
    throw new CtxError('usage', 'this is a session, where a patch is expected', {
      where: patchFile,
      hint: `name the session first: ctx apply ${toShellWord(patchFile)} ${toShellWord(name)}`,
    });
  }
  return { name, patchFile };
}

/** Throws a CtxError (usage) for what a transform of Pi says of itself: no record of another agent says it. */
function refuseTransformFlags({ agent, file }: OpenSession, flags: Input['flags']): void {
  const name = PATCH_FLAGS.find((each) => each !== 'at' && flags[each] !== undefined);
  if (name === undefined) return;
  throw new CtxError('usage', `--${name} has no meaning for a session of ${agent?.title ?? 'this agent'}`, {
    where: file,
    hint: 'leave it out: a copy has the records of its agent',
  });
}

/** Throws a CtxError (refused) for the session of another agent, in whatever place it is named. */
async function namesSession(input: Input, word: string): Promise<boolean> {
  const { io } = input;
  if (word === '-' || io.files.exists(word)) return isSession(io, word);
  const file = await findSession(io, word);
  if (file === null || !io.files.exists(file)) return false;
  refuseAgentFile(await openSessionFile(input, file));
  return true;
}

/** The most bytes of a header that are read. */
const LONGEST_HEADER = 65_536;

function isSession({ files }: Io, file: string): boolean {
  if (file === '-') return false;
  const found = peekSession(files.beginning(file, LONGEST_HEADER), false);
  return found !== null && found !== 'no-session';
}

/** The entries for a patch, or for the messages of `--ephemeral`; none for an empty list. `where`: the file. */
function buildEntries(
  session: OpenSession,
  value: unknown,
  { io, flags, where, parentId }: Input & EntryParent & { readonly where: string },
): readonly JsonObject[] {
  const place = { parentId, now: io.now, newId: io.newId };
  if (flags.ephemeral) {
    const messages = requireMessages(value, where);
    return messages.length === 0 ? [] : buildEphemeralEntries(session, messages, place);
  }
  const ops = requireOps(value, where);
  const { name = 'ctx-apply', title, message: summary } = flags;
  return ops.length === 0 ? [] : buildPatchEntries(session, ops, { name, title, summary, ...place });
}

function requireOps(value: unknown, file: string): readonly JsonObject[] {
  const ops = readPatchOps(value);
  if (ops !== null) return ops;
  throw new CtxError('input', 'this is no list of patch ops', { where: file, hint: 'see docs/schema/patch.json' });
}

function requireMessages(value: unknown, file: string): readonly LlmMessage[] {
  const messages = readMessages(value);
  if (messages !== null) return messages;
  throw new CtxError('input', 'these are no messages', {
    where: file,
    hint: 'write [{"role":"user","content":"…","timestamp":0}]',
  });
}
