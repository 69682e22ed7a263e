import { isObject, type JsonObject } from '#base/json.js';
import { version3Entry } from '#context/format/entries.js';
import type { Entry } from '#session/entry.js';
import { BLOCK_TYPES, storedMessage as messageSchema } from '#session/format/messages.js';
import type { Head } from '#session/heads/head.js';
import { type Hit, quoteValue } from '../define.js';
import {
  describeFlaw,
  findFlawSubject,
  type FlawSubject,
  formatFieldPath,
  isTagFlaw,
  listSchemaFlaws,
  type SchemaFlaw,
} from './schema-flaws.js';

const NONE: readonly never[] = [];

/** The misfits of an entry that the rule of one name reports. */
export function listMisfitHits(rule: Misfit['rule'], entry: Entry, head: Head): readonly Hit[] {
  const misfits = listMisfits(entry);
  if (misfits.length === 0) return NONE;
  return misfits.flatMap((misfit) =>
    misfit.rule === rule ? { message: misfit.message, at: head, place: misfit.place, ...fixOf(misfit) } : [],
  );
}

/** The newest entry that was read: all rules ask for the same entry in turn. */
let newest: { readonly entry: Entry; readonly misfits: readonly Misfit[] } | null = null;

function listMisfits(entry: Entry): readonly Misfit[] {
  if (newest?.entry === entry) return newest.misfits;
  const flaws = [...listSchemaFlaws(version3Entry, entry), ...listOpFlaws(entry)];
  const misfits = flaws.flatMap((flaw) => toMisfit(entry, flaw) ?? []);
  newest = { entry, misfits };
  return misfits;
}

/** The rules whose faults keep Pi from building a request, or make a provider reject it. */
const OF_REQUESTS: ReadonlySet<Misfit['rule']> = new Set([
  'message-fields',
  'block-fields',
  'op-fields',
  'usage-fields',
  'misplaced-block',
  'unknown-block',
  'missing-content',
]);

/**
 * The reasons why Pi cannot send a message, or a provider rejects it. `isStored`: the message becomes an entry, whose
 * usage Pi reads as well.
 */
export function listMessageFaults(message: unknown, isStored: boolean): readonly Misfit[] {
  const entry: Entry = isStored
    ? { type: 'message', message }
    : { type: 'context_transform', patch: [{ messages: [message] }] };
  const path = isStored ? ['message'] : ['patch', 0, 'messages', 0];
  return listSchemaFlaws(messageSchema, message, path)
    .flatMap((flaw) => toMisfit(entry, flaw) ?? [])
    .filter(({ rule }) => OF_REQUESTS.has(rule));
}

/** The schemas of ops do not look into messages, since replay takes them as they are. */
function* listOpFlaws({ type, patch }: JsonObject): Generator<SchemaFlaw> {
  if (type !== 'context_transform' || !Array.isArray(patch)) return;
  for (const [at, op] of patch.entries()) {
    const messages: unknown = isObject(op) ? op.messages : null;
    if (!Array.isArray(messages)) continue;
    for (const [index, stored] of messages.entries())
      yield* listSchemaFlaws(messageSchema, stored, ['patch', at, 'messages', index]);
  }
}

/** Something in an entry that no version of Pi writes, and the rule that reports it. */
export interface Misfit {
  readonly rule:
    | 'entry-fields'
    | 'message-fields'
    | 'block-fields'
    | 'op-fields'
    | 'usage-fields'
    | 'odd-fields'
    | 'missing-content'
    | 'misplaced-block'
    | 'unknown-entry'
    | 'unknown-role'
    | 'unknown-block';
  readonly place: string;
  readonly message: string;
  /** How `ctx repair` repairs it, if it does. */
  readonly fix?: string | undefined;
}

function fixOf({ fix }: Misfit): Pick<Hit, 'fix'> {
  return fix === undefined ? {} : { fix };
}

/** The misfit of a flaw in an entry; null if it has no effect, or if another rule reports it. */
function toMisfit(entry: Entry, { path, issue }: SchemaFlaw): Misfit | null {
  const subject = findFlawSubject(entry, path);
  const isOfOp = path[0] === 'patch';
  if (isOfAnotherRule(subject) || (isOfOp && DOES_NOT_MATTER_IN_OPS.has(subject.field[0]))) return null;
  // JSON can contain a number that is too large for JavaScript.
  if (issue.code === 'invalid_type' && issue.expected === 'number' && typeof subject.value === 'number') return null;
  const place = formatFieldPath(path);
  if (isTagFlaw(issue) && typeof subject.value === 'string')
    return { ...describeUnknownKind(subject, subject.value), place };
  // Pi replaces missing content as it reads an entry, not in a request that an op has changed.
  if (!isOfOp && isWithoutContent(subject))
    return { rule: 'missing-content', place, message: 'the message has no content' };
  const expectation = describeFlaw(issue, describeSubject(subject), subject.value);
  const consequence = findConsequence(subject);
  if (consequence === undefined || entry.type === 'ephemeral')
    return { rule: 'odd-fields', place, message: expectation };
  return {
    rule: isOfOp ? 'op-fields' : nameFieldsRule(subject),
    place,
    message: `${expectation}: ${consequence}`,
    fix: isOfOp || entry.type !== 'message' ? undefined : describeRepair(subject),
  };
}

function nameFieldsRule(subject: FlawSubject): Misfit['rule'] {
  return isUsage(subject) ? 'usage-fields' : `${subject.kind}-fields`;
}

/** Whether other rules report it: links, times, patches that replay rejects, an edit without replacement, no type. */
function isOfAnotherRule({ kind, name, field: [first, second], value }: FlawSubject): boolean {
  if (kind !== 'entry') return false;
  if (first === 'patch' || first === 'schemaVersion' || (first === 'type' && typeof name !== 'string')) return true;
  if (second !== undefined) return false;
  return LINKS_AND_TIMES.has(first) || (name === 'context_edit' && first === 'replacement' && value === undefined);
}

const LINKS_AND_TIMES: ReadonlySet<unknown> = new Set([
  'id',
  'parentId',
  'timestamp',
  'targetId',
  'fromId',
  'firstKeptEntryId',
  'firstKeptEntryIndex',
]);

/** Fields that Pi reads only in stored entries, or that the schemas of ops validate themselves. */
const DOES_NOT_MATTER_IN_OPS: ReadonlySet<unknown> = new Set(['usage', 'provider', 'model', 'role']);

function describeUnknownKind({ kind, name }: FlawSubject, tag: string): Pick<Misfit, 'rule' | 'message'> {
  if (kind === 'entry') return { rule: 'unknown-entry', message: `unknown entry type ${quoteValue(tag)}` };
  if (kind === 'message')
    return { rule: 'unknown-role', message: `unknown role ${quoteValue(tag)}: Pi does not send the message` };
  return BLOCK_TYPES.has(name)
    ? { rule: 'misplaced-block', message: `${quoteValue(tag)} blocks are not allowed in this message` }
    : { rule: 'unknown-block', message: `unknown block type ${quoteValue(tag)}` };
}

function isWithoutContent({ kind, name, field, value }: FlawSubject): boolean {
  if (field.length !== 1 || field[0] !== 'content' || (value !== null && value !== undefined)) return false;
  return kind === 'message' ? MAY_LACK_CONTENT.has(name) : name === 'custom_message';
}

/** Roles in which Pi treats missing content as empty. */
const MAY_LACK_CONTENT: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

function describeSubject({ kind, name, field }: FlawSubject): string {
  const ofKind = kind === 'block' ? 'content block' : kind;
  const whose = typeof name === 'string' ? `${name} ${kind}` : ofKind;
  return field.length === 0 ? `the ${whose}` : `${formatFieldPath(field)} of the ${whose}`;
}

function findConsequence(subject: FlawSubject): string | undefined {
  const { kind, name, field } = subject;
  if (isUsage(subject)) return OF_NO_USAGE;
  if (kind === 'message' && field[0] === 'role') return OF_NO_ROLE;
  if (kind === 'block' && (field.length === 0 || field[0] === 'type')) return OF_NO_BLOCK;
  const consequences = { entry: OF_ENTRIES, message: OF_MESSAGES, block: OF_BLOCKS }[kind];
  const keys = field.map((key) => (typeof key === 'number' ? '*' : String(key)));
  const exact = `${String(name)} ${keys.join('.')}`;
  const anyKey = `${String(name)} ${[...keys.slice(0, -1), '*'].join('.')}`;
  const key = [exact, anyKey].find((each) => Object.hasOwn(consequences, each));
  return key === undefined ? undefined : consequences[key];
}

function isUsage({ field: [first, second, third] }: FlawSubject): boolean {
  return first === 'usage' && (second === undefined || (second === 'cost' && third === undefined));
}

/** How `ctx repair` repairs a field of a message; undefined if it does not. */
function describeRepair({ kind, name, field: [first, second], value }: FlawSubject): string | undefined {
  if (second !== undefined) return undefined;
  if (kind === 'block' && name === 'toolCall' && first === 'arguments') return '`ctx repair` writes them as an object';
  const isText = kind === 'message' && name !== 'user' && first === 'content' && typeof value === 'string';
  return isText ? '`ctx repair` writes the text as a content block' : undefined;
}

type Consequences = Readonly<Record<string, string>>;

const NO_COUNT = 'Pi may stop with an error when it counts tokens';
const NO_REQUEST = 'Pi may stop with an error before the next request';
const REFUSED = 'the provider rejects the request';
const NOT_TOLD = 'the model does not see it';
const OTHER_PROMPT = 'the system prompt is wrong';

/**
 * Consequences of a missing or invalid field, by the type of the entry and the place of the field.
 * Pi ignores the flaw in fields that are not listed. `*` matches every key.
 */
const OF_ENTRIES: Consequences = {
  'message message': 'Pi may stop with an error when it opens the session',
  'compaction summary': NOT_TOLD,
  'compaction tokensBefore': 'Pi may stop with an error when it shows the compaction',
  'compaction systemMessage': OTHER_PROMPT,
  'branch_summary summary': NOT_TOLD,
  'custom_message content': NO_COUNT,
  'session_info name': 'Pi may stop with an error when it reads the name, and omit the session from its list',
  'context_edit replacement': NO_COUNT,
  'context_edit replacement.content': NO_COUNT,
};

const OF_MESSAGES: Consequences = {
  'system content': NO_COUNT,
  'system sections': OTHER_PROMPT,
  'system sections.*': OTHER_PROMPT,
  'system toolsAdded': NO_REQUEST,
  'system toolsAdded.*': REFUSED,
  'system toolsAdded.*.name': REFUSED,
  'system toolsRemoved': NO_REQUEST,
  'system toolsRemoved.*': NO_REQUEST,
  'user content': NO_COUNT,
  'assistant content': NO_REQUEST,
  'toolResult toolCallId': REFUSED,
  'toolResult content': NO_REQUEST,
  'bashExecution command': NO_COUNT,
  'bashExecution output': NO_COUNT,
  'custom content': NO_COUNT,
  'branchSummary summary': NOT_TOLD,
  'compactionSummary summary': NOT_TOLD,
};

/** Consequences by the type of the content block; a type alone is the block itself. */
const OF_BLOCKS: Consequences = {
  'text text': NO_REQUEST,
  'thinking thinking': NO_COUNT,
  'thinking thinkingSignature': NO_REQUEST,
  'toolCall id': REFUSED,
  'toolCall name': NO_COUNT,
  'toolCall arguments': 'Pi may stop with an error when it counts tokens, or the provider may reject the request',
  'image data': REFUSED,
  'image mimeType': REFUSED,
};

const OF_NO_BLOCK = NO_REQUEST;

const OF_NO_ROLE = 'Pi does not send the message';

const OF_NO_USAGE = 'Pi may stop with an error when it adds up the cost of the session';
