import { type JsonObject } from '#base/json.js';
import { BLOCK_TYPES } from '#context/format/blocks.js';
import { quoted } from '../quoted.js';
import { OF_BLOCKS, OF_ENTRIES, OF_MESSAGES, OF_NO_BLOCK, OF_NO_ROLE, OF_NO_USAGE } from './consequences.js';
import { type Flaw, isTag, wordsFor } from './flaws.js';
import { placeAt, type Subject, subjectAt } from './subject.js';

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
}

/** What a flaw in an entry comes to; null where it does not matter, or another rule looks at it. */
export function misfitOf(entry: JsonObject, { path, issue }: Flaw): Misfit | null {
  const subject = subjectAt(entry, path);
  const isOfOp = path[0] === 'patch';
  if (isOfAnotherRule(subject) || (isOfOp && DOES_NOT_MATTER_IN_OPS.has(subject.field[0]))) return null;
  // JSON can name a number that is too big for one.
  if (issue.code === 'invalid_type' && issue.expected === 'number' && typeof subject.value === 'number') return null;
  const place = placeAt(path);
  if (isTag(issue) && typeof subject.value === 'string') return { ...unknownKind(subject, subject.value), place };
  if (isWithoutContent(subject)) return { rule: 'missing-content', place, message: 'the message has no content' };
  const expectation = wordsFor(issue, nameOf(subject), subject.value);
  const consequence = consequenceOf(subject);
  if (consequence === undefined || entry['type'] === 'ephemeral')
    return { rule: 'odd-fields', place, message: expectation };
  return {
    rule: isOfOp ? 'op-fields' : isUsage(subject) ? 'usage-fields' : `${subject.kind}-fields`,
    place,
    message: `${expectation}: ${consequence}`,
  };
}

/** Links between entries, times, patches that break a rule of replay, an edit that says nothing, a missing type. */
function isOfAnotherRule({ kind, name, field: [first, second], value }: Subject): boolean {
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

/** What Pi reads of stored entries only, and what the schemas of ops look at themselves. */
const DOES_NOT_MATTER_IN_OPS: ReadonlySet<unknown> = new Set(['usage', 'provider', 'model', 'role']);

function unknownKind({ kind, name }: Subject, tag: string): Pick<Misfit, 'rule' | 'message'> {
  if (kind === 'entry') return { rule: 'unknown-entry', message: `Pi knows no entries of type ${quoted(tag)}` };
  if (kind === 'message') return { rule: 'unknown-role', message: `Pi does not send messages of role ${quoted(tag)}` };
  return BLOCK_TYPES.has(name)
    ? { rule: 'misplaced-block', message: `${quoted(tag)} blocks do not belong into such a message` }
    : { rule: 'unknown-block', message: `Pi knows no blocks of type ${quoted(tag)}` };
}

function isWithoutContent({ kind, name, field, value }: Subject): boolean {
  if (field.length !== 1 || field[0] !== 'content' || (value !== null && value !== undefined)) return false;
  return kind === 'message' ? MAY_LACK_CONTENT.has(name) : name === 'custom_message';
}

/** In these Pi takes a missing content for an empty one. */
const MAY_LACK_CONTENT: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult']);

function nameOf({ kind, name, field }: Subject): string {
  const whose = typeof name === 'string' ? `${name} ${kind}` : kind === 'block' ? 'content block' : kind;
  return field.length === 0 ? `the ${whose}` : `${placeAt(field)} of the ${whose}`;
}

function consequenceOf(subject: Subject): string | undefined {
  const { kind, name, field } = subject;
  if (isUsage(subject)) return OF_NO_USAGE;
  if (kind === 'message' && field[0] === 'role') return OF_NO_ROLE;
  if (kind === 'block' && (field.length === 0 || field[0] === 'type')) return OF_NO_BLOCK;
  const known = { entry: OF_ENTRIES, message: OF_MESSAGES, block: OF_BLOCKS }[kind];
  const keys = field.map((key) => (typeof key === 'number' ? '*' : String(key)));
  const exact = `${String(name)} ${keys.join('.')}`;
  const anyKey = `${String(name)} ${[...keys.slice(0, -1), '*'].join('.')}`;
  return Object.hasOwn(known, exact) ? known[exact] : Object.hasOwn(known, anyKey) ? known[anyKey] : undefined;
}

/** All of a usage, or its costs. */
function isUsage({ field: [first, second, third] }: Subject): boolean {
  return first === 'usage' && (second === undefined || (second === 'cost' && third === undefined));
}
