import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import type { EnvelopeContent, ForeignPart, SystemPart, ToolDefinition } from './content.js';
import { EMPTY_ENVELOPE } from './empty-envelope.js';

/** What stands before a stock section in the compiled prompt; parts of a baseline and of transforms bring their own. */
const BLANK_LINE = '\n\n';
/** The part in which the `content` of system messages accumulates. */
const CONTENT_PART = 'content';
/** The kind of a part of a baseline that has a separator of its own. */
const SUPPLIED_PART = 'supplied';

/**
 * A part of a patch. Its separator is a field of ours, so it counts only where the part shows that ctx wrote it: by a
 * blank line, as stock sections have it, or by its kind. In PR 383 parts follow one another with nothing between them.
 */
export function readPart(part: ForeignPart): SystemPart {
  const { separator, ...rest } = part;
  if (separator === undefined) return rest;
  const { kind } = part;
  const isOurs = separator === BLANK_LINE || kind === CONTENT_PART || kind === SUPPLIED_PART;
  return { ...rest, separator: isOurs ? (asString(separator) ?? '') : '' };
}

/** A part of a baseline, marked so that a patch that restates it keeps its separator. */
export function suppliedPart(part: SystemPart): SystemPart {
  return part.separator === readPart(part).separator ? part : { ...part, kind: SUPPLIED_PART };
}

/** The prompt text: every part that is not empty, each behind its separator. */
function compile(parts: readonly SystemPart[]): string {
  let text = '';
  for (const part of parts) {
    if (part.text !== '') text += text === '' ? part.text : (part.separator ?? '') + part.text;
  }
  return text;
}

export function withParts(envelope: EnvelopeContent, parts: readonly SystemPart[]): EnvelopeContent {
  return { ...envelope, system: { parts, compiled: compile(parts) } };
}

/** Gives the first part of this name its text, in place, or appends the part. */
export function setPart(parts: readonly SystemPart[], part: SystemPart): readonly SystemPart[] {
  const at = parts.findIndex(({ name }) => name === part.name);
  return at === -1 ? [...parts, part] : parts.map((old, index) => (index === at ? { ...old, text: part.text } : old));
}

/**
 * Replays one system message: content accumulates, sections are set or (null) removed by name, tools are
 * removed, then added. Equals Pi's `getCurrentSystemMessage` and `getCurrentTools` over several of them.
 */
export function applySystemMessage(envelope: EnvelopeContent, message: JsonObject): EnvelopeContent {
  let parts = addContent(envelope.system.parts, textOf(message['content']));
  for (const [name, text] of Object.entries(isObject(message['sections']) ? message['sections'] : {})) {
    parts =
      text === null
        ? parts.filter((part) => part.name !== name || isContent(part))
        : setSection(parts, name, asString(text) ?? '');
  }
  return { ...withParts(envelope, parts), tools: changeTools(envelope.tools, message) };
}

/**
 * Whether Pi makes a system prompt of system messages: only if they say a time, or leave a tool. Of several times the
 * first counts; a `null` counts only where it comes last.
 */
export function makePrompt(messages: readonly JsonObject[]): boolean {
  let time: unknown;
  for (const { timestamp } of messages) {
    time ??= timestamp;
    if (time !== undefined && time !== null) return true;
  }
  return time !== undefined || messages.reduce(applySystemMessage, EMPTY_ENVELOPE).tools.length > 0;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).filter(({ type }) => type === 'text');
  return texts.map(({ text }) => asString(text) ?? '').join('\n');
}

/** A section may be called `content` too, so the part in which content accumulates is marked. */
function addContent(parts: readonly SystemPart[], text: string): readonly SystemPart[] {
  if (text === '') return parts;
  const at = parts.findIndex(isContent);
  if (at !== -1) return parts.map((part, index) => (index === at ? { ...part, text: joined(part.text, text) } : part));
  const firstSection = parts.findIndex(({ separator }) => separator === BLANK_LINE);
  const part = { name: CONTENT_PART, text, separator: BLANK_LINE, kind: CONTENT_PART };
  return parts.toSpliced(firstSection === -1 ? parts.length : firstSection, 0, part);
}

function isContent({ kind }: SystemPart): boolean {
  return kind === CONTENT_PART;
}

function joined(before: string, text: string): string {
  return before === '' ? text : before + BLANK_LINE + text;
}

function setSection(parts: readonly SystemPart[], name: string, text: string): readonly SystemPart[] {
  const section = { name, text, separator: BLANK_LINE };
  const at = parts.findIndex((part) => part.name === name && !isContent(part));
  return at === -1 ? parts.toSpliced(positionOfSection(parts, name), 0, section) : parts.with(at, section);
}

/** New sections go to the end, but Pi keeps them in an object, and JavaScript puts integer keys first. */
function positionOfSection(parts: readonly SystemPart[], name: string): number {
  if (!isArrayIndex(name)) return parts.length;
  const at = parts.findIndex((part) => {
    const isSection = part.separator === BLANK_LINE && !isContent(part);
    return isSection && !(isArrayIndex(part.name) && Number(part.name) < Number(name));
  });
  return at === -1 ? parts.length : at;
}

function isArrayIndex(name: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;
}

function changeTools(tools: readonly ToolDefinition[], message: JsonObject): readonly ToolDefinition[] {
  const removed = new Set(objectsIn(message['toolsRemoved']).map(toolName));
  const added = objectsIn(message['toolsAdded']).map(namedTool);
  if (removed.size === 0 && added.length === 0) return tools;
  const byName = new Map(tools.filter(({ name }) => !removed.has(name)).map((tool) => [tool.name, tool]));
  for (const tool of added) byName.set(tool.name, tool);
  return [...byName.values()];
}

/** Pi keeps one tool without a name. No provider takes it, and ctx check says so; here its name is empty. */
function namedTool(tool: JsonObject): JsonObject & ToolDefinition {
  const name = toolName(tool);
  return { ...tool, name };
}

/** The name by which Pi keeps a tool. */
export function toolName({ name }: JsonObject): string {
  return asString(name) ?? (name === undefined ? '' : JSON.stringify(name));
}
