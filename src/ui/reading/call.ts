import { asString, asText, indentedJson, type JsonObject, objectsIn } from '#base/json.js';
import { type NamedCall, readCall } from '#context/words/tool-call.js';
import { patchOf } from './diff.js';
import type { ReadingBlock } from './model.js';

/** A tool call: a line with its subject, and blocks for longer arguments. Every argument is in one of them. */
export function callBlocks(block: JsonObject, cwd: string): readonly ReadingBlock[] {
  const call = readCall(block, cwd);
  const rest = new Map(Object.entries(call.rest));
  const subject = subjectOf(call);
  const longer = [
    ...(subject === '' && call.command !== null ? [argument('command', call.command, 'bash')] : []),
    ...editBlocks(rest),
    ...fileBlocks(rest, call.path),
  ];
  const counts = longer.flatMap((each) => (each.kind === 'diff' ? [`+${each.added} -${each.removed}`] : []));
  const short = [...rest].flatMap(([name, value]) => (isShort(value) ? [`${name} ${String(value)}`] : []));
  const others = Object.fromEntries([...rest].filter(([, value]) => !isShort(value)));
  if (Object.keys(others).length > 0) longer.push(argument('', indentedJson(others), 'json'));
  return [
    { kind: 'call', tool: call.tool, subject, details: [...counts, ...short], id: asString(block['id']) },
    ...longer,
  ];
}

/** A tool call as it is stored: its name, and all of its arguments as JSON. */
export function recordedCall({ name, id, arguments: given }: JsonObject): readonly ReadingBlock[] {
  return [
    { kind: 'call', tool: asText(name ?? '?'), subject: '', details: [], id: asString(id) },
    argument('', indentedJson(given), 'json'),
  ];
}

/** Empty for a command of several lines, which is a block. */
function subjectOf({ command, path, pattern }: NamedCall): string {
  if (command !== null) return command.trim().includes('\n') ? '' : command.trim();
  return [pattern, path].filter((part) => part !== null).join(' in ');
}

const SHORT = 80;

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= SHORT && !value.includes('\n');
  return typeof value === 'number' || typeof value === 'boolean';
}

function argument(name: string, text: string, language: string): ReadingBlock {
  return { kind: 'argument', name, content: { text, language } };
}

/** The names of the replaced text and its replacement in the edit tools of Pi and other agents. */
const PAIRS = [
  ['oldText', 'newText'],
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
] as const;

/** Takes the replacements of an edit out of the arguments. */
function editBlocks(rest: Map<string, unknown>): readonly ReadingBlock[] {
  const own = editIn(Object.fromEntries(rest));
  const listed = objectsIn(rest.get('edits')).map(editIn);
  const isList = listed.length > 0 && listed.every((each) => each !== null);
  const edits = [...(own ? [own] : []), ...(isList ? listed : [])];
  if (isList) rest.delete('edits');
  if (own) for (const name of PAIRS.flat()) rest.delete(name);
  return edits.length === 0 ? [] : [diffBlock(edits.map(([before, after]) => patchOf(before, after)).join('\n@@\n'))];
}

function editIn(fields: JsonObject): readonly [before: string, after: string] | null {
  for (const [old, replacement] of PAIRS) {
    const [before, after] = [asString(fields[old]), asString(fields[replacement])];
    if (before !== null && after !== null) return [before, after];
  }
  return null;
}

function diffBlock(text: string): ReadingBlock {
  const lines = text.split('\n');
  const [added, removed] = ['+', '-'].map((sign) => lines.filter((line) => line.startsWith(sign)).length);
  return { kind: 'diff', added: added ?? 0, removed: removed ?? 0, content: { text, language: 'diff' } };
}

/** Takes the text of a written file, or a patch, out of the arguments. */
function fileBlocks(rest: Map<string, unknown>, path: string | null): readonly ReadingBlock[] {
  const blocks: ReadingBlock[] = [];
  for (const [name, value] of rest) {
    if (typeof value !== 'string' || isShort(value)) continue;
    if (PATCH.test(value)) blocks.push(diffBlock(value));
    else blocks.push(argument(name, value, path !== null && name === 'content' ? extensionOf(path) : ''));
    rest.delete(name);
  }
  return blocks;
}

/** The patch format of Codex. */
const PATCH = /^\s*\*\*\* Begin Patch/;

/** The extension of a file's name, as the name of its language; empty for none. */
export function extensionOf(path: string): string {
  return /\.(\w{1,12})$/.exec(path.replace(/:\d[\d-]*$/, ''))?.[1]?.toLowerCase() ?? '';
}
