import { CallResults, type ReadEntry } from '#analysis/reading/call-results.js';
import { buildDrawing } from '#analysis/reading/draw-blocks.js';
import type { ReadingBlock } from '#analysis/reading/reading-block.js';
import { buildEntryBlocks, buildReadingBlocks, type ReadingOptions } from '#analysis/reading/reading-blocks.js';
import { asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { formatBytes, pluralize } from '#base/numbers.js';
import { formatMinute } from '#base/time.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { readTransformerName } from '#context/replay/repeated-transform.js';
import { describeEdit, describeKept } from '#context/words/describe-changes.js';
import { describeEntry, nameEntry } from '#context/words/entry-text.js';
import { formatCall, shorten } from '#context/words/message-text.js';
import { CallFinder } from '#context/words/tool-call.js';
import { findCommandName, readUserWords } from '#context/words/user-words.js';
import type { Entry } from '#session/entry.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { startsTurn } from '#session/tree/turns.js';
import { type Block, cutLine, type Doc, gap, heading, line, type Span, span, verbatim } from '../doc/doc.js';
import { renderReading } from './message-view.js';

/** The entries of a conversation, and how much of them is shown. */
export interface ConversationOptions {
  readonly session: Session;
  /** The path, whose edits and forks are marked. */
  readonly path: readonly Head[];
  /** The entries that are rendered, in this order, as indexes of the file. */
  readonly order: ArrayLike<number>;
  /** For a document in Markdown, texts are parts of it, and what is folded is in it. */
  readonly isDocument: boolean;
  /** Calls with their arguments and results; otherwise, each is one line. */
  readonly isOpen: boolean;
  /** With thinking, what the agent added to the input, and changes of settings. */
  readonly hasHidden: boolean;
}

/** Returns a function that renders an entry as a part of a conversation. Each entry is rendered once, in their order. */
export function createConversationRenderer(options: ConversationOptions): (head: Head) => Doc {
  const view = new ConversationView(options);
  return (head) => view.render(head);
}

/** A part of an entry: its heading, words that were said, or what is folded. */
interface Part {
  readonly kind: 'heading' | 'text' | 'fold' | 'mark';
  readonly blocks: Doc;
}

/** Who speaks, for the heading that a change of the speaker gets. */
type Speaker = 'user' | 'assistant';

class ConversationView {
  private readonly results: CallResults;
  private readonly calls: CallFinder;
  private readonly edits: ReadonlyMap<RawId, string | null>;
  private readonly forks: ReadonlyMap<number, readonly Head[]>;
  private last: Part['kind'] | null = null;
  private speaker: Speaker | null = null;

  constructor(private readonly options: ConversationOptions) {
    const { session, order, path } = options;
    this.results = new CallResults(session, order);
    this.calls = new CallFinder(session);
    this.edits = new Map(
      path.flatMap(({ type, target, id }) => (type === 'context_edit' ? [[target, formatId(id)] as const] : [])),
    );
    this.forks = findForks(session, path);
  }

  render(head: Head): Doc {
    const entry = this.options.session.entry(head);
    const parts = this.results.goTo(head) ? this.listParts(head, entry) : [];
    const forks = (this.forks.get(head.index) ?? []).map((fork) => this.renderFork(fork));
    const all: readonly Part[] = forks.length > 0 ? [...parts, { kind: 'mark', blocks: forks }] : parts;
    return all.flatMap(({ kind, blocks }) => {
      const before = this.last;
      this.last = kind;
      return before !== null && isApart(before, kind, this.options.isOpen) ? [gap, ...blocks] : blocks;
    });
  }

  private listParts(head: Head, entry: Entry): readonly Part[] {
    const message = readEntryMessage(entry);
    if (head.type === 'compaction' || head.type === 'branch_summary') return this.listSummaryParts(head, entry);
    switch (message?.role) {
      case 'user':
        return [...this.renderSpeaker('user', head), ...this.listUserParts(head, message)];
      case 'assistant':
        return this.listAnswerParts(head, message);
      case 'toolResult':
        return [this.renderLoneResult({ head, entry })];
      case 'bashExecution':
        return [...this.renderSpeaker('user', head), this.renderShell(head, entry)];
      case 'custom':
        return this.listCustomParts(head, message);
      default:
        return this.listOtherParts(head, entry);
    }
  }

  private renderSpeaker(speaker: Speaker, head: Head): readonly Part[] {
    const isSame = this.speaker === speaker && speaker === 'assistant';
    this.speaker = speaker;
    if (isSame) return [];
    const time = formatMinute(head.time);
    if (this.options.isDocument) {
      const level = speaker === 'user' ? 2 : 3;
      const name = speaker === 'user' ? 'User' : 'Assistant';
      return [{ kind: 'heading', blocks: [heading(level, time === '' ? name : `${name}, ${time}`)] }];
    }
    const edit = this.describeEdited(head);
    const facts = [time, edit].filter((part) => part !== '').join(', ');
    const blocks = [
      line(span(speaker, 'strong'), '  ', span(formatId(head.id) ?? '', 'id'), span(`  ${facts}`, 'faint')),
    ];
    return [{ kind: 'heading', blocks }];
  }

  private describeEdited(head: Head): string {
    const edit = head.id === undefined ? null : this.edits.get(head.id);
    return edit ? `edited by ${edit}` : '';
  }

  /** The words of the user. What the client put beside them is folded. */
  private listUserParts(head: Head, message: JsonObject): readonly Part[] {
    return buildReadingBlocks({ ...message, role: 'user' }, this.reading()).flatMap((block): readonly Part[] => {
      if (block.kind !== 'text') return this.listBlockParts(head, block);
      const { text } = block.content;
      const words = this.options.isOpen && this.options.hasHidden ? text : readWords(text);
      const rest = text.trim().length - words.trim().length;
      const isAdded = rest > 0 && this.options.hasHidden;
      return [
        ...(words.trim() === ''
          ? []
          : [this.renderText(words, { language: block.content.language, keepsLines: true })]),
        ...(isAdded ? [this.renderFold(head, 'not typed', { text, body: [verbatim(text)] })] : []),
      ];
    });
  }

  private listAnswerParts(head: Head, message: JsonObject): readonly Part[] {
    const { hasHidden } = this.options;
    const blocks = buildReadingBlocks({ ...message, role: 'assistant' }, this.reading());
    const calls = listObjects(message.content).filter(({ type }) => type === 'toolCall');
    const parts: Part[] = [];
    for (let at = 0; at < blocks.length; at += 1) {
      const block = blocks[at];
      if (!block) continue;
      if (block.kind === 'thinking') {
        const { text } = block.content;
        const body = [verbatim(text, 'markdown')];
        if (hasHidden && text.trim() !== '') parts.push(this.renderFold(head, 'thinking', { text, body }));
      } else if (block.kind === 'call') {
        const below = takeArguments(blocks, at + 1);
        at += below.length;
        parts.push(this.renderCall(head, calls.shift() ?? {}, [block, ...below]));
      } else parts.push(...this.listBlockParts(head, block));
    }
    return parts.length === 0 ? [] : [...this.renderSpeaker('assistant', head), ...parts];
  }

  private listBlockParts(head: Head, block: ReadingBlock): readonly Part[] {
    switch (block.kind) {
      case 'text':
        return block.content.text.trim() === '' ? [] : [this.renderText(block.content.text, block.content)];
      case 'image':
        return [this.renderFold(head, `image, ${block.type}, ${formatBytes(block.bytes)}`)];
      case 'failure':
        return [{ kind: 'text', blocks: [line(span(`  ${block.text}`, 'error'))] }];
      default:
        return [{ kind: 'fold', blocks: renderReading([block], true) }];
    }
  }

  private renderText(
    text: string,
    { language, keepsLines }: { readonly language: string; readonly keepsLines?: boolean },
  ): Part {
    const words = text.trim();
    if (!this.options.isDocument) return { kind: 'text', blocks: [verbatim(words, language)] };
    const drawing = buildDrawing({ text: words, language: 'markdown' });
    const block: Block = {
      kind: 'verbatim',
      text: words,
      language: '',
      ...(drawing.form === 'markdown' && { nodes: drawing.nodes }),
      ...(keepsLines && { keepsLines: true }),
    };
    return { kind: 'text', blocks: [block] };
  }

  /** A call with its result, as one line or with all that belongs to it. */
  private renderCall(head: Head, call: JsonObject, blocks: readonly ReadingBlock[]): Part {
    const result = this.results.take(call.id);
    const output = result ? this.readResult(result, call) : null;
    const [first, ...below] = blocks;
    const { tool, subject, details } = first?.kind === 'call' ? first : NO_CALL;
    const title = [
      ...this.renderTool(tool, this.isShort || details.length === 0 ? subject || this.describeCall(call) : subject),
      ...this.renderDetails(details),
      ...renderOutcome(output, this.isShort, result ? this.describeEdited(result.head) : ''),
    ];
    // What the line cuts is below it.
    const command = subject.length > MOST_SUBJECT ? [verbatim(subject)] : [];
    return this.renderLine(result?.head ?? head, title, () => [
      ...command,
      ...renderReading([...below, ...(output?.blocks ?? [])], true),
    ]);
  }

  /** A result whose call is not among the entries. */
  private renderLoneResult(result: ReadEntry): Part {
    const call = this.calls.findCall(result.head, result.entry);
    const message = readEntryMessage(result.entry);
    const output = this.readResult(result, call ?? undefined);
    const title = [
      ...this.renderTool(asText(call?.name ?? message?.toolName ?? '?'), call ? this.describeCall(call) : ''),
      ...renderOutcome(output, this.isShort, this.describeEdited(result.head)),
    ];
    return this.renderLine(result.head, title, () => renderReading(output.blocks, true));
  }

  /** The arguments of a call in a few words. */
  private describeCall(call: JsonObject): string {
    const text = formatCall(call, this.options.session.header.cwd ?? '');
    const tool = asText(call.name);
    return text.startsWith(tool)
      ? text
          .slice(tool.length)
          .replace(/^\(([^]*)\)$/, '$1')
          .trim()
      : text;
  }

  /** Short arguments; a line that is short has only the size of an edit. */
  private renderDetails(details: readonly string[]): readonly Span[] {
    const shown = this.isShort ? details.filter((detail) => /^\+\d+ -\d+$/.test(detail)) : details;
    return shown.length === 0 ? [] : [span('  '), span(shown.join(', '), this.options.isDocument ? 'code' : 'faint')];
  }

  private renderTool(tool: string, whole: string): readonly Span[] {
    const { isDocument, session } = this.options;
    // Some models begin each command with the folder of the session, which the facts have.
    const entering = `cd ${session.header.cwd ?? ''} && `;
    const subject = this.isShort && whole.startsWith(entering) ? whole.slice(entering.length) : whole;
    const words = shorten(subject.split('\n')[0] ?? '', this.isShort ? SHORT_SUBJECT : MOST_SUBJECT);
    const isCut = subject.trim().includes('\n') && !words.endsWith('…');
    return [
      span(tool, isDocument ? 'code' : 'tools'),
      ...(words === '' ? [] : [span(' '), span(`${words}${isCut ? ' …' : ''}`, isDocument ? 'code' : 'plain')]),
    ];
  }

  /** Whether the lines of calls also have the beginning of the result. */
  private get isShort(): boolean {
    return !this.options.isDocument && !this.options.isOpen;
  }

  private readResult({ entry }: ReadEntry, call: JsonObject | undefined): ResultText {
    const blocks = buildEntryBlocks(entry, this.reading(call)) ?? [];
    const isFailed = blocks.some(({ kind }) => kind === 'failure');
    const shown = blocks.filter(({ kind }) => kind !== 'failure');
    const text = shown.map((block) => ('content' in block ? block.content.text : '')).join('\n');
    return { blocks: shown, text, isFailed, images: shown.filter(({ kind }) => kind === 'image').length };
  }

  private renderShell(head: Head, entry: Entry): Part {
    const blocks = buildEntryBlocks(entry, this.reading()) ?? [];
    const [first, ...below] = blocks;
    const { subject, details } = first?.kind === 'call' ? first : NO_CALL;
    const text = below.map((block) => (block.kind === 'output' ? block.content.text : '')).join('');
    const output = { blocks: below, text, isFailed: details.length > 0, images: 0 };
    const title = [...this.renderTool('$', subject), ...renderOutcome(output, this.isShort, details.join(', '))];
    return this.renderLine(head, title, () => renderReading(below, true));
  }

  /** A message of an extension, or what an agent added to the input. */
  private listCustomParts(head: Head, message: JsonObject): readonly Part[] {
    const blocks = buildReadingBlocks({ ...message, role: 'user' }, this.reading());
    const text = blocks.map((block) => ('content' in block ? block.content.text : '')).join('\n');
    const name = asText(message.customType ?? 'custom');
    const fold = this.renderFold(head, name, { text, body: renderReading(blocks, true) });
    if (!startsTurn(head) && !this.options.hasHidden) return [];
    // It may start a turn: the answer after it gets a heading.
    if (startsTurn(head)) this.speaker = null;
    return [fold];
  }

  private listSummaryParts(head: Head, entry: Entry): readonly Part[] {
    const id = formatId(head.id);
    const isCompaction = entry.type === 'compaction';
    const text = asText(entry.summary ?? '');
    const what = isCompaction
      ? `from here on the context ${describeKept(id, asString(entry.firstKeptEntryId))}, after a summary`
      : 'the conversation comes back from another branch';
    this.speaker = null;
    const fold =
      text.trim() === '' ? [] : [this.renderFold(head, 'summary', { text, body: [verbatim(text, 'markdown')] })];
    return [this.renderMark(head, isCompaction ? 'compaction' : 'branch', what), ...fold];
  }

  private listOtherParts(head: Head, entry: Entry): readonly Part[] {
    const { hasHidden, isOpen } = this.options;
    if (entry.type === 'context_edit') {
      const what = describeEdit(asText(head.target), !isObject(entry.replacement));
      const blocks = isObject(entry.replacement)
        ? buildReadingBlocks({ role: 'user', content: entry.replacement.content })
        : [];
      return [this.renderLine(head, [span('edit', 'strong'), span(`: ${what}`)], () => renderReading(blocks, true))];
    }
    const isChange = entry.type === 'context_transform';
    // A compaction of Pi has an entry of its own.
    if (isChange && this.options.session.agent && readTransformerName(entry) === 'compaction') {
      const messages = listObjects(entry.patch).flatMap((op) => listObjects(op.messages));
      this.speaker = null;
      return [
        this.renderMark(
          head,
          'compaction',
          `from here on the context has ${pluralize(messages.length, 'message')} instead`,
        ),
      ];
    }
    if (!isChange && (!hasHidden || (!isOpen && UNSEEN.has(entry.type ?? '')))) return [];
    const preview = describeEntry(entry);
    const name = nameEntry(head, this.options.session).replaceAll('_', ' ');
    return [this.renderLine(head, [span(preview === '' ? name : `${name}: ${preview}`, 'faint')])];
  }

  private renderMark(head: Head, name: string, what: string): Part {
    if (this.options.isDocument)
      return { kind: 'mark', blocks: [line(span(capitalize(name), 'strong'), `: ${what}.`)] };
    const time = formatMinute(head.time);
    const facts = time === '' ? '' : `  ${time}`;
    return {
      kind: 'mark',
      blocks: [
        line(span(name, 'strong'), '  ', span(formatId(head.id) ?? '', 'id'), span(facts, 'faint')),
        line(`  ${what}`),
      ],
    };
  }

  private renderFork(fork: Head): Block {
    const id = span(formatId(fork.id) ?? `line ${fork.line}`, 'id');
    const { session, isDocument, hasHidden } = this.options;
    if (isDocument) return line('Another branch begins here: ', id);
    const preview = hasHidden ? `  ${describeEntry(session.entry(fork))}` : '';
    return cutLine(span('  another branch from here: ', 'faint'), id, span(preview, 'faint'));
  }

  /** A text that is folded: its number of lines, and the first one. */
  private renderFold(head: Head, name: string, folded?: { readonly text: string; readonly body: Doc }): Part {
    if (!folded) return this.renderLine(head, [span(name, 'faint')]);
    const lines = listTextLines(folded.text);
    const count = lines.length > 1 ? `, ${pluralize(lines.length, 'line')}` : '';
    const first = this.isShort && lines.length > 0 ? `: ${shorten(lines[0] ?? '', MOST_FIRST)}` : '';
    return this.renderLine(head, [span(`${name}${count}${first}`, 'faint')], () => folded.body);
  }

  private renderLine(head: Head, title: readonly Span[], body: () => Doc = () => []): Part {
    const { isDocument, isOpen } = this.options;
    const below = isDocument || isOpen ? body() : [];
    const id = isDocument ? [] : [span('  '), span(formatId(head.id) ?? '', 'id'), span('  ')];
    return { kind: 'fold', blocks: [{ kind: 'fold', summary: [...id, ...title], body: below }] };
  }

  private reading(call?: JsonObject): ReadingOptions {
    return { call, cwd: this.options.session.header.cwd ?? '' };
  }
}

/** Whether a blank line is between two parts. */
function isApart(before: Part['kind'], next: Part['kind'], isOpen: boolean): boolean {
  if (next === 'heading' || next === 'mark') return true;
  if (before === 'heading' || before === 'mark') return false;
  return before !== next || isOpen || next === 'text';
}

/** The characters of a call on a line with its result, and alone. */
const SHORT_SUBJECT = 48;
const MOST_SUBJECT = 120;
/** The characters of the first line of what is folded. */
const MOST_FIRST = 120;

const NO_CALL = { tool: '', subject: '', details: [] as readonly string[] };

/** Entries that say nothing about the conversation. */
const UNSEEN: ReadonlySet<string> = new Set(['custom', 'usage', 'model_usage']);

/** The result of a call. */
interface ResultText {
  readonly blocks: readonly ReadingBlock[];
  readonly text: string;
  readonly isFailed: boolean;
  readonly images: number;
}

/** The outcome of a call: whether it failed, the size of its result, and where there is room its beginning. */
function renderOutcome(result: ResultText | null, hasFirst: boolean, note: string): readonly Span[] {
  if (!result) return [span(' → no result', 'warning')];
  const lines = listTextLines(result.text);
  const sizes = [
    ...(lines.length > 0 ? [pluralize(lines.length, 'line')] : []),
    ...(result.images > 0 ? [pluralize(result.images, 'image')] : []),
  ];
  const size = sizes.length === 0 ? 'no output' : sizes.join(', ');
  const first =
    hasFirst && lines.length > 0
      ? `${lines.length > 1 ? `${size}: ` : ''}${shorten(lines[0] ?? '', MOST_FIRST)}`
      : size;
  return [
    span(' → ', 'faint'),
    ...(result.isFailed ? [span(note === '' ? 'failed' : note, 'error'), span(', ', 'faint')] : []),
    span(first, 'faint'),
    ...(note === '' || result.isFailed ? [] : [span(`, ${note}`, 'faint')]),
  ];
}

/** The blocks that belong to the call before them. */
function takeArguments(blocks: readonly ReadingBlock[], from: number): readonly ReadingBlock[] {
  const end = blocks.findIndex(({ kind }, at) => at >= from && kind !== 'argument' && kind !== 'diff');
  return blocks.slice(from, end === -1 ? blocks.length : end);
}

/** The words that a user typed. A command of the client comes first. */
function readWords(text: string): string {
  const words = readUserWords(text).trim();
  const command = findCommandName(text);
  return command === null ? words : `${command} ${words}`.trim();
}

/** The lines of a text that are not blank. */
function listTextLines(text: string): readonly string[] {
  return text.split('\n').flatMap((row) => (row.trim() === '' ? [] : [row.trim()]));
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The first entries of other branches, by the entry of the path that they follow. */
function findForks({ tree: { heads } }: Session, path: readonly Head[]): ReadonlyMap<number, readonly Head[]> {
  const onPath = new Set(path.map(({ index }) => index));
  // What follows the last entry is no other branch.
  const end = path.at(-1)?.index;
  const forks = new Map<number, Head[]>();
  for (let index = 0; index < heads.length; index += 1) {
    const parent = heads.parentAt(index);
    if (parent === end || onPath.has(index) || !onPath.has(parent) || heads.roleAt(index) === null) continue;
    const head = heads.at(index);
    if (head) addTo(forks, parent, head);
  }
  return forks;
}
