import { RULE_GROUPS } from '#analysis/check/define.js';
import type { Io } from '#platform/io.js';
import type { Command } from '../define.js';
import {
  completeEnd,
  completeItems,
  completeNames,
  type Completion,
  type CompletionCandidate,
  toCompletion,
} from './candidates.js';
import { completeRevisions } from './revisions.js';
import { completeAgents, completeSessions } from './sessions.js';
import type { WordKind } from './word-kinds.js';

/** The command line of a word. */
export interface CompletionPlace {
  readonly io: Io;
  readonly command: Command;
  /** Words before it that are neither flags nor their values. */
  readonly positional: readonly string[];
}

/** The completions of a typed beginning. */
export async function listCandidates(place: CompletionPlace, kind: WordKind, typed: string): Promise<Completion> {
  if (typeof kind === 'object') return toCompletion(await completeChoice(kind, typed));
  switch (kind) {
    case 'nothing':
      return toCompletion([]);
    case 'file':
      return { candidates: [], files: 'files' };
    case 'folder':
      return { candidates: [], files: 'folders' };
    case 'session':
      return { candidates: await completeSessions(place.io, typed), files: 'files' };
    case 'revision':
      return toCompletion(await completeRevision(place, typed));
    case 'revisions':
      return toCompletion(await completeEnd(LIST_BEGINNING, typed, (last) => completeRevision(place, last)));
    case 'range':
      return toCompletion(await completeRange(place, typed));
    case 'session or range':
      return completeSessionOrRange(place, typed);
    case 'agents':
      return toCompletion(await completeAgents(typed));
    case 'engines':
      return { candidates: await completeEngines(typed), files: 'files' };
    case 'rules':
      return toCompletion(await completeRules(typed));
    case 'rules and groups':
      return toCompletion(await completeEnd(LIST_BEGINNING, typed, (last) => completeRules(last, RULE_GROUPS)));
    case 'strategies':
      return toCompletion(await completeEnd(LIST_BEGINNING, typed, completeStrategies));
  }
}

/** The items of a list before the last one. */
const LIST_BEGINNING = /^.*,/s;

function completeChoice(
  { choices, isList }: Exclude<WordKind, string>,
  typed: string,
): Promise<readonly CompletionCandidate[]> {
  const complete = (last: string): Promise<readonly CompletionCandidate[]> =>
    Promise.resolve(completeNames(last, choices));
  return isList ? completeEnd(LIST_BEGINNING, typed, complete) : complete(typed);
}

async function completeEngines(typed: string): Promise<readonly CompletionCandidate[]> {
  const { engines } = await import('#lab/index.js');
  const names = engines.map(({ name }) => name);
  return completeNames(typed, names);
}

/** Completes a revision: of the session before it, else of the latest session. */
function completeRevision({ io, command, positional }: CompletionPlace, typed: string) {
  const at = command.args.findIndex(({ name }) => ['session', 'sessions', 'what'].includes(name));
  return completeRevisions(io, positional[Math.max(0, at)] ?? 'latest', typed);
}

function completeRange(place: CompletionPlace, typed: string): Promise<readonly CompletionCandidate[]> {
  return completeEnd(/^.*\.\./s, typed, (end) => completeRevision(place, end));
}

/** Completes a session with revisions, or a revision of a file (FILE@REV), as `ctx diff` takes them. */
async function completeSessionOrRange(place: CompletionPlace, typed: string): Promise<Completion> {
  const [, file = ''] = /^(.+)@/s.exec(typed) ?? [];
  if (file !== '' && (/^latest(?::|$)/.test(file) || place.io.files.exists(file)))
    return toCompletion(await completeEnd(/^.+@/s, typed, (revision) => completeRevisions(place.io, file, revision)));
  const ofSession = await completeRange(place, typed);
  if (place.positional.length > 0) return toCompletion(ofSession);
  return { candidates: [...(await completeSessions(place.io, typed)), ...ofSession], files: 'files' };
}

async function completeRules(typed: string, groups: readonly string[] = []): Promise<readonly CompletionCandidate[]> {
  const { loadRules } = await import('#analysis/check/index.js');
  return [...completeNames(typed, groups), ...completeItems(typed, await loadRules())];
}

async function completeStrategies(typed: string): Promise<readonly CompletionCandidate[]> {
  const { strategies } = await import('#change/prune/strategies/index.js');
  return completeItems(typed, strategies);
}
