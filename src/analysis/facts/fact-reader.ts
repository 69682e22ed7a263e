import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import {
  type Fact,
  type FactKind,
  type FactState,
  LONGEST_GOAL,
  type PendingCall,
  readFailure,
  readNextSteps,
  readOutcome,
  readPendingCalls,
  readUserFacts,
  type StatedFact,
  toFact,
  toFactKey,
} from './fact.js';
import { listStatements, type ReadPosition, type Statement } from './statements.js';
import { readSummaryLines, type SummarySection, withoutCheckbox } from './summary-lines.js';
import { endsTurn, findMessageDecisions, isChoice, messageText, truncateText } from './text.js';
import { findTodos } from './tool-uses.js';

/**
 * Collects the candidates of the ledger along a path. Entries are parsed one at a time, and only open items are
 * kept in memory.
 */
export function* readStatedFacts(
  session: Session,
  path: readonly Head[],
  listener = new FactReader(),
  soFar?: ReadPosition,
): Generator<StatedFact> {
  for (const { head, time, statement: saying } of listStatements(session, path, soFar)) {
    const kind = saying.kind === 'message' ? saying.message.role : saying.kind;
    for (const [place, heard] of listener.take(saying).entries())
      yield { ...heard, time, source: { entryId: formatId(head.id), line: head.line, kind, place } };
  }
}

interface Open {
  readonly facts: readonly Fact[];
  /** The command of a failure, without its options. */
  readonly program?: string | null;
  /** The turn of the items. */
  readonly since: number;
}

/** Names of lists, each of which replaces the previous one. Failures, and the items of an abandoned branch, have their own. */
type ListName = 'todos' | 'steps' | 'tasks' | 'blockers' | `branch ${number}` | `failed ${string}`;

/** Tracks open items, to close them at an answer, a success or a newer list. */
export class FactReader {
  private hasGoal = false;
  /** The requests of the user without an answer so far. */
  private asked: readonly Fact[] = [];
  /** The number of turns that began with a request. */
  private turns = 0;
  private branches = 0;
  private readonly open = new Map<ListName, Open>();
  private readonly calls = new Map<unknown, PendingCall>();

  take(saying: Statement): readonly Fact[] {
    if (saying.kind !== 'message') return this.ofSummary(saying.kind, saying.summary);
    const { message } = saying;
    switch (message.role) {
      case 'user':
        return this.ofUser(message);
      case 'assistant':
        return this.ofAssistant(message);
      case 'toolResult':
        return this.ofResult(message);
    }
  }

  private ofUser(message: LlmMessage): readonly Fact[] {
    const facts = factsAsked(message, this.hasGoal);
    const tasks = facts.filter(({ kind }) => kind === 'task');
    if (tasks.length > 0 && this.asked.length === 0) this.turns += 1;
    this.hasGoal ||= facts.some(({ kind }) => kind === 'goal');
    this.asked = [...this.asked, ...tasks].slice(-MOST_OPEN);
    return facts;
  }

  private ofAssistant(message: LlmMessage): readonly Fact[] {
    const { calls, todos, decisions, end } = answered(message);
    for (const [id, call] of calls) remember(this.calls, id, call);
    const facts = [...decisions, ...(todos.length > 0 ? this.replace('todos', todos) : [])];
    return end ? [...facts, ...this.atEndOfTurn(end)] : facts;
  }

  private atEndOfTurn({ next, outcome }: EndOfTurn): readonly Fact[] {
    const { asked } = this;
    this.asked = [];
    const steps = this.replace('steps', next);
    const old = [...this.open].flatMap(([name, { since }]) => (this.turns - since >= MOST_TURNS ? [name] : []));
    // Of several requests, the last one is answered last.
    const last = asked.length - 1;
    const done = asked.map((question, at) => ({
      ...question,
      state: 'done' as const,
      outcome: at === last ? outcome : null,
    }));
    return [...steps, ...this.drop(old), ...done];
  }

  private ofResult(message: LlmMessage): readonly Fact[] {
    const id = message['toolCallId'];
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (!call) return [];
    const failure = failed(message, call);
    if (!failure) return this.resolved(call);
    // An answer resolves the failures before it, but not a failed check.
    const since = call.isLasting ? this.turns : this.turns - MOST_TURNS;
    remember<ListName, Open>(this.open, `failed ${failure.key}`, { facts: [failure], program: call.program, since });
    return [failure];
  }

  /** Closes the failures of a call that succeeded: also those of the same command with other options. */
  private resolved({ keys, program }: PendingCall): readonly Fact[] {
    const alike = [...this.open].flatMap(([name, open]) =>
      program !== null && open.program === program ? [name] : [],
    );
    return [...keys.map((key) => `failed ${key}` as const), ...alike].flatMap((name) => this.close(name, 'done'));
  }

  private ofSummary(kind: 'compaction' | 'branch', summary: string): readonly Fact[] {
    const facts = readSummaryFacts(kind, summary);
    this.hasGoal ||= facts.some(({ kind }) => kind === 'goal');
    const ofKind = (kind: FactKind): readonly Fact[] => facts.filter((one) => one.kind === kind);
    const holding = facts.filter(({ kind }) => kind !== 'task' && kind !== 'blocker');
    if (kind === 'branch') {
      this.branches += 1;
      return [...holding, ...this.replace(`branch ${this.branches}`, [...ofKind('task'), ...ofKind('blocker')])];
    }
    return [...holding, ...this.replace('tasks', ofKind('task')), ...this.replace('blockers', ofKind('blocker'))];
  }

  /** Adds a new list, and closes the items of the previous one that are not in it. */
  private replace(name: ListName, facts: readonly Fact[]): readonly Fact[] {
    const kept = facts.slice(0, MOST_OPEN);
    const keys = new Set(kept.map(({ key }) => key));
    const left = this.drop([name]).filter(({ key }) => !keys.has(key));
    const open = kept.filter(({ state }) => state === 'open');
    if (open.length > 0) remember<ListName, Open>(this.open, name, { facts: open, since: this.turns });
    return [...kept, ...left];
  }

  /** Closes the items of some lists, because they have expired. */
  private drop(names: readonly ListName[]): readonly Fact[] {
    const facts = names.flatMap((name) => this.close(name, 'gone'));
    if (facts.length === 0) return [];
    const others = [this.asked, ...[...this.open.values()].map((open) => open.facts)].flat();
    const keys = new Set(others.map(({ kind, key }) => `${kind} ${key}`));
    return facts.filter(({ kind, key }) => !keys.has(`${kind} ${key}`));
  }

  private close(name: ListName, state: FactState): readonly Fact[] {
    const known = this.open.get(name);
    this.open.delete(name);
    return known ? known.facts.map((one) => ({ ...one, state })) : [];
  }
}

interface EndOfTurn {
  readonly next: readonly Fact[];
  readonly outcome: string | null;
}

// Engines listen to the same messages: each of a simulation, and one whose conversation an edit has changed.

const factsAsked = memoizeByObject((message: LlmMessage, hasGoal: boolean) =>
  readUserFacts(messageText(message), hasGoal),
);
const failed = memoizeByObject((message: LlmMessage, call: PendingCall) => readFailure(message, call));
const answered = memoizeByObject((message: LlmMessage) => {
  const text = messageText(message);
  const end: EndOfTurn | null = endsTurn(message) ? { next: readNextSteps(text), outcome: readOutcome(text) } : null;
  return {
    calls: readPendingCalls(message),
    todos: readTodoFacts(message),
    decisions: readDecisionFacts(message),
    end,
  };
});

/** The number of turns with a request after which an untouched list or check expires. */
const MOST_TURNS = 4;

/** The maximum number of open items of one kind, to limit memory. */
const MOST_OPEN = 200;

function remember<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void {
  known.delete(key);
  known.set(key, value);
  const [oldest = key] = known.keys();
  if (known.size > MOST_OPEN) known.delete(oldest);
}

/**
 * The candidates of a summary, one for each line, except the goal, which is one. The summary of an abandoned
 * branch has its own goal, which does not count.
 */
export function readSummaryFacts(kind: 'compaction' | 'branch', summary: string): readonly Fact[] {
  const lines = readSummaryLines(summary)
    .map(({ section, text }) => ({ section, text: withoutCheckbox(text), isTicked: /^\[[xX]\]\s/.test(text) }))
    .filter(({ text }) => toFactKey(text) !== '' && !text.endsWith(':'));
  const goals = lines.flatMap(({ section, text }) => (section === 'goal' ? [text.replace(/[.;]$/, '')] : []));
  const goal =
    goals.length === 0 || kind === 'branch' ? [] : [toFact('goal', truncateText(goals.join('; '), LONGEST_GOAL))];
  return [
    ...goal,
    ...lines.flatMap(({ section, text, isTicked }) => {
      const kind = KIND_OF_SECTION[section];
      if (kind === null) return [];
      const isDone = kind === 'task' && (section === 'done' || isTicked);
      return [toFact(kind, text, isDone ? 'done' : 'open')];
    }),
  ];
}

const KIND_OF_SECTION: Readonly<Record<SummarySection, Fact['kind'] | null>> = {
  goal: null,
  constraints: 'constraint',
  done: 'task',
  inProgress: 'task',
  next: 'task',
  blocked: 'blocker',
  decisions: 'decision',
  critical: null,
};

/** The decisions of an assistant's message, without plain findings. */
export function readDecisionFacts(message: LlmMessage): readonly Fact[] {
  return findMessageDecisions(message).flatMap((sentence) =>
    isChoice(sentence) ? [toFact('decision', sentence)] : [],
  );
}

/** The task list of a message. */
export function readTodoFacts(message: LlmMessage): readonly Fact[] {
  return findTodos([message]).map(({ text, isDone }) => toFact('task', text, isDone ? 'done' : 'open'));
}
