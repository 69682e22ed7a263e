import path from 'node:path';
import { FactReader } from '#analysis/facts/fact-reader.js';
import type { StatedFact } from '#analysis/facts/fact.js';
import { ALL_FACTS, collectFacts } from '#analysis/facts/facts.js';
import { readUserMessage } from '#analysis/facts/message-facts.js';
import { listStatements, type Statement } from '#analysis/facts/statements.js';
import { normalizeText } from '#analysis/facts/text.js';
import { openSession } from '#context/open.js';
import { activePath } from '#session/tree/tree.js';
import { CONVERSATIONS, FIXTURES, type LabelledConversation } from './conversations.js';

type FactLabels = Omit<LabelledConversation, 'name' | 'messages'>;

const LABELLED = ['instructions', 'constraints', 'openTasks'] as const;
export type LabelledKind = (typeof LABELLED)[number];

/** The facts that were found, and those that the labels name. */
export interface Score {
  readonly found: number;
  /** Found facts that a label names. Those that only an optional label names are not counted at all. */
  readonly right: number;
  readonly labelled: number;
  /** Labels that a found fact contains. */
  readonly met: number;
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
}

export function precision({ right, found }: Score): number {
  return found === 0 ? 1 : right / found;
}

export function recall({ met, labelled }: Score): number {
  return labelled === 0 ? 1 : met / labelled;
}

/** Reads the facts of all labelled conversations and fixtures. `fixtures`: their folder. */
export async function measureFacts(fixtures: string): Promise<Readonly<Record<LabelledKind, Score>>> {
  const scores: Record<LabelledKind, Score>[] = CONVERSATIONS.map((conversation) =>
    scoreAll(conversation, conversation.messages.map(toStatement)),
  );
  for (const { file, ...labels } of FIXTURES) {
    const session = await openSession(path.join(fixtures, file));
    const placed = [...listStatements(session, activePath(session.tree))];
    scores.push(
      scoreAll(
        labels,
        placed.map(({ statement }) => statement),
      ),
    );
  }
  const sum = (kind: LabelledKind): Score => scores.map((each) => each[kind]).reduce(addScores);
  return { instructions: sum('instructions'), constraints: sum('constraints'), openTasks: sum('openTasks') };
}

function toStatement(line: string): Statement {
  const [, role = '', text = ''] = /^(\w+): ([^]*)$/.exec(line) ?? [];
  if (role === 'compaction') return { kind: 'compaction', summary: text };
  if (role === 'user') return { kind: 'message', message: { role: 'user', content: text } };
  const stopReason = text.endsWith('…') ? 'aborted' : 'stop';
  return { kind: 'message', message: { role: 'assistant', content: [{ type: 'text', text }], stopReason } };
}

function scoreAll(labels: FactLabels, statements: readonly Statement[]): Record<LabelledKind, Score> {
  const reader = new FactReader();
  const stated = statements.flatMap((statement, line) =>
    reader.take(statement).map((fact, place): StatedFact => {
      const kind = statement.kind === 'message' ? statement.message.role : statement.kind;
      return { ...fact, time: line, source: { entryId: null, line, kind, place } };
    }),
  );
  const { constraints, tasks } = collectFacts(stated, ALL_FACTS);
  const instructions = statements.flatMap((statement) =>
    statement.kind === 'message' && statement.message.role === 'user'
      ? readUserMessage(statement.message).instructions
      : [],
  );
  const optional = labels.optional ?? [];
  return {
    instructions: score(instructions, labels.instructions, optional),
    constraints: score(constraints.facts, labels.constraints, optional),
    openTasks: score(tasks.facts, labels.openTasks, optional),
  };
}

function score(
  facts: readonly { readonly text: string }[],
  labels: readonly string[],
  optional: readonly string[],
): Score {
  const contains = (text: string, label: string): boolean => normalizeText(text).includes(normalizeText(label));
  const right = facts.filter(({ text }) => labels.some((label) => contains(text, label)));
  const others = facts.filter((fact) => !right.includes(fact));
  const wrong = others.filter(({ text }) => !optional.some((label) => contains(text, label)));
  const missing = labels.filter((label) => !facts.some(({ text }) => contains(text, label)));
  return {
    found: right.length + wrong.length,
    right: right.length,
    labelled: labels.length,
    met: labels.length - missing.length,
    wrong: wrong.map(({ text }) => text),
    missing,
  };
}

function addScores(one: Score, other: Score): Score {
  return {
    found: one.found + other.found,
    right: one.right + other.right,
    labelled: one.labelled + other.labelled,
    met: one.met + other.met,
    wrong: [...one.wrong, ...other.wrong],
    missing: [...one.missing, ...other.missing],
  };
}
