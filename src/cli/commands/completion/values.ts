import path from 'node:path';
import { RULE_GROUPS } from '#analysis/check/define.js';
import { CtxError } from '#base/errors.js';
import { sliceStart } from '#base/text.js';
import { toVisibleLine } from '#base/visible.js';
import { createPiHandles, listPiSessionFiles, locateSession } from '#cli/locate.js';
import { openForCommand, withSession } from '#context/open.js';
import { describeEntry, entryName } from '#context/words/entry-text.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Io } from '#platform/io.js';
import { formatId, type Head } from '#session/heads/head.js';
import { readSession } from '#session/read-session.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { labelsOf, type Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import type { Command } from '../define.js';
import type { Completion, WordKind } from './line.js';

/** A completion and its description. */
export interface CompletionCandidate {
  readonly value: string;
  readonly about: string;
}

/** The command line of a word. */
export interface CompletionPlace {
  readonly io: Io;
  readonly command: Command;
  /** Words before it that are neither flags nor their values. */
  readonly positional: readonly string[];
}

/** The completions of a typed beginning. */
export async function listCandidates(place: CompletionPlace, kind: WordKind, typed: string): Promise<Completion> {
  if (typeof kind === 'object') return only(await chosen(kind, typed));
  if (kind === 'engines') return { candidates: startingWith(typed, await engineNames()), files: 'files' };
  if (kind === 'session') return { candidates: await sessionsNamed(place.io, typed), files: 'files' };
  if (kind === 'nothing') return only([]);
  if (kind === 'rules') return only(await ruleNames(typed));
  if (kind === 'agents') return only(await agentsNamed(typed));
  if (kind === 'file' || kind === 'folder') return { candidates: [], files: `${kind}s` };
  switch (kind) {
    case 'revision':
      return only(await revisions(place, typed));
    case 'revisions':
      return only(await behind(/^.*,/s, typed, (last) => revisions(place, last)));
    case 'range':
      return only(await ends(place, typed));
    case 'session or range':
      return sessionOrRange(place, typed);
    case 'rules and groups':
      return only(await behind(/^.*,/s, typed, (last) => ruleNames(last, RULE_GROUPS)));
    case 'strategies':
      return only(await behind(/^.*,/s, typed, strategyNames));
  }
}

function only(candidates: readonly CompletionCandidate[]): Completion {
  return { candidates, files: 'none' };
}

function startingWith(typed: string, parts: readonly NamedPart[]): readonly CompletionCandidate[] {
  return parts
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, summary }) => ({ value: name, about: summary }));
}

function chosen(
  { choices, isList }: Exclude<WordKind, string>,
  typed: string,
): Promise<readonly CompletionCandidate[]> {
  const words = choices.map(withoutSummary);
  return behind(isList ? /^.*,/s : /^/, typed, (last) => Promise.resolve(startingWith(last, words)));
}

async function engineNames(): Promise<readonly NamedPart[]> {
  const { engines } = await import('#lab/index.js');
  return engines.map(({ name }) => withoutSummary(name));
}

type NamedPart = Readonly<Record<'name' | 'summary', string>>;
const withoutSummary = (name: string): NamedPart => ({ name, summary: '' });

/** Candidates for the end of a word, with the beginning that a pattern matches before each. */
async function behind(
  beginning: RegExp,
  typed: string,
  find: (rest: string) => Promise<readonly CompletionCandidate[]>,
): Promise<readonly CompletionCandidate[]> {
  const [kept = ''] = beginning.exec(typed) ?? [];
  const found = await find(typed.slice(kept.length));
  return found.map(({ value, about }) => ({ value: kept + value, about }));
}

/** Completes a revision: of the session before it, else of the latest session. */
function revisions({ io, command, positional }: CompletionPlace, typed: string) {
  const at = command.args.findIndex(({ name }) => ['session', 'sessions', 'what'].includes(name));
  return revisionsOf(io, positional[Math.max(0, at)] ?? 'latest', typed);
}

function ends(place: CompletionPlace, typed: string): Promise<readonly CompletionCandidate[]> {
  return behind(/^.*\.\./s, typed, (end) => revisions(place, end));
}

/** As in `ctx diff`: a session and revisions, or a revision of a file, FILE@REV. */
async function sessionOrRange(place: CompletionPlace, typed: string): Promise<Completion> {
  const [, file = ''] = /^(.+)@/s.exec(typed) ?? [];
  if (file !== '' && (/^latest(?::|$)/.test(file) || place.io.files.exists(file)))
    return only(await behind(/^.+@/s, typed, (revision) => revisionsOf(place.io, file, revision)));
  const ofSession = await ends(place, typed);
  if (place.positional.length > 0) return only(ofSession);
  return { candidates: [...(await sessionsNamed(place.io, typed)), ...ofSession], files: 'files' };
}

/** Of what cannot be read there is nothing to offer. Standard input is not there while a line is typed. */
async function revisionsOf(io: Io, session: string, typed: string): Promise<readonly CompletionCandidate[]> {
  if (session === '-') return [];
  try {
    const file = await locateSession(io, session);
    return await withSession(openForCommand(io, file), (opened) => revisionsIn(opened, typed));
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  }
}

async function ruleNames(typed: string, groups: readonly string[] = []): Promise<readonly CompletionCandidate[]> {
  const { loadRules } = await import('#analysis/check/index.js');
  return startingWith(typed, [...groups.map(withoutSummary), ...(await loadRules())]);
}

async function strategyNames(typed: string): Promise<readonly CompletionCandidate[]> {
  return startingWith(typed, (await import('#change/prune/strategies/index.js')).strategies);
}

async function agentsNamed(typed: string): Promise<readonly CompletionCandidate[]> {
  return startingWith(typed, (await import('#session/agents/index.js')).listAgentNames().map(withoutSummary));
}

/** The number of sessions, newest first, that are opened for their titles. */
const MOST = 40;
/** That holds the header and the first messages, and of a short session all of it. */
const BEGINNING_BYTES = 65_536;

const OF_AGENT = /^(?:latest|all):/;

async function sessionsNamed(io: Io, typed: string): Promise<readonly CompletionCandidate[]> {
  return OF_AGENT.test(typed) ? behind(OF_AGENT, typed, agentsNamed) : sessionsOfPi(io, typed);
}

/**
 * Sessions of Pi's folder, the newest first: those whose id begins with the typed text, or, without any, those whose
 * name contains it.
 */
function sessionsOfPi(io: Io, typed: string): readonly CompletionCandidate[] {
  // A file's name begins with when the session began.
  const all = [...listPiSessionFiles(io)].toSorted((a, b) => (path.basename(a.file) < path.basename(b.file) ? 1 : -1));
  const handleOf = createPiHandles(io);
  const candidateOf = ({ file, id }: (typeof all)[number]): CompletionCandidate => {
    const handle = handleOf(file);
    // A typed prefix that is longer than the handle is completed to the whole id.
    return { value: id.startsWith(typed) && !handle.startsWith(typed) ? id : handle, about: nameIn(io, file) };
  };
  const latest = all.length > 0 && 'latest'.startsWith(typed) ? [LATEST] : [];
  const byId = all.filter(({ id }) => id.startsWith(typed)).slice(0, MOST);
  if (byId.length > 0 || latest.length > 0) return [...latest, ...byId.map(candidateOf)];
  const wanted = typed.toLowerCase();
  return all
    .slice(0, MOST)
    .map(candidateOf)
    .filter(({ about }) => about.toLowerCase().includes(wanted));
}

const LATEST: CompletionCandidate = { value: 'latest', about: 'the session that was written last' };

/** The title of a session, as far as its first bytes contain it. */
function nameIn({ files }: Io, file: string): string {
  const bytes = files.beginning(file, BEGINNING_BYTES);
  try {
    return toVisibleLine(findSessionTitle(readSession(toByteSource(bytes), file)));
  } catch (error) {
    if (error instanceof CtxError) return '';
    throw error;
  }
}

/** The maximum number of turns, requests, labels and entries in a list. */
const MOST_REVISIONS = 24;
const LONGEST_ABOUT = 60;

/** Revisions of a session with the typed prefix: names, labels, turns, and entries, the newest ones without a prefix. */
function revisionsIn(session: Session, typed: string): readonly CompletionCandidate[] {
  const { leaf } = session.tree;
  const along = activePath(session.tree);
  // Turns and requests are offered only after `@{`, since they are many.
  const counted = typed.startsWith('@{')
    ? [
        ...numbered(session, 'turn', along.filter(startsTurn)),
        ...numbered(session, 'request', along.filter(answersRequest)),
      ]
    : [];
  const named: readonly CompletionCandidate[] = [
    ...(leaf ? [{ value: 'HEAD', about: aboutOf(session, leaf) }] : []),
    ...labelled(session),
    ...(along.some(({ type }) => type === 'compaction')
      ? [{ value: '@{compaction}', about: 'the latest compaction' }]
      : []),
  ];
  const known = [...named, ...counted].filter(({ value }) => value.startsWith(typed));
  return [...known, ...entries(session, along, typed)];
}

/** The last ones, by their numbers from the first. */
function numbered(session: Session, kind: string, heads: readonly Head[]): readonly CompletionCandidate[] {
  const first = Math.max(0, heads.length - MOST_REVISIONS);
  return heads
    .slice(first)
    .map((head, at) => ({ value: `@{${kind}:${first + at + 1}}`, about: aboutOf(session, head) }));
}

function labelled(session: Session): readonly CompletionCandidate[] {
  const newest = [...labelsOf(session)].slice(-MOST_REVISIONS);
  return newest.flatMap(([id, label]) => {
    const head = session.tree.heads.find(id as string);
    return head ? [{ value: label, about: aboutOf(session, head) }] : [];
  });
}

/** An id is typed by its beginning; before that, the newest of the along are offered. */
function entries(session: Session, along: readonly Head[], typed: string): readonly CompletionCandidate[] {
  const found =
    typed === ''
      ? along.slice(-MOST_REVISIONS)
      : [...session.tree.heads.findByIds((id) => typeof id === 'string' && id.startsWith(typed))].slice(
          -MOST_REVISIONS,
        );
  return found.toReversed().flatMap((head) => {
    const value = formatId(head.id);
    return value === null || value === undefined ? [] : [{ value, about: aboutOf(session, head) }];
  });
}

function aboutOf(session: Session, head: Head): string {
  const text = toVisibleLine(`${entryName(head)}  ${describeEntry(session.entry(head))}`);
  return text.length <= LONGEST_ABOUT ? text : `${sliceStart(text, LONGEST_ABOUT).trimEnd()} …`;
}
