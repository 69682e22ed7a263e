import type { Problem } from '#base/errors.js';
import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import type { EnvelopeContent, PatchPart, SystemPart, ToolDefinition } from './content.js';
import { EMPTY_ENVELOPE } from './overview.js';

/**
 * The separator before a stock section in the compiled prompt; parts of a baseline and of transforms have their own.
 */
const BLANK_LINE = '\n\n';
/** The part in which the `content` of system messages accumulates. */
const CONTENT_PART = 'content';
/** The kind of a baseline part with its own separator. */
const SUPPLIED_PART = 'supplied';

/**
 * A part of a patch. Its separator is an extension of ctx, so it counts only if the part shows that ctx wrote it: by a
 * blank line, as in stock sections, or by its kind. In PR 383 parts follow one another without a separator.
 */
export function readPatchPart(part: PatchPart): SystemPart {
  const { separator, ...rest } = part;
  if (separator === undefined) return rest;
  const { kind } = part;
  const isOurs = separator === BLANK_LINE || kind === CONTENT_PART || kind === SUPPLIED_PART;
  return { ...rest, separator: isOurs ? (asString(separator) ?? '') : '' };
}

/** A part of a baseline, marked so that a patch that restates it keeps its separator. */
export function markSuppliedPart(part: SystemPart): SystemPart {
  return part.separator === readPatchPart(part).separator ? part : { ...part, kind: SUPPLIED_PART };
}

/** The prompt text: every part that is not empty, each after its separator. */
function compile(parts: readonly SystemPart[]): string {
  let text = '';
  for (const part of parts) {
    if (part.text !== '') text += text === '' ? part.text : (part.separator ?? '') + part.text;
  }
  return text;
}

export function setParts(envelope: EnvelopeContent, parts: readonly SystemPart[]): EnvelopeContent {
  return { ...envelope, system: { parts, compiled: compile(parts) } };
}

/** Sets the text of the first part of this name, in place, or appends the part. */
export function setPart(parts: readonly SystemPart[], part: SystemPart): readonly SystemPart[] {
  const at = parts.findIndex(({ name }) => name === part.name);
  return at === -1 ? [...parts, part] : parts.map((old, index) => (index === at ? { ...old, text: part.text } : old));
}

/**
 * Replays one system message: content accumulates, sections are set or (null) removed by name, tools are
 * removed, then added. Equals Pi's `getCurrentSystemMessage` and `getCurrentTools` over several of them.
 */
export function applySystemMessage(envelope: EnvelopeContent, message: JsonObject): EnvelopeContent {
  let parts = addContent(envelope.system.parts, readText(message.content));
  for (const [name, text] of Object.entries(asObject(message.sections))) {
    parts =
      text === null
        ? parts.filter((part) => part.name !== name || isContent(part))
        : setSection(parts, name, asString(text) ?? '');
  }
  return { ...setParts(envelope, parts), tools: changeTools(envelope.tools, message) };
}

/**
 * Whether Pi builds a system prompt from system messages: only if one has a time, or a tool remains. The first time
 * counts; a `null` counts only if it is the last.
 */
export function hasPrompt(messages: readonly JsonObject[]): boolean {
  let time: unknown;
  for (const { timestamp } of messages) {
    time ??= timestamp;
    if (time !== undefined && time !== null) return true;
  }
  return time !== undefined || messages.reduce(applySystemMessage, EMPTY_ENVELOPE).tools.length > 0;
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listObjects(content).filter(({ type }) => type === 'text');
  return texts.map(({ text }) => asString(text) ?? '').join('\n');
}

/** A section may also be named `content`, so the part in which content accumulates is marked. */
function addContent(parts: readonly SystemPart[], text: string): readonly SystemPart[] {
  if (text === '') return parts;
  const at = parts.findIndex(isContent);
  if (at !== -1)
    return parts.map((part, index) => (index === at ? { ...part, text: joinTexts(part.text, text) } : part));
  const firstSection = parts.findIndex(({ separator }) => separator === BLANK_LINE);
  const part = { name: CONTENT_PART, text, separator: BLANK_LINE, kind: CONTENT_PART };
  return parts.toSpliced(firstSection === -1 ? parts.length : firstSection, 0, part);
}

function isContent({ kind }: SystemPart): boolean {
  return kind === CONTENT_PART;
}

function joinTexts(before: string, text: string): string {
  return before === '' ? text : before + BLANK_LINE + text;
}

function setSection(parts: readonly SystemPart[], name: string, text: string): readonly SystemPart[] {
  const section = { name, text, separator: BLANK_LINE };
  const at = parts.findIndex((part) => part.name === name && !isContent(part));
  return at === -1 ? parts.toSpliced(findSectionPlace(parts, name), 0, section) : parts.with(at, section);
}

/** New sections go to the end, but Pi stores them in an object, and JavaScript puts integer keys first. */
function findSectionPlace(parts: readonly SystemPart[], name: string): number {
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
  const removed = new Set(listObjects(message.toolsRemoved).map(readToolName));
  // Pi keeps one tool without a name. Providers reject it, and ctx check reports it; here its name is empty.
  const added = listObjects(message.toolsAdded).map((tool) => ({ ...tool, name: readToolName(tool) }));
  if (removed.size === 0 && added.length === 0) return tools;
  const byName = new Map(tools.filter(({ name }) => !removed.has(name)).map((tool) => [tool.name, tool]));
  for (const tool of added) byName.set(tool.name, tool);
  return [...byName.values()];
}

/** The name under which Pi stores a tool. */
export function readToolName({ name }: JsonObject): string {
  return asString(name) ?? (name === undefined ? '' : JSON.stringify(name));
}

/** The content as it is sent, without the tools of these names; the same object if there are none. */
export function omitTools<Content extends Pick<EnvelopeContent, 'tools'>>(
  content: Content,
  names: readonly string[],
): Content {
  if (names.length === 0) return content;
  const omitted = new Set(names);
  return { ...content, tools: content.tools.filter(({ name }) => !omitted.has(name)) };
}

/** Selects the declared tools that are sent. */
export class SentTools {
  private last: {
    readonly declared: EnvelopeContent;
    readonly omitted: number;
    readonly sent: EnvelopeContent;
  } | null = null;

  /** `supplied`: names of the implemented tools. */
  constructor(private readonly supplied: readonly string[] | undefined) {}

  /**
   * The names of the definitions without an implementation. By default, the tools that the session declares have one,
   * since Pi had them; all have one if it declares none.
   */
  listUnimplemented({ tools }: EnvelopeContent, recorded: ReadonlySet<string>): readonly string[] {
    if (!this.supplied && recorded.size === 0) return [];
    const implemented = new Set(this.supplied ?? recorded);
    return tools.map(({ name }) => name).filter((name) => !implemented.has(name));
  }

  /** The declared content as it is sent: the same object until it changes. */
  asSent(declared: EnvelopeContent, recorded: ReadonlySet<string>): EnvelopeContent {
    const names = this.listUnimplemented(declared, recorded);
    if (this.last?.declared !== declared || this.last.omitted !== names.length)
      this.last = { declared, omitted: names.length, sent: omitTools(declared, names) };
    return this.last.sent;
  }
}

/** The diagnostic of a declared tool that Pi omits. */
export function toMissingImplementationProblem(name: string): Problem {
  return {
    code: 'no-implementation',
    severity: 'warning',
    message: `tool "${name}" has no implementation: omitted at run time`,
    line: null,
    entryId: null,
  };
}
