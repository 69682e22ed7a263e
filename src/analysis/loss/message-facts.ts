import { asString, type JsonObject, listObjects } from '#base/json.js';
import { baseName, choosePathRules } from '#base/paths.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import {
  findDecisions,
  findInstructions,
  isChoice,
  listTerms,
  messageText,
  toOneLine,
  truncateText,
} from '../facts/text.js';
import { commandOf, findErrorLine, findFileUse, listToolUses, type ToolUse } from '../facts/tool-uses.js';

/** The classes of facts in a message. */
export const FACT_CLASSES = [
  'instructions',
  'corrections',
  'decisions',
  'errors',
  'edits',
  'reads',
  'results',
  'images',
  'thinking',
] as const;
type FactClass = (typeof FACT_CLASSES)[number];

export interface MessageFact {
  readonly class: FactClass;
  /** The index of its message. */
  readonly at: number;
  /** A description on one line. */
  readonly text: string;
  /** The text that a summary would have to quote; null if there is none. */
  readonly quote: string | null;
  /** Names that the summary must contain. */
  readonly terms: readonly string[];
  /** The data of an image, which a replacement that sends the image again has too; null for other facts. */
  readonly image: string | null;
}

/** The data of an image; null for other blocks. */
export function imageDataOf({ type, data }: JsonObject): string | null {
  return type === 'image' ? asString(data) : null;
}

/** `isWritten`: whether the user wrote the message at an index; extensions and hooks send theirs with the same role. */
export function listMessageFacts(
  messages: readonly LlmMessage[],
  isWritten: (at: number) => boolean = () => true,
): readonly MessageFact[] {
  const ofMessages = messages.flatMap((message, at) => factsOfMessage(message, at, isWritten(at)));
  const ofTools = factsOfTools(listToolUses(messages));
  return [...ofMessages, ...ofTools].toSorted((a, b) => a.at - b.at);
}

function factsOfMessage(message: LlmMessage, at: number, isWritten: boolean): readonly MessageFact[] {
  const facts: MessageFact[] = [];
  const add = (factClass: FactClass, text: string, quote: string | null, image: string | null = null): void => {
    const terms = quote === null ? [] : listTerms(quote);
    facts.push({ class: factClass, at, text: truncateText(text, LONGEST), quote, terms, image });
  };
  const text = findSummaryText(message) === null ? messageText(message) : '';
  if (message.role === 'user' && isWritten)
    for (const { kind, text: said } of findInstructions(text))
      add(kind === 'correction' ? 'corrections' : 'instructions', said, said);
  if (message.role === 'assistant')
    for (const said of findDecisions(text).filter(isChoice)) add('decisions', said, said);
  for (const block of listObjects(message['content'])) {
    if (block['type'] === 'image') add('images', asString(block['mimeType']) ?? 'an image', null, imageDataOf(block));
    const thinking = block['type'] === 'thinking' ? toOneLine(asString(block['thinking']) ?? '') : '';
    if (thinking !== '') add('thinking', thinking, null);
  }
  return facts;
}

const LONGEST = 300;

function factsOfTools(uses: readonly ToolUse[]): readonly MessageFact[] {
  const facts: MessageFact[] = [];
  for (const use of uses) {
    const at = use.callAt === -1 ? use.resultAt : use.callAt;
    const file = findFileUse(use);
    const command = commandOf(use);
    const terms = [file?.path, command].filter((term) => term !== undefined && term !== null);
    const called = [use.name, file?.path ?? command].filter(Boolean).join(' ');
    const error = findErrorLine(use);
    if (error !== null) {
      const named = listTerms(error);
      facts.push({
        class: 'errors',
        at: use.resultAt,
        text: truncateText(`${called}: ${error}`, LONGEST),
        quote: error,
        terms: named,
        image: null,
      });
    } else if (file) {
      const factClass = file.kind === 'modified' ? 'edits' : 'reads';
      facts.push({ class: factClass, at, text: truncateText(file.path, LONGEST), quote: null, terms, image: null });
    }
    if (error === null && use.resultAt !== -1 && file?.kind !== 'modified')
      facts.push({
        class: 'results',
        at: use.resultAt,
        text: truncateText(called, LONGEST),
        quote: null,
        terms,
        image: null,
      });
  }
  return facts;
}

/** The names under which a text may mention a file. */
export type FileNames = (path: string) => readonly string[];

const HOME = /^(?:\/home\/[^/]+|\/Users\/[^/]+|\/root|[A-Za-z]:\\Users\\[^\\]+)(?=[/\\])/;

/** The files of a session, from the paths in its calls. */
export class KnownFiles {
  private readonly paths = new Set<string>();
  private readonly absolutes = new Map<string, Set<string>>();

  constructor(private readonly cwd: string | null) {}

  add(path: string): void {
    if (this.paths.has(path)) return;
    this.paths.add(path);
    const absolute = absoluteOf(path, this.cwd);
    const base = baseName(absolute);
    const all = this.absolutes.get(base) ?? new Set();
    this.absolutes.set(base, all.add(absolute));
  }

  has(path: string): boolean {
    return this.paths.has(path);
  }

  /**
   * The names of a file: the path itself, the absolute one, the one from the session's folder, the one from the user's
   * home (`~`), and the base name if no other file has it. Paths of Windows are also written with slashes.
   */
  namesOf(path: string): readonly string[] {
    const absolute = absoluteOf(path, this.cwd);
    const base = baseName(absolute);
    const isUnique = (this.absolutes.get(base)?.size ?? 0) <= 1;
    const below = belowOf(absolute, this.cwd);
    const names = [path, absolute, ...below, absolute.replace(HOME, '~'), ...(isUnique ? [base] : [])];
    const isOfWindows = choosePathRules(absolute).sep === '\\';
    return [...new Set(isOfWindows ? names.flatMap((name) => [name, name.replaceAll('\\', '/')]) : names)];
  }
}

function belowOf(absolute: string, cwd: string | null): readonly string[] {
  if (cwd === null || cwd === '') return [];
  const folder = cwd + choosePathRules(cwd).sep;
  return absolute.startsWith(folder) ? [absolute.slice(folder.length)] : [];
}

function absoluteOf(path: string, cwd: string | null): string {
  if (cwd === null) return path;
  const { isAbsolute, join, sep } = choosePathRules(cwd);
  const home = HOME.exec(cwd + sep)?.[0];
  if (home && /^~[/\\]/.test(path)) return join(home, path.slice(1));
  if (!isAbsolute(cwd) || isAbsolute(path) || path.startsWith('~')) return path;
  // The dot drops a slash at the end.
  return join(cwd, path, '.');
}
