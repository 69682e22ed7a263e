import { asObject, asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { formatShortCount, pluralize } from '#base/numbers.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { readReplacementHistory } from '#session/oh-my-pi.js';
import type { Session } from '#session/session.js';
import { formatModel } from '../models/model-name.js';
import { readEntryMessage } from '../replay/convert.js';
import { readModelChange, readModelRole } from '../replay/settings.js';
import { describeEdit, describeKept, describeTransform } from './describe-changes.js';
import { formatCall, previewMessage, shorten } from './message-text.js';
import { CallFinder } from './tool-call.js';

const MOST_FIELDS = 240;

/** The name of an entry in a listing: the role of its message, else its type. */
export function entryName(head: Head): string {
  return head.role ?? head.type ?? 'unknown';
}

/** Describes an entry of any type in at most 240 characters of raw text. `call`: the call of a tool result, if known. */
export function describeEntry(entry: JsonObject, call: string | null = null, cwd = ''): string {
  return shorten(textOf(entry, call, cwd).trim());
}

function textOf(entry: JsonObject, call: string | null, cwd: string): string {
  switch (entry['type']) {
    case 'compaction':
      return `${ofKept(entry)}: ${words(entry['summary'])}`;
    case 'reset_boundary':
      return 'clears the context';
    case 'model_usage':
      return ofUsage({ kind: entry['purpose'], usage: entry['usage'] });
    case 'branch_summary':
      return (
        words(entry['summary']).replace(BRANCH_PREAMBLE, '') ||
        `empty, of the branch that ended at ${named(entry['fromId'])}`
      );
    case 'label':
      return entry['label']
        ? `"${words(entry['label'])}" at ${named(entry['targetId'])}`
        : `clears the label of ${named(entry['targetId'])}`;
    case 'model_change':
      return ofModelChange(entry);
    case 'thinking_level_change':
      return words(entry['thinkingLevel']);
    case 'session_info':
      return words(entry['name']) || 'clears the name of the session';
    case 'context_edit':
      return ofEdit(entry);
    case 'context_transform':
      return ofTransform(entry);
    case 'ephemeral':
      return `${pluralize(listObjects(entry['messages']).length, 'message')} for one request`;
    case 'custom':
      return words(entry['customType']);
    case 'usage':
      return ofUsage(entry);
    default:
      return ofMessage(readEntryMessage(entry), { call, cwd }) ?? keysOf(entry);
  }
}

function ofKept(entry: JsonObject): string {
  const history = readReplacementHistory(entry);
  if (history) return `replaces the messages with ${pluralize(history.items.length, 'item')} of the provider`;
  return describeKept(named(entry['id']), asString(entry['firstKeptEntryId']));
}

/** Pi's introduction of every branch summary. */
const BRANCH_PREAMBLE =
  /^The user explored a different conversation branch before returning here\.\s*Summary of that exploration:\s*/;

interface Around {
  /** The call that a tool result answers, if known. */
  readonly call: string | null;
  /** The folder of the session, to which paths are relative. */
  readonly cwd: string;
}

function ofMessage(message: StoredMessage | null, { call, cwd }: Around): string | null {
  if (message === null) return null;
  const { role } = message;
  switch (role) {
    case 'user':
    case 'assistant':
    case 'toolResult':
      return previewMessage({ ...message, role }, call, cwd);
    case 'system':
      return ofSystem(message);
    case 'bashExecution':
      return ofShell(message);
    case 'custom':
      return `${words(message['customType'])}: ${contentOf(message)}`;
    case 'branchSummary':
    case 'compactionSummary':
      return words(message['summary']).replace(BRANCH_PREAMBLE, '');
    case 'fileMention':
      return listObjects(message['files'])
        .map(({ path }) => `@${words(path)}`)
        .join(' ');
    case 'pythonExecution':
      return ofShell({ ...message, command: message['code'] }).replace(/^\$/, '>>>');
    default:
      return contentOf(message) || keysOf(message);
  }
}

/** The parts that a system message sets, then the tools that it adds and removes, then its text. */
function ofSystem(message: StoredMessage): string {
  const sections = isObject(message['sections']) ? Object.entries(message['sections']) : [];
  const names = sections.map(([name, text]) => (text === null ? `no ${name}` : name));
  const changes = [...names, ...toolChange('+', message['toolsAdded']), ...toolChange('−', message['toolsRemoved'])];
  return [changes.join(', '), contentOf(message)].filter((part) => part !== '').join(': ');
}

function toolChange(sign: string, tools: unknown): readonly string[] {
  const { length } = listObjects(tools);
  return length === 0 ? [] : [`${sign}${pluralize(length, 'tool')}`];
}

function ofShell({ command, output, exitCode, cancelled, excludeFromContext }: StoredMessage): string {
  const failure = cancelled
    ? ' (cancelled)'
    : typeof exitCode === 'number' && exitCode !== 0
      ? ` (exit ${exitCode})`
      : '';
  const kept = excludeFromContext ? ' (not sent)' : '';
  return `$ ${words(command)}${failure}${kept}${output ? ` → ${words(output)}` : ''}`;
}

function ofModelChange(entry: JsonObject): string {
  const role = readModelRole(entry);
  return `${formatModel(readModelChange(entry))}${role === null ? '' : ` for the role ${role}`}`;
}

function ofEdit({ targetId, replacement }: JsonObject): string {
  const isOmitted = !isObject(replacement);
  const text = describeEdit(named(targetId), isOmitted);
  return isOmitted ? text : `${text}: ${contentOf(replacement)}`;
}

function ofTransform({ transformerName, patch, display }: JsonObject): string {
  const shown = asObject(display);
  const ops = listObjects(patch);
  const reasons = ops.flatMap(({ invalidateCacheReason }) => known(invalidateCacheReason) ?? []);
  return describeTransform({
    transformerName: words(transformerName),
    ops: ops.map(({ op }) => words(op)),
    invalidateCacheReasons: [...new Set(reasons)],
    display: { title: known(shown['title']), summary: known(shown['summary']) },
  });
}

function ofUsage({ kind, usage }: JsonObject): string {
  const fields = asObject(usage);
  const sum = ['input', 'output', 'cacheRead', 'cacheWrite'].reduce((total, name) => total + tokens(fields[name]), 0);
  return `${words(kind)}: ${formatShortCount(tokens(fields['totalTokens']) || sum)} tokens`;
}

function tokens(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** Lists the fields of an entry of an unknown type. */
function keysOf(entry: JsonObject): string {
  return Object.keys(entry)
    .filter((key) => !COMMON.has(key))
    .slice(0, MOST_FIELDS)
    .join(', ');
}

const COMMON: ReadonlySet<string> = new Set(['type', 'role', 'id', 'parentId', 'timestamp']);

/** Previews content of any author: a text or a list of blocks. */
function contentOf({ content }: JsonObject): string {
  return previewMessage({ role: 'user', content });
}

function words(value: unknown): string {
  return value === undefined || value === null ? '' : asText(value).slice(0, MOST_CHARACTERS).trimStart();
}

/** More than a preview shows, even without Pi's introduction of a summary. */
const MOST_CHARACTERS = 600;

/** Formats an id, or any other value in its place. */
function named(value: unknown): string {
  return words(value) || 'no entry';
}

function known(value: unknown): string | undefined {
  return asString(value) ?? undefined;
}

/** Formats entries for a listing. A tool result begins with its call: `read src/a.ts → import …`. */
export class EntryPreviews {
  private readonly calls: CallFinder;

  constructor(private readonly session: Session) {
    this.calls = new CallFinder(session);
  }

  /** At most 240 characters of raw text: the printer escapes it and puts it on one line. */
  textOf(head: Head, entry: JsonObject = this.session.entry(head)): string {
    const call = this.calls.of(head, entry);
    const cwd = this.session.header.cwd ?? '';
    return describeEntry(entry, call && formatCall(call, cwd), cwd);
  }
}
