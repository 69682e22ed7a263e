import type * as z from 'zod/mini';
import type { Problem, Severity } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import type { SentMessage } from '#context/replay/message-list.js';
import type { LineSpan } from '#session/scan/bytes.js';
import type { Session } from '#session/session.js';
import type { Head, RawId } from '#session/table/head.js';

/** The groups of rules. A group is loaded only when one of its rules is on. */
export const GROUPS = ['file', 'tree', 'schema', 'context', 'provider', 'cache', 'policy', 'secrets'] as const;

export type Group = (typeof GROUPS)[number];

/** Something that a rule has found; who runs the rule adds which rule it was. */
export interface Hit {
  /** The problem, in a sentence without the entry's id or line. */
  readonly message: string;
  /** The entry or the lines that it is about; left out for the session as a whole. The line of an entry is enough. */
  readonly at?: Pick<LineSpan, 'line'> & Partial<LineSpan> & { readonly id?: RawId };
  /** Where in the entry: `message.content[0].text`. */
  readonly place?: string;
  /** The shortest way to mend it. */
  readonly fix?: string;
  /** Other entries that have to do with it. */
  readonly related?: readonly RawId[];
}

/**
 * A session as its lines: objects become JSON, strings and bytes stay as they are. Each is followed by a newline,
 * but for a string at the end.
 */
export type Example = readonly (JsonObject | string | Uint8Array)[];

interface About<Options> {
  /** Its stable id. */
  readonly name: string;
  readonly group: Group;
  /** null: the rule is off until the configuration says how bad it is. */
  readonly severity: Severity | null;
  /** The problem that it finds, in one line. */
  readonly summary: string;
  /** Why that matters and what to do about it, in a few plain sentences of Markdown. */
  readonly help: string;
  /** Its options; every field has a default unless the rule is off without it. */
  readonly options?: z.ZodMiniType<Options>;
  /** The smallest session that it finds something in, null where that is too big to show, and one like it without a finding. */
  readonly example: { readonly fires: Example | null; readonly silent: Example; readonly options?: Options };
}

type Found = Iterable<Hit> | Promise<Iterable<Hit>>;

/** Looks at what was found when the file was read: problems, heads, links. No entry is parsed. */
interface SessionRule<Options> {
  readonly looksAt: 'session';
  find(session: Session, options: Options): Found;
}

/**
 * Looks at every entry of the file by itself, at nothing but its shape: keys, kinds of values, and the words at `type`,
 * `role` and `op`; of `arguments`, `details`, `data` and `parameters` only whether they are a list, an object or what
 * else. So it is shown only one of many entries of the same shape, if nothing is found in it.
 */
interface ShapeRule<Options> {
  readonly looksAt: 'shape';
  find(entry: JsonObject, head: Head, options: Options): Iterable<Hit>;
}

/** Looks at every entry of the file by itself, in any order. */
interface EntryRule<Options> {
  readonly looksAt: 'entry';
  /** Only entries whose line holds one of these strings, as it stands in JSON, are looked at: see `TextFinder`. */
  readonly anchors?: readonly string[];
  find(entry: JsonObject, head: Head, options: Options): Found;
}

interface Change {
  readonly before: EnvelopeContent;
  readonly after: EnvelopeContent;
  /** Where each of the cached messages after it comes from; to be asked for during the step only. */
  origins(): readonly Provenance[];
}

/** An entry of the active path, and what it does to the context. */
export interface PathStep {
  readonly head: Head;
  readonly entry: JsonObject;
  /** The context before and after the entry; null where it only adds a message, or nothing. */
  readonly change: Change | null;
  /** The diagnostics of replay for the entry: broken boundary rules, unknown types, and the like. */
  readonly diagnostics: readonly Problem[];
}

/** Follows the active path from its root. */
interface PathRule<Options> {
  readonly looksAt: 'path';
  watch(options: Options, session: Session): { step(step: PathStep): Iterable<Hit>; end?(): Iterable<Hit> };
}

/**
 * Looks at the messages of a request, one after another. A request that only adds messages to the one before it
 * is watched by the same watcher, which is told of the end of each.
 */
interface RequestRule<Options> {
  readonly looksAt: 'request';
  watch(options: Options, session: Session): { see(sent: SentMessage): Iterable<Hit>; end?(): Iterable<Hit> };
}

/** Looks at what the model would be shown next. */
interface EnvelopeRule<Options> {
  readonly looksAt: 'envelope';
  find(envelope: ContextEnvelope, session: Session, options: Options): Found;
}

type RuleOf<Options> = About<Options> &
  (
    | SessionRule<Options>
    | ShapeRule<Options>
    | EntryRule<Options>
    | PathRule<Options>
    | RequestRule<Options>
    | EnvelopeRule<Options>
  );

/** One thing that can be wrong with a session. */
export type Rule = RuleOf<never>;

export type RuleThat<LooksAt extends Rule['looksAt']> = Extract<Rule, { readonly looksAt: LooksAt }>;

/** A rule without options is given undefined. */
export function defineRule<Options = undefined>(definition: RuleOf<Options>): Rule {
  // Rules of different options stand in one list; each is given only what its own schema has read.
  return definition as unknown as Rule;
}

const LONGEST_QUOTE = 60;

/** A value of a session for the middle of a sentence: short, and on one line. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function shortened(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}
