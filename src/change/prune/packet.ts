import type { FactList, ListedFact } from '#analysis/facts/document.js';
import type { ConversationFacts } from '#analysis/facts/facts.js';
import { readMessageText, truncateText } from '#analysis/facts/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toUserMessage } from '#context/replay/convert.js';
import { CHARACTERS_PER_TOKEN } from '#context/size/tokens.js';

/** The first line of a packet. */
export const PACKET_TITLE = '[Context packet: facts from the dropped messages]';
/** The beginning of the line in every version: earlier versions used another title. */
const PACKET_START = '[Context packet: ';

/** Builds the message of a packet. `timestamp` is in milliseconds since 1970. */
export function toPacketMessage(text: string, timestamp: number): LlmMessage {
  return toUserMessage(text, timestamp);
}

/** Whether a message that a transform added is a packet. */
export function isPacket(message: LlmMessage): boolean {
  return message.role === 'user' && readMessageText(message).startsWith(PACKET_START);
}

/** The tokens of the title, a short goal and the line on omissions. */
export const LEAST_PACKET_TOKENS = 64;

/** Whether a fact goes with the messages that a prune drops, had gone before, or is in a message that stays. */
export type Whereabouts = 'leaves' | 'gone' | 'stays';

export interface PacketOptions {
  readonly maxTokens: number;
  /** A fact that stays in the context is not repeated; those that leave it come first. Without this, all leave it. */
  whereabouts?(fact: ListedFact): Whereabouts;
  /** Files that the newest turn mentions and that left the context, a line for each. */
  readonly files?: readonly string[];
}

/**
 * Writes facts as the text that replaces dropped turns. The text is deterministic and never longer than its bound,
 * which is at least {@link LEAST_PACKET_TOKENS}. If not everything fits, less important facts are omitted, older ones
 * first, and the text states their number.
 */
export function formatPacket(conversation: ConversationFacts, options: PacketOptions): string {
  const room = Math.max(options.maxTokens, LEAST_PACKET_TOKENS) * CHARACTERS_PER_TOKEN;
  const sections = buildSections(conversation, room, options);
  let shown: ReadonlySet<Line> = new Set();
  let text = formatSections(sections, shown);
  for (const line of sortByWorth(sections)) {
    if (text.length + line.text.length > room) continue;
    const more = new Set([...shown, line]);
    const longer = formatSections(sections, more);
    if (longer.length > room) continue;
    shown = more;
    text = longer;
  }
  return text;
}

interface Line {
  readonly text: string;
  readonly isLeaving: boolean;
}

interface Section {
  readonly title: string;
  /** The name of its lines where none is shown. */
  readonly name: string;
  /** The ranks of lines that leave the context, and of those that had left it; the most valuable has the lowest. */
  readonly ranks: { readonly leaving: number; readonly gone: number };
  /** Oldest first. */
  readonly lines: readonly Line[];
  /** Older ones that are not among them. */
  readonly more: number;
}

function buildSections(
  conversation: ConversationFacts,
  room: number,
  { whereabouts, files = [] }: PacketOptions,
): readonly Section[] {
  const { goal, constraints, decisions, tasks, blockers, done } = conversation;
  const texts = new Set<string>();
  const toLines = (fact: ListedFact): readonly Line[] => {
    const where = whereabouts?.(fact) ?? 'leaves';
    const text = fact.outcome === null ? fact.text : `${fact.text} → ${fact.outcome}`;
    if (where === 'stays' || texts.has(text)) return [];
    texts.add(text);
    return [{ text, isLeaving: where === 'leaves' }];
  };
  const buildSection = (names: Pick<Section, 'title' | 'name' | 'ranks'>, { facts, more }: FactList): Section => ({
    ...names,
    lines: facts.flatMap(toLines),
    more,
  });
  const title = goal?.source.kind === 'user' ? 'Goal, in the words of the user' : 'Goal';
  const first = buildSection(
    { title, name: 'goal', ranks: { leaving: 0, gone: 0 } },
    { facts: goal ? [goal] : [], more: 0 },
  );
  // Even in the smallest packet there is room for a goal.
  const roomForGoal = room - PACKET_TITLE.length - title.length - '\n\n## \n- '.length - LONGEST_REST;
  const fileSection: Section = {
    title: 'Files of the newest turn, to be read again',
    name: 'files',
    ranks: { leaving: 1, gone: 1 },
    lines: files.map((text) => ({ text, isLeaving: true })),
    more: 0,
  };
  return [
    { ...first, lines: first.lines.map((line) => ({ ...line, text: truncateText(line.text, roomForGoal) })) },
    fileSection,
    buildSection({ title: 'Constraints', name: 'constraints', ranks: { leaving: 1, gone: 4 } }, constraints),
    buildSection({ title: 'Decisions', name: 'decisions', ranks: { leaving: 3, gone: 6 } }, decisions),
    buildSection({ title: 'To do', name: 'to do', ranks: { leaving: 1, gone: 4 } }, tasks),
    buildSection({ title: 'Blocked or failing', name: 'failing', ranks: { leaving: 2, gone: 5 } }, blockers),
    buildSection({ title: 'Done or answered', name: 'done', ranks: { leaving: 7, gone: 8 } }, done),
  ].filter(({ lines, more }) => lines.length + more > 0);
}

/** The length of the line about omitted facts, with numbers of seven digits. */
const LONGEST_REST = 100;

/** The lines, most important first, the newest of each section before older ones. */
function sortByWorth(sections: readonly Section[]): readonly Line[] {
  const places = sections.flatMap(({ ranks, lines }, at) =>
    lines.toReversed().map((line, nth) => ({ line, at, nth, rank: line.isLeaving ? ranks.leaving : ranks.gone })),
  );
  return places.toSorted((a, b) => a.rank - b.rank || a.nth - b.nth || a.at - b.at).map(({ line }) => line);
}

/** The shown lines of each section, and the number of the others. */
function formatSections(sections: readonly Section[], shown: ReadonlySet<Line>): string {
  const omitted: string[] = [];
  const blocks = sections.flatMap(({ title, name, lines, more }) => {
    const own = lines.filter((line) => shown.has(line));
    const hidden = lines.length - own.length + more;
    if (own.length === 0) {
      omitted.push(`${hidden} ${name}`);
      return [];
    }
    const others = hidden === 0 ? [] : [`… and ${hidden} more`];
    return [[`## ${title}`, ...others, ...own.map(({ text }) => `- ${text}`)].join('\n')];
  });
  const last = omitted.length === 0 ? [] : [`(omitted: ${omitted.join(', ')})`];
  return [PACKET_TITLE, ...(sections.length === 0 ? [NOTHING] : [...blocks, ...last])].join('\n\n');
}

const NOTHING = '(no facts)';
