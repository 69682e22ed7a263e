import { sumSessionCosts } from '#analysis/stats/session-costs.js';
import { describeUsageCost } from '#analysis/stats/usage-sums.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { formatMinute } from '#base/time.js';
import { countClientUsage } from '#cli/sessions/jobs/stats.js';
import { formatModel } from '#context/models/model-name.js';
import type { OpenSession } from '#context/open.js';
import { findSettings } from '#context/replay/settings.js';
import { findSessionTitle } from '#context/words/session-title.js';
import { toRelativePath } from '#context/words/tool-call.js';
import type { Io } from '#platform/io.js';
import { formatId, type Head } from '#session/heads/head.js';
import { countTurns, startsTurn } from '#session/tree/turns.js';
import { commandLine, type Doc, gap, heading, line, span } from '#ui/doc/doc.js';
import { type ConversationOptions, createConversationRenderer } from '#ui/parts/conversation-view.js';

/** A conversation with what is known about it. */
interface Conversation extends Pick<ConversationOptions, 'isDocument' | 'isOpen' | 'hasHidden'> {
  readonly session: OpenSession;
  /** The entries from the root to the requested one. */
  readonly path: readonly Head[];
  /** The last turns of the path; all of them if it is left out. */
  readonly last?: number | undefined;
  readonly facts: readonly ConversationFact[];
  /** The session as the user named it, for the command that prints an entry in full; no command if it is left out. */
  readonly name?: string | undefined;
}

/** A fact about a session: its name for a list, and its value. */
export interface ConversationFact {
  readonly name: string;
  readonly value: string;
}

/** Writes a conversation: its title, the facts about it, and its entries. */
export async function* writeConversation(conversation: Conversation): AsyncGenerator<Doc | string> {
  const { session, path, last, facts, name, ...style } = conversation;
  const shown = last === undefined ? path : takeLastTurns(path, last);
  yield [heading(1, findSessionTitle(session)), ...renderFacts(facts, style.isDocument)];
  const order = shown.map(({ index }) => index);
  const render = createConversationRenderer({ session, path, order, ...style });
  // A document has blank lines between blocks; a terminal has those that the parts begin with.
  yield '\n';
  let isFirst = true;
  for (const head of shown) {
    const doc = render(head);
    if (doc.length === 0) continue;
    if (style.isDocument && !isFirst) yield '\n';
    isFirst = false;
    yield doc;
  }
  const id = formatId((shown.findLast(({ role }) => role === 'toolResult') ?? shown.at(-1))?.id);
  if (name === undefined || id === null) return;
  yield [
    gap,
    line(span('Lines with an id are folded. --full unfolds them all, ctx cat one:', 'faint')),
    commandLine('  ', `ctx cat ${toShellWord(name)} ${toShellWord(id)}`),
  ];
}

function takeLastTurns(path: readonly Head[], most: number): readonly Head[] {
  const starts = path.flatMap((head, at) => (startsTurn(head) ? [at] : []));
  return path.slice(starts.at(-most) ?? 0);
}

function renderFacts(facts: readonly ConversationFact[], isDocument: boolean): Doc {
  if (!isDocument) {
    const lines = [facts.filter(({ name }) => !WHERE.has(name)), facts.filter(({ name }) => WHERE.has(name))];
    return lines.map((some) => line(span(some.map(({ value }) => value).join(' · '), 'faint')));
  }
  return [{ kind: 'bullets', items: facts.map(({ name, value }) => [span(name, 'strong'), span(`: ${value}`)]) }];
}

/** The facts that tell where a session is. */
const WHERE: ReadonlySet<string> = new Set(['Folder', 'Session']);

/** The facts that a reader of a conversation wants: agent, model, time, length, cost and folder. */
export async function readFacts(
  { files }: Pick<Io, 'files'>,
  session: OpenSession,
  path: readonly Head[],
): Promise<readonly ConversationFact[]> {
  const { cost, costListed } = sumSessionCosts(session, await countClientUsage(files, session));
  const { model } = findSettings(session, path);
  const { cwd } = session.header;
  const facts: Readonly<Record<string, string | null>> = {
    Agent: session.agent?.title ?? 'Pi',
    Model: model?.modelId ? formatModel(model) : null,
    Time: describeTime(path),
    Length: pluralize(countTurns(path).turns, 'turn'),
    Cost: (cost ?? costListed) === null ? null : describeUsageCost({ cost, costListed }),
    Folder: cwd === null ? null : toRelativePath(cwd, cwd),
    Session: session.header.id,
  };
  return Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

/** The first and the last time of a path, to the minute. */
function describeTime(path: readonly Head[]): string | null {
  const first = path.find(hasTime);
  const last = path.findLast(hasTime);
  if (!first || !last) return null;
  const from = formatMinute(first.time);
  const to = formatMinute(last.time);
  if (from === to) return `${from} UTC`;
  const isSameDay = from.slice(0, DAY) === to.slice(0, DAY);
  return `${from} – ${isSameDay ? to.slice(DAY).trim() : to} UTC`;
}

const DAY = 'YYYY-MM-DD'.length;

function hasTime({ time }: Head): boolean {
  return formatMinute(time) !== '';
}
