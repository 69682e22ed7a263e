import type * as z from 'zod/mini';
import type { Problem, Severity } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { truncate } from '#base/text.js';
import type { EnvelopeOptions, ReplayedContext } from '#context/replay/build-envelope.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { SentMessage } from '#context/replay/message-list.js';
import type { Entry } from '#session/entry.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { LineSpan } from '#session/scan/lines.js';
import type { Session } from '#session/session.js';

/** The groups of rules. A group is loaded only when one of its rules is on. */
export const RULE_GROUPS = ['file', 'tree', 'schema', 'context', 'provider', 'cache', 'policy', 'secrets'] as const;

export type RuleGroup = (typeof RULE_GROUPS)[number];

/** A finding of a rule; the runner adds the name of the rule. */
export interface Hit {
  /** The problem, in a sentence without the entry's id or line. */
  readonly message: string;
  /** The entry or the lines of the finding; omitted for the session as a whole. The line of an entry is enough. */
  readonly at?: (Pick<LineSpan, 'line'> & Partial<LineSpan> & { readonly id?: RawId }) | undefined;
  /** The place in the entry: `message.content[0].text`. */
  readonly place?: string;
  /** The shortest way to repair it. */
  readonly fix?: string | undefined;
  /** Other entries that are involved. */
  readonly related?: readonly RawId[];
  /** false: the session lacks the data of the rule, which found nothing either way. See `buildUncheckedHit`. */
  readonly isChecked?: false;
}

/** The hit of a rule whose data a session does not record. A gate that cannot look must not pass in silence. */
export function buildUncheckedHit(why: string, fix?: string): Hit {
  return { message: `not checked: ${why}`, isChecked: false, fix };
}

/** Whether hits are an empty list, as for most messages: then no generator has to look at them. */
export function isEmptyList(hits: Iterable<Hit>): boolean {
  return Array.isArray(hits) && hits.length === 0;
}

/**
 * A session as its lines: objects become JSON, strings and bytes are unchanged. A newline follows each, except a
 * string at the end.
 */
export type Example = readonly (JsonObject | string | Uint8Array)[];

interface RuleTexts<Options> {
  /** Its stable id. */
  readonly name: string;
  /** null: the rule is off until the configuration sets its severity. */
  readonly severity: Severity | null;
  /** true: it is about what Pi needs in its own files, so sessions of other agents are not checked. */
  readonly isOnlyForPi?: true;
  /** The problem that it reports, in one line. */
  readonly summary: string;
  /** The consequences and the remedy, in a few plain sentences of Markdown. */
  readonly help: string;
  /** Its options; a field without a default is required to switch the rule on. */
  readonly options?: z.ZodMiniType<Options>;
  /** The command that supplies the options, for a rule that a configuration gives none. */
  readonly optionsFrom?: string;
  /** Completes options that name another session, with what the rule compares of it. Done once, before any check. */
  prepare?(options: Options, open: (name: string) => Promise<Session>): Promise<Options>;
  /** The smallest session with a finding, null if that is too large, and a similar one without a finding. */
  readonly example: { readonly fires: Example | null; readonly silent: Example; readonly options?: Options };
}

/** Checks the results of reading the file: problems, heads, links. No entry is parsed. */
interface SessionRule<Options> {
  readonly looksAt: 'session';
  find(session: Session, options: Options): Iterable<Hit>;
}

/**
 * Checks the shape of every entry of the file by itself: keys, kinds of values, and the values of `type`, `role` and
 * `op`; for `arguments`, `details`, `data` and `parameters` only whether they are a list, an object or another value.
 * Of many entries with the same shape, the rule sees only one, unless it reports a finding.
 */
interface ShapeRule<Options> {
  readonly looksAt: 'shape';
  find(entry: Entry, head: Head, options: Options): Iterable<Hit>;
}

/** Checks every entry of the file by itself, in any order. */
interface EntryRule<Options> {
  readonly looksAt: 'entry';
  /** Limits the rule to entries whose line contains one of these strings, as written in JSON: see `TextFinder`. */
  readonly anchors?: readonly string[];
  find(entry: Entry, head: Head, options: Options): Iterable<Hit>;
}

interface Change {
  readonly before: EnvelopeContent;
  readonly after: EnvelopeContent;
  /** The source of each cached message after it; valid only during the step. */
  origins(): readonly Provenance[];
}

/** An entry of the active path, and its effect on the context. */
export interface PathEntry {
  readonly head: Head;
  readonly entry: Entry;
  /** The context before and after the entry; null if it only adds a message, or nothing. */
  readonly change: Change | null;
  /** The content of a request after the entry, as it is sent; valid only during the step. */
  context(): EnvelopeContent;
  /** The diagnostics of replay for the entry, such as rejected operations and unknown types. */
  readonly diagnostics: readonly Problem[];
}

interface PathRule<Options> {
  readonly looksAt: 'path';
  /** `settings`: what the session does not record, such as the context window. */
  watch(options: Options, session: Session, settings: EnvelopeOptions): PathWatch;
}

/** Looks at the entries of a path in order. */
interface PathWatch {
  step(step: PathEntry): Iterable<Hit>;
  end?(): Iterable<Hit>;
}

/**
 * Checks the messages of a request in order. A request that only adds messages to the previous one is passed to the
 * same watcher, which is notified of the end of each.
 */
interface RequestRule<Options> {
  readonly looksAt: 'request';
  watch(options: Options, session: Session): RequestWatch;
}

/** Looks at the messages of requests in order. `end`: at the end of each request. */
export interface RequestWatch {
  see(sent: SentMessage): Iterable<Hit>;
  end?(): Iterable<Hit>;
}

/** Checks the context of the next request. Its tokens are counted only for a rule that calls `envelope`. */
interface EnvelopeRule<Options> {
  readonly looksAt: 'envelope';
  find(context: ReplayedContext, session: Session, options: Options): Iterable<Hit>;
}

type RuleOf<Options> = RuleTexts<Options> &
  (
    | SessionRule<Options>
    | ShapeRule<Options>
    | EntryRule<Options>
    | PathRule<Options>
    | RequestRule<Options>
    | EnvelopeRule<Options>
  );

/** A rule as its file defines it. It is given only options that its own schema has read. */
export type RuleDefinition = RuleOf<unknown>;

/** A rule of `ctx check`. Its group is the one whose list it is in. */
export type Rule = RuleDefinition & { readonly group: RuleGroup };

export type RuleLookingAt<LooksAt extends RuleDefinition['looksAt']> = Extract<
  RuleDefinition,
  { readonly looksAt: LooksAt }
>;

/** Defines a rule. A rule without options receives undefined. */
export function defineRule<Options = undefined>(definition: RuleOf<Options>): RuleDefinition {
  return definition;
}

const LONGEST_QUOTE = 60;

/** Formats a value of a session for a sentence: short, and on one line. */
export function quoteValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(truncate(value, LONGEST_QUOTE));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
