import { cut, textOf } from '#analysis/facts/text.js';
import type { LedgerFact, LedgerListing } from '#analysis/ledger/document.js';
import type { Ledger } from '#analysis/ledger/ledger.js';
import type { LlmMessage } from '#context/replay/content.js';

/** The first line of a packet. */
export const PACKET_TITLE = '[Context packet: facts from the dropped messages]';
/** The beginning of the line in every version: earlier versions used another title. */
const PACKET_START = '[Context packet: ';

/** Builds the message of a packet. `timestamp` is in milliseconds since 1970. */
export function packetMessage(text: string, timestamp: number): LlmMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}

/** Whether a message that a transform added is a packet. */
export function isPacket(message: LlmMessage): boolean {
  return message.role === 'user' && textOf(message).startsWith(PACKET_START);
}

/** The tokens of the title, a short goal and the line on omissions. */
export const LEAST_PACKET_TOKENS = 64;

/** As Pi estimates. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Renders a ledger as the text that replaces dropped turns. The text is deterministic and never longer than its bound,
 * which is at least {@link LEAST_PACKET_TOKENS}. If not everything fits, less important facts are omitted, older ones
 * first, and the text states their number.
 */
export function packetText(ledger: Ledger, { maxTokens }: { readonly maxTokens: number }): string {
  const room = Math.max(maxTokens, LEAST_PACKET_TOKENS) * CHARACTERS_PER_TOKEN;
  const sections = sectionsOf(ledger, room);
  let shown: readonly number[] = sections.map(() => 0);
  for (const at of byWorth(sections)) {
    const more = shown.with(at, (shown[at] ?? 0) + 1);
    if (printed(sections, more).length <= room) shown = more;
  }
  return printed(sections, shown);
}

interface Section {
  readonly title: string;
  /** The name of its lines where none is shown. */
  readonly name: string;
  /** The most valuable section has the lowest rank. */
  readonly rank: number;
  /** Oldest first. */
  readonly lines: readonly string[];
  /** Older ones that are not among them. */
  readonly more: number;
}

function sectionsOf({ goal, constraints, decisions, tasks, blockers, done }: Ledger, room: number): readonly Section[] {
  const said = new Set<string>();
  const listed = (names: Pick<Section, 'title' | 'name'>, rank: number, { facts, more }: LedgerListing): Section => {
    const lines = [...new Set(facts.map(lineOf))].filter((line) => !said.has(line));
    for (const line of lines) said.add(line);
    return { ...names, rank, lines, more };
  };
  const title = goal?.source.kind === 'user' ? 'Goal, in the words of the user' : 'Goal';
  const first = listed({ title, name: 'goal' }, 0, { facts: goal ? [goal] : [], more: 0 });
  // Even in the smallest packet there is room for a goal.
  const roomForGoal = room - PACKET_TITLE.length - title.length - '\n\n## \n- '.length - LONGEST_REST;
  return [
    { ...first, lines: first.lines.map((line) => cut(line, roomForGoal)) },
    listed({ title: 'Constraints', name: 'constraints' }, 1, constraints),
    listed({ title: 'Decisions', name: 'decisions' }, 3, decisions),
    listed({ title: 'To do', name: 'to do' }, 1, tasks),
    listed({ title: 'Blocked or failing', name: 'failing' }, 2, blockers),
    listed({ title: 'Done or answered', name: 'done' }, 4, done),
  ].filter(({ lines }) => lines.length > 0);
}

/** The length of the line about omitted facts, with numbers of seven digits. */
const LONGEST_REST = 100;

function lineOf({ text, outcome }: LedgerFact): string {
  return outcome === null ? text : `${text} → ${outcome}`;
}

/** The section of each line, most important first, alternating between sections of the same rank. */
function byWorth(sections: readonly Section[]): readonly number[] {
  const places = sections.flatMap(({ rank, lines }, at) => lines.map((_, nth) => ({ at, rank, nth })));
  return places.toSorted((a, b) => a.rank - b.rank || a.nth - b.nth || a.at - b.at).map(({ at }) => at);
}

/** The newest lines of each section, up to the number shown of it. */
function printed(sections: readonly Section[], shown: readonly number[]): string {
  const rest: string[] = [];
  const blocks = sections.flatMap(({ title, name, lines, more }, at) => {
    const count = shown[at] ?? 0;
    const hidden = lines.length - count + more;
    if (count === 0) {
      rest.push(`${hidden} ${name}`);
      return [];
    }
    const older = hidden === 0 ? [] : [`… and ${hidden} older`];
    return [[`## ${title}`, ...older, ...lines.slice(lines.length - count).map((text) => `- ${text}`)].join('\n')];
  });
  const last = rest.length === 0 ? [] : [`(omitted: ${rest.join(', ')})`];
  return [PACKET_TITLE, ...(sections.length === 0 ? [NOTHING] : [...blocks, ...last])].join('\n\n');
}

const NOTHING = '(no facts)';
