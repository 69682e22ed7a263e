import { asObject, asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { formatShortCount, pluralize } from '#base/numbers.js';
import type {
  CompactionEntry,
  EditEntry,
  Entry,
  StoredMessage,
  SystemMessage,
  TransformEntry,
} from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { formatModel } from '../models/model-name.js';
import { readEntryMessage, readHistory } from '../replay/convert.js';
import { readModelChange } from '../replay/settings.js';
import { describeEdit, describeKept, describeTransform } from './describe-changes.js';
import { formatCall, previewMessage, shorten } from './message-text.js';
import { CallFinder } from './tool-call.js';

const MOST_FIELDS = 240;

/**
 * The name of an entry in a listing: the role of its message, else its type. `context_transform` is a word of Pi's
 * format: for another agent such an entry is named by what it changes.
 */
export function nameEntry(head: Head, session: Pick<Session, 'agent' | 'entry'>): string {
  if (head.type === 'context_transform' && session.agent) return nameTransform(session.entry(head));
  return head.role ?? head.type ?? 'unknown';
}

function nameTransform({ transformerName, patch }: Entry): string {
  return nameAgentTransform({ transformerName, ops: listObjects(patch).map(({ op }) => asText(op)) });
}

/** The plain name of a transform of another agent, by the ops of its patch. */
export function nameAgentTransform(transform: {
  readonly transformerName: unknown;
  readonly ops: readonly string[];
}): string {
  const { transformerName, ops } = transform;
  if (transformerName === 'compaction') return 'compaction';
  if (ops.some((op) => op.startsWith('messages_'))) return 'history';
  return ops.every((op) => op.startsWith('options_')) ? 'settings' : 'prompt';
}

/**
 * Describes an entry of any type in at most 240 characters of raw text. `call`: the call of a tool result, if known.
 */
export function describeEntry(entry: Entry, call: string | null = null, cwd = ''): string {
  return shorten(describe(entry, call, cwd).trim());
}

function describe(entry: Entry, call: string | null, cwd: string): string {
  switch (entry.type) {
    case 'compaction':
      return `${describeCompaction(entry)}: ${toShortText(entry.summary)}`;
    case 'reset_boundary':
      return 'clears the context';
    case 'model_usage':
      return describeUsage({ kind: entry.purpose, usage: entry.usage });
    case 'branch_summary':
      return (
        toShortText(entry.summary).replace(BRANCH_PREAMBLE, '') ||
        `empty, of the branch that ended at ${nameTarget(entry.fromId)}`
      );
    case 'label':
      return entry.label
        ? `"${toShortText(entry.label)}" at ${nameTarget(entry.targetId)}`
        : `clears the label of ${nameTarget(entry.targetId)}`;
    case 'model_change':
      return formatModel(readModelChange(entry));
    case 'thinking_level_change':
      return toShortText(entry.thinkingLevel);
    case 'session_info':
      return toShortText(entry.name) || 'clears the name of the session';
    case 'context_edit':
      return describeContextEdit(entry);
    case 'context_transform':
      return describeContextTransform(entry);
    case 'ephemeral':
      return `${pluralize(listObjects(entry.messages).length, 'message')} for one request`;
    case 'custom':
      return toShortText(entry.customType);
    case 'usage':
      return describeUsage(entry);
    default:
      return describeMessage(readEntryMessage(entry), { call, cwd }) ?? listFieldNames(entry);
  }
}

function describeCompaction(entry: CompactionEntry): string {
  const history = readHistory(entry);
  if (history) return `replaces the messages with ${pluralize(history.length, 'message')} of the provider`;
  return describeKept(nameTarget(entry.id), asString(entry.firstKeptEntryId));
}

/** Pi's introduction of every branch summary. */
const BRANCH_PREAMBLE =
  /^The user explored a different conversation branch before returning here\.\s*Summary of that exploration:\s*/;

interface MessageContext {
  /** The call that a tool result answers, if known. */
  readonly call: string | null;
  /** The folder of the session, to which paths are relative. */
  readonly cwd: string;
}

function describeMessage(message: StoredMessage | null, { call, cwd }: MessageContext): string | null {
  if (message === null) return null;
  const { role } = message;
  switch (role) {
    case 'user':
    case 'assistant':
    case 'toolResult':
      return previewMessage({ ...message, role }, call, cwd);
    case 'system':
      return describeSystemMessage(message);
    case 'bashExecution':
      return describeShell(message);
    case 'custom':
      return `${toShortText(message.customType)}: ${previewContent(message)}`;
    case 'branchSummary':
    case 'compactionSummary':
      return toShortText(message.summary).replace(BRANCH_PREAMBLE, '');
    default:
      return previewContent(message) || listFieldNames(message);
  }
}

/** The parts that a system message sets, then the tools that it adds and removes, then its text. */
function describeSystemMessage(message: SystemMessage): string {
  const sections = isObject(message.sections) ? Object.entries(message.sections) : [];
  const names = sections.map(([name, text]) => (text === null ? `no ${name}` : name));
  const changes = [
    ...names,
    ...describeToolChange('+', message.toolsAdded),
    ...describeToolChange('−', message.toolsRemoved),
  ];
  return [changes.join(', '), previewContent(message)].filter((part) => part !== '').join(': ');
}

function describeToolChange(sign: string, tools: unknown): readonly string[] {
  const { length } = listObjects(tools);
  return length === 0 ? [] : [`${sign}${pluralize(length, 'tool')}`];
}

function describeShell({ command, output, exitCode, cancelled, excludeFromContext }: StoredMessage): string {
  const exit = typeof exitCode === 'number' && exitCode !== 0 ? ` (exit ${exitCode})` : '';
  const failure = cancelled ? ' (cancelled)' : exit;
  const kept = excludeFromContext ? ' (not sent)' : '';
  return `$ ${toShortText(command)}${failure}${kept}${output ? ` → ${toShortText(output)}` : ''}`;
}

function describeContextEdit({ targetId, replacement }: EditEntry): string {
  const isOmitted = !isObject(replacement);
  const text = describeEdit(nameTarget(targetId), isOmitted);
  return isOmitted ? text : `${text}: ${previewContent(replacement)}`;
}

function describeContextTransform({ transformerName, patch, display }: TransformEntry): string {
  const shown = asObject(display);
  const ops = listObjects(patch);
  const reasons = ops.flatMap(({ invalidateCacheReason }) => toOptionalText(invalidateCacheReason) ?? []);
  return describeTransform({
    transformerName: toShortText(transformerName),
    ops: ops.map(({ op }) => toShortText(op)),
    invalidateCacheReasons: [...new Set(reasons)],
    display: { title: toOptionalText(shown.title), summary: toOptionalText(shown.summary) },
  });
}

/** Describes what another agent changed, without the words of Pi's format. */
function describeAgentTransform({ patch, display }: TransformEntry): string {
  const parts = listObjects(patch).map(({ op, messages }) => {
    const name = toShortText(op);
    if (name.startsWith('system_')) return 'system prompt';
    if (name.startsWith('tools_')) return 'tools';
    if (name.startsWith('options_')) return 'settings';
    return `${pluralize(listObjects(messages).length, 'message')} from here on, instead of those before`;
  });
  return toOptionalText(asObject(display).title) ?? [...new Set(parts)].join(', ');
}

function describeUsage({ kind, usage }: JsonObject): string {
  const fields = asObject(usage);
  const sum = ['input', 'output', 'cacheRead', 'cacheWrite'].reduce((total, name) => total + toTokens(fields[name]), 0);
  return `${toShortText(kind)}: ${formatShortCount(toTokens(fields.totalTokens) || sum)} tokens`;
}

function toTokens(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** Lists the fields of an entry of an unknown type. */
function listFieldNames(entry: JsonObject): string {
  return Object.keys(entry)
    .filter((key) => !COMMON.has(key))
    .slice(0, MOST_FIELDS)
    .join(', ');
}

const COMMON: ReadonlySet<string> = new Set(['type', 'role', 'id', 'parentId', 'timestamp']);

/** Previews content of any author: a text or a list of blocks. */
function previewContent({ content }: JsonObject): string {
  return previewMessage({ role: 'user', content });
}

function toShortText(value: unknown): string {
  return value === undefined || value === null ? '' : asText(value).slice(0, MOST_CHARACTERS).trimStart();
}

/** More than a preview shows, even without Pi's introduction of a summary. */
const MOST_CHARACTERS = 600;

/** Formats an id, or any other value in its place. */
function nameTarget(value: unknown): string {
  return toShortText(value) || 'no entry';
}

function toOptionalText(value: unknown): string | undefined {
  return asString(value) ?? undefined;
}

/** Formats entries for a listing. A tool result begins with its call: `read src/a.ts → import …`. */
export class EntryPreviews {
  private readonly calls: CallFinder;

  constructor(private readonly session: Session) {
    this.calls = new CallFinder(session);
  }

  /** Returns at most 240 characters of raw text. The printer escapes it and puts it on one line. */
  preview(head: Head, entry: Entry = this.session.entry(head)): string {
    if (entry.type === 'context_transform' && this.session.agent) return shorten(describeAgentTransform(entry));
    const call = this.calls.findCall(head, entry);
    const cwd = this.session.header.cwd ?? '';
    return describeEntry(entry, call && formatCall(call, cwd), cwd);
  }
}
