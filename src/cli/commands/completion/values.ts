import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { visibleLine } from '#base/visible.js';
import { locateSession, sessionFiles } from '#cli/locate.js';
import { handlesFrom } from '#cli/sessions/handles.js';
import { openHere } from '#context/open.js';
import { titleOf } from '#context/words/title.js';
import type { Io } from '#platform/io.js';
import { bytesIn } from '#session/scan/bytes.js';
import { readSession } from '#session/session.js';
import type { Command } from '../define.js';
import type { Completion } from './line.js';
import { revisionsIn } from './revisions.js';

/** A completion and its description. */
export interface CompletionCandidate {
  readonly value: string;
  readonly about: string;
}

/** The kinds of words on a line. */
export type Kind =
  | 'nothing'
  | 'file'
  | 'folder'
  | 'session'
  | 'revision'
  /** Several, separated by commas. */
  | 'revisions'
  /** A revision, or two of them as A..B. */
  | 'range'
  | 'session or range'
  | 'agents'
  | 'rules'
  | 'strategies'
  | { readonly choices: readonly string[] };

/** The command line of a word. */
export interface CompletionPlace {
  readonly io: Io;
  readonly command: Command;
  /** Words before it that are neither flags nor their values. */
  readonly positional: readonly string[];
}

/** The completions of a typed beginning. */
export async function candidatesFor(place: CompletionPlace, kind: Kind, typed: string): Promise<Completion> {
  if (typeof kind === 'object') return only(namesFrom(kind.choices, typed));
  switch (kind) {
    case 'nothing':
      return only([]);
    case 'file':
      return { candidates: [], files: 'files' };
    case 'folder':
      return { candidates: [], files: 'folders' };
    case 'session':
      return { candidates: sessionsNamed(place.io, typed), files: 'files' };
    case 'revision':
      return only(await revisions(place, typed));
    case 'revisions':
      return only(await behind(/^.*,/s, typed, (last) => revisions(place, last)));
    case 'range':
      return only(await ends(place, typed));
    case 'session or range':
      return sessionOrRange(place, typed);
    case 'agents':
      return only(namesFrom((await import('#cli/sessions/foreign-files.js')).agentNames(), typed));
    case 'rules':
      return only(await behind(/^.*,/s, typed, ruleNames));
    case 'strategies':
      return only(await behind(/^.*,/s, typed, strategyNames));
  }
}

function only(candidates: readonly CompletionCandidate[]): Completion {
  return { candidates, files: 'none' };
}

function namesFrom(names: readonly string[], typed: string): readonly CompletionCandidate[] {
  return names.filter((name) => name.startsWith(typed)).map((value) => ({ value, about: '' }));
}

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
function revisions(
  { io, command, positional }: CompletionPlace,
  typed: string,
): Promise<readonly CompletionCandidate[]> {
  const at = Math.max(
    0,
    command.args.findIndex(({ name }) => name === 'session' || name === 'sessions' || name === 'what'),
  );
  return revisionsOf(io, positional[at] ?? 'latest', typed);
}

function ends(place: CompletionPlace, typed: string): Promise<readonly CompletionCandidate[]> {
  return behind(/^.*\.\./s, typed, (end) => revisions(place, end));
}

/** As in `ctx diff`: a session and revisions, or a revision of a file, FILE@REV. */
async function sessionOrRange(place: CompletionPlace, typed: string): Promise<Completion> {
  const [, file = ''] = /^(.+)@/s.exec(typed) ?? [];
  if (file !== '' && place.io.files.exists(file)) {
    const kept = `${file}@`;
    const found = await revisionsOf(place.io, file, typed.slice(kept.length));
    return only(found.map(({ value, about }) => ({ value: kept + value, about })));
  }
  const ofSession = await ends(place, typed);
  if (place.positional.length > 0) return only(ofSession);
  return { candidates: [...sessionsNamed(place.io, typed), ...ofSession], files: 'files' };
}

/** Of what cannot be read there is nothing to offer. Standard input is not there while a line is typed. */
async function revisionsOf(io: Io, session: string, typed: string): Promise<readonly CompletionCandidate[]> {
  if (session === '-') return [];
  try {
    const opened = await openHere(io, locateSession(io, session));
    try {
      return revisionsIn(opened, typed);
    } finally {
      opened.close();
    }
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  }
}

async function ruleNames(typed: string): Promise<readonly CompletionCandidate[]> {
  const rules = await (await import('#analysis/check/index.js')).loadRules();
  const all = rules.map(({ name, summary }) => ({ value: name, about: summary }));
  return all.filter(({ value }) => value.startsWith(typed));
}

async function strategyNames(typed: string): Promise<readonly CompletionCandidate[]> {
  const { strategies } = await import('#change/prune/strategies/index.js');
  const all = strategies.map(({ name, summary }) => ({ value: name, about: summary }));
  return all.filter(({ value }) => value.startsWith(typed));
}

/** The number of sessions, newest first, that are opened for their titles. */
const MOST = 40;
/** That holds the header and the first messages, and of a short session all of it. */
const BEGINNING_BYTES = 65_536;

/**
 * Sessions of Pi's folder, the newest first: those whose id begins with the typed text, or, without any, those whose
 * name contains it.
 */
function sessionsNamed(io: Io, typed: string): readonly CompletionCandidate[] {
  // A file's name begins with when the session began.
  const all = [...sessionFiles(io)].toSorted((a, b) => (path.basename(a.file) < path.basename(b.file) ? 1 : -1));
  const handleOf = handlesFrom(io);
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
    return visibleLine(titleOf(readSession(bytesIn(bytes), file)));
  } catch (error) {
    if (error instanceof CtxError) return '';
    throw error;
  }
}
