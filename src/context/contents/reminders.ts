import type { ContentLabel, LabelledText } from './kinds.js';
import { splitListing } from './listing.js';
import { MOST_PIECES, splitBefore } from './split-text.js';
import { findToolServer, toServerName } from './tool-server.js';

/** A text of Claude Code is told by its beginning, in all versions that are known. */
interface ReminderForm {
  readonly begins: RegExp;
  label(text: string): readonly LabelledText[];
}

function toLabel(kind: ContentLabel['kind'], name: string | null = null): ReminderForm['label'] {
  return (text) => [{ kind, name, text }];
}

const MEMORY: ContentLabel = { kind: 'memory files', name: null };

/** Each file begins with its path. */
function labelMemory(text: string): readonly LabelledText[] {
  return splitBefore(text, CONTENTS, ([, path = '']) => ({ kind: 'memory files', name: path }), MEMORY);
}

const CONTENTS = /^Contents of (.{1,1000}?)(?: \([^\n]{0,200}\))?:$/gm;

/** The context of a user's first message: memory files under one heading, the state of git and others under theirs. */
function labelUserContext(text: string): readonly LabelledText[] {
  const sections = splitBefore(
    text,
    /^# (claudeMd|gitStatus|currentDate|userEmail|directoryStructure|codeStyle)$/gm,
    ([, name = '']) => ({ kind: 'reminders', name: SECTIONS[name] ?? name }),
    { kind: 'reminders', name: 'context' },
  );
  return sections.flatMap((section) => (section.name === SECTIONS.claudeMd ? labelMemory(section.text) : [section]));
}

const SECTIONS: Readonly<Record<string, string>> = {
  claudeMd: 'memory files',
  gitStatus: 'git status',
  currentDate: 'date',
  userEmail: 'e-mail address',
  directoryStructure: 'folders',
  codeStyle: 'code style',
};

/** Labels lines with the names of tools that are not loaded yet. What introduces them belongs to those of no server. */
function labelToolNames(text: string): readonly LabelledText[] {
  const pieces = new Map<string, LabelledText>();
  for (const line of text.split('\n')) {
    const name = findToolServer(line);
    const item = pieces.size < MOST_PIECES && TOOL_NAME.test(line) ? line : undefined;
    const key = JSON.stringify([name, item]);
    pieces.set(key, { kind: 'tools', name, item, text: `${pieces.get(key)?.text ?? ''}${line}\n` });
  }
  return [...pieces.values()];
}

const TOOL_NAME = /^[\w.-]{1,200}$/;

/** Labels the text that each MCP server says about itself, below its name. */
function labelServers(text: string): readonly LabelledText[] {
  return splitBefore(
    text,
    /^## (\S.{0,100})$/gm,
    ([, title = '']) => ({ kind: 'tools', name: toServerName(title), isHeading: true }),
    { kind: 'tools', name: null },
  );
}

const HOOK =
  /^([A-Z]\w{2,40})(?::[^\s:]{1,100})? hook (?:success|additional context|blocking error|stopped continuation|error|feedback)/;

const FORMS: readonly ReminderForm[] = [
  { begins: HOOK, label: (text) => [{ kind: 'hooks', name: HOOK.exec(text)?.[1] ?? null, text }] },
  { begins: /^Codebase and user instructions are shown/, label: labelMemory },
  { begins: /^As you answer the user's questions, you can use the following context/, label: labelUserContext },
  { begins: /^Contents of \S/, label: labelMemory },
  { begins: /^The following skills are /, label: (text) => splitListing({ kind: 'skills', name: null, text }) },
  {
    begins: /^(?:Available agent types|New agent types|The following agent types)/,
    label: (text) => splitListing({ kind: 'agents', name: null, text }),
  },
  { begins: /^The following deferred tools /, label: labelToolNames },
  { begins: /^# MCP Server Instructions/, label: labelServers },
  { begins: /^# Environment\n/, label: toLabel('reminders', 'environment') },
  { begins: /^You are powered by the model /, label: toLabel('reminders', 'model') },
  { begins: /^(?:Today's date is|The date has changed)/, label: toLabel('reminders', 'date') },
  { begins: /^(?:<total_tokens>|Token usage:|USD budget:)/, label: toLabel('reminders', 'tokens left') },
  {
    begins:
      /^(?:The (?:TodoWrite|task) tools? ha(?:sn't|ven't)|This is a reminder that your todo list|Your todo list )/,
    label: toLabel('reminders', 'tasks'),
  },
  { begins: /^(?:Called the \w+ tool with|Result of calling the )/, label: toLabel('reminders', 'files') },
  { begins: /^Note: \S.{0,1000} was (?:modified|read before)/, label: toLabel('reminders', 'files') },
  {
    begins: /^(?:The user (?:opened the file|selected the lines)|<new-diagnostics>)/,
    label: toLabel('reminders', 'editor'),
  },
  { begins: /^Attribution for git commits/, label: toLabel('reminders', 'attribution') },
  { begins: /^(?:\S+ )?[Pp]lan mode /, label: toLabel('reminders', 'plan mode') },
];

/** Several texts of Claude Code that follow each other without tags, as a message of the system has them. */
export function labelJoinedReminders(text: string): readonly LabelledText[] {
  const texts = text.split(/\n\n(?=\S)/);
  const joined: string[] = [];
  for (const each of texts) {
    const last = joined.length - 1;
    if (last === -1 || findForm(each)) joined.push(each);
    else joined[last] = `${joined[last]}\n\n${each}`;
  }
  return joined.flatMap((each) => labelReminder(each) ?? [{ kind: 'reminders', name: 'other', text: each }]);
}

/** The pieces of one text of Claude Code; null for one of no known form. */
export function labelReminder(text: string): readonly LabelledText[] | null {
  return findForm(text)?.label(text) ?? null;
}

function findForm(text: string): ReminderForm | undefined {
  return FORMS.find(({ begins }) => begins.test(text));
}

/** The pieces of an attachment of Claude Code by its type, where its words do not tell. */
export function labelAttachment(type: string, text: string): readonly LabelledText[] {
  if (type.startsWith('hook_') || type === 'async_hook_response') return [{ kind: 'hooks', name: null, text }];
  if (MEMORY_TYPES.has(type)) return [{ kind: 'memory files', name: findRecordedPath(text), text }];
  if (type === 'skill_listing') return splitListing({ kind: 'skills', name: null, text });
  if (/skill/.test(type)) return [{ kind: 'skills', name: null, text }];
  if (type === 'agent_listing_delta') return splitListing({ kind: 'agents', name: null, text });
  if (type.startsWith('deferred_tools_')) return labelToolNames(text);
  if (type === 'mcp_instructions_delta') return labelServers(text);
  return [{ kind: 'reminders', name: type.replaceAll('_', ' '), text }];
}

const MEMORY_TYPES: ReadonlySet<string> = new Set([
  'instructions',
  'nested_memory',
  'relevant_memories',
  'memory_update',
]);

/** The path in an attachment whose words are not recorded: it is shown as JSON. */
function findRecordedPath(json: string): string | null {
  return /^\{"path":"([^"\\]{1,1000})"/.exec(json)?.[1] ?? null;
}
