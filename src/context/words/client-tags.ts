/** Cuts blocks in the tags of clients, and in those of `others`, and the tags around words of the user. */
export function cutTags(text: string, others: ReadonlySet<string>): string {
  return text.includes('<') ? cutBlocks(text, others).replaceAll(WRAPPERS, '') : text;
}

/** Tags around what the client inserts. */
const INSERTED = new Set([
  // Claude Code
  'system-reminder',
  'task-notification',
  'local-command-stdout',
  'local-command-stderr',
  'local-command-caveat',
  'command-name',
  'command-message',
  'command-contents',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
  'user-prompt-submit-hook',
  'session-start-hook',
  'new-diagnostics',
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
  'mcp-resource',
  'persisted-output',
  'teammate-message',
  // Codex
  'environment_context',
  'user_instructions',
  'INSTRUCTIONS',
  'user_shell_command',
  'turn_aborted',
  'subagents',
  'subagent_notification',
  'plugins',
  // Gemini CLI, Qwen Code
  'session_context',
  'hook_context',
  'loaded_context',
  'state_snapshot',
  // Copilot CLI
  'current_datetime',
  'system_notification',
]);

/** Tags around the text of a skill, or of a file: it may contain any other tag. */
const QUOTED = new Set(['skill', 'file']);

/** Tags around words of the user, which stay. */
const WRAPPERS = /<\/?(?:command-args|user-memory-input)>/g;

const OPENING = /<([A-Za-z][\w-]*)((?:\s[^<>\n]*)?)>/g;

/**
 * Leaves out blocks in the tags of clients. A block begins a line or follows another tag: a tag within a sentence is a
 * word of it. One that never ends is no block. In linear time, for any text.
 */
function cutBlocks(text: string, others: ReadonlySet<string>): string {
  const kept: string[] = [];
  let from = 0;
  for (const { start, end } of listBlocks(text, others)) {
    kept.push(text.slice(from, start));
    from = end;
  }
  return kept.join('') + text.slice(from);
}

interface TagBlock {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Lists the blocks of a text in their order. None contains another one. */
function* listBlocks(text: string, others: ReadonlySet<string>): Generator<TagBlock> {
  const ends = new Map<string, number>();
  let from = 0;
  /** The block in which the search is; a tag within it may still replace it. */
  let open: TagBlock | null = null;
  for (const { index, 0: opening, 1: name = '', 2: attributes = '' } of text.matchAll(OPENING)) {
    if (open && index >= open.end) {
      yield open;
      from = open.end;
      open = null;
    }
    // Within a block, only the same tag counts: the outer one was a word of the user, or never ended.
    if (open && (open.name !== name || QUOTED.has(name))) continue;
    const isOfClient = others.has(name) || isInserted(name, attributes);
    if (!isOfClient || !beginsBlock(text, index, from)) continue;
    const end = findBlockEnd(text, ends, name, index + opening.length);
    if (end !== -1) open = { name, start: index, end };
  }
  if (open) yield open;
}

function isInserted(name: string, attributes: string): boolean {
  if (name === 'file') return /\bname=/.test(attributes);
  return INSERTED.has(name) || QUOTED.has(name);
}

function beginsBlock(text: string, at: number, from: number): boolean {
  let before = at - 1;
  while (before >= from && (text[before] === ' ' || text[before] === '\t')) before -= 1;
  return before < from || text[before] === '\n' || text[before] === '>';
}

/** The end of the first closing tag; -1 if there is none. */
function findBlockEnd(text: string, ends: Map<string, number>, name: string, start: number): number {
  const closing = QUOTED.has(name) ? `\n</${name}>` : `</${name}>`;
  const earlierEnd = ends.get(name);
  if (earlierEnd === -1) return -1;
  if (earlierEnd !== undefined && earlierEnd - closing.length >= start) return earlierEnd;
  let found = text.indexOf(closing, start);
  // A file without a text, such as an image, ends where it begins.
  if (QUOTED.has(name) && text.startsWith(`</${name}>`, start)) found = start - 1;
  const end = found === -1 ? -1 : found + closing.length;
  ends.set(name, end);
  return end;
}
