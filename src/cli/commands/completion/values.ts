import { RULE_GROUPS } from '#analysis/check/define.js';
import type { Io } from '#platform/io.js';
import type { Command } from '../define.js';
import type { Completion, CompletionCandidate } from './completion.js';
import { completeEnd, filterParts, type NamedPart, toNamedPart } from './parts.js';
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
  if (kind === 'engines') return { candidates: filterParts(typed, await listEngines()), files: 'files' };
  if (kind === 'session') return { candidates: await completeSessions(place.io, typed), files: 'files' };
  if (kind === 'nothing') return toCompletion([]);
  if (kind === 'rules') return toCompletion(await completeRules(typed));
  if (kind === 'agents') return toCompletion(await completeAgents(typed));
  if (kind === 'file' || kind === 'folder') return { candidates: [], files: `${kind}s` };
  switch (kind) {
    case 'revision':
      return toCompletion(await completeRevision(place, typed));
    case 'revisions':
      return toCompletion(await completeEnd(/^.*,/s, typed, (last) => completeRevision(place, last)));
    case 'range':
      return toCompletion(await completeRange(place, typed));
    case 'session or range':
      return completeSessionOrRange(place, typed);
    case 'rules and groups':
      return toCompletion(await completeEnd(/^.*,/s, typed, (last) => completeRules(last, RULE_GROUPS)));
    case 'strategies':
      return toCompletion(await completeEnd(/^.*,/s, typed, completeStrategies));
  }
}

function toCompletion(candidates: readonly CompletionCandidate[]): Completion {
  return { candidates, files: 'none' };
}

function completeChoice(
  { choices, isList }: Exclude<WordKind, string>,
  typed: string,
): Promise<readonly CompletionCandidate[]> {
  const words = choices.map(toNamedPart);
  return completeEnd(isList ? /^.*,/s : /^/, typed, (last) => Promise.resolve(filterParts(last, words)));
}

async function listEngines(): Promise<readonly NamedPart[]> {
  const { engines } = await import('#lab/index.js');
  return engines.map(({ name }) => toNamedPart(name));
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
  return filterParts(typed, [...groups.map(toNamedPart), ...(await loadRules())]);
}

async function completeStrategies(typed: string): Promise<readonly CompletionCandidate[]> {
  return filterParts(typed, (await import('#change/prune/strategies/index.js')).strategies);
}
