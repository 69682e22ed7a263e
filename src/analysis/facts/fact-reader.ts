import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ToolResultMessage } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { type Fact, type FactKind, type FactState, type StatedFact, toFact } from './fact.js';
import { type PendingCall, readFailure } from './failures.js';
import { type AnswerFacts, readAnswerFacts, readUserMessage } from './message-facts.js';
import { listStatements, type ReadPosition, type Statement } from './statements.js';
import { readSummaryFacts } from './summary-facts.js';

/** Reads the facts along a path. Entries are parsed one at a time, and only open facts are kept in memory. */
export function* readStatedFacts(
  session: Session,
  path: readonly Head[],
  reader = new FactReader(),
  position?: ReadPosition,
): Generator<StatedFact> {
  for (const { head, time, statement } of listStatements(session, path, position)) {
    const kind = statement.kind === 'message' ? statement.message.role : statement.kind;
    for (const [place, fact] of reader.take(statement).entries()) {
      yield { ...fact, time, source: { entryId: formatId(head.id), line: head.line, kind, place } };
    }
  }
}

interface OpenList {
  readonly facts: readonly Fact[];
  /** The command of a failure, without its options. */
  readonly program: string | null;
  /** The turn of the facts. */
  readonly since: number;
}

/**
 * Names of lists, each of which replaces the previous one. Failures, and the tasks of an abandoned branch, have their
 * own.
 */
type ListName = 'todos' | 'next steps' | 'tasks' | 'blockers' | `branch ${number}` | `failed ${string}`;

/**
 * Reads the facts of a conversation, one statement after another. It remembers what is open, to close it at an answer,
 * a success or a newer list: a fact that changes its state is stated again.
 */
export class FactReader {
  private hasGoal = false;
  /** The requests of the user without an answer so far. */
  private requests: readonly Fact[] = [];
  /** The number of turns that began with a request. */
  private turns = 0;
  private branches = 0;
  private readonly open = new Map<ListName, OpenList>();
  private readonly calls = new Map<unknown, PendingCall>();

  take(statement: Statement): readonly Fact[] {
    if (statement.kind !== 'message') return this.takeSummary(statement.kind, statement.summary);
    const { message } = statement;
    switch (message.role) {
      case 'user':
        return this.takeRequest(message);
      case 'assistant':
        return this.takeAnswer(message);
      case 'toolResult':
        return this.takeResult(message);
    }
  }

  private takeRequest(message: LlmMessage): readonly Fact[] {
    const { instructions, request, goal: namedGoal, opening } = readUserMessage(message);
    // The first message is a request, even without an instruction.
    const task = request ?? (this.hasGoal ? null : opening);
    const goal = namedGoal ?? (this.hasGoal ? null : task);
    this.hasGoal ||= goal !== null;
    const constraints = instructions.filter(({ isRule }) => isRule).map(({ text }) => toFact('constraint', text));
    const goals = goal === null ? [] : [toFact('goal', goal)];
    const tasks = task === null ? [] : [toFact('task', task)];
    if (tasks.length > 0 && this.requests.length === 0) this.turns += 1;
    this.requests = [...this.requests, ...tasks].slice(-MOST_OPEN);
    return [...goals, ...constraints, ...tasks];
  }

  private takeAnswer(message: LlmMessage): readonly Fact[] {
    const answer = readAnswerFacts(message);
    for (const [id, call] of answer.calls) keepNewest(this.calls, id, call);
    const decisions = answer.decisions.map((text) => toFact('decision', text));
    const todos = answer.todos.map(({ text, isDone }) => toFact('task', text, isDone ? 'done' : 'open'));
    const replaced = todos.length > 0 ? this.replace('todos', todos) : [];
    const ended = answer.endsTurn ? this.endTurn(answer) : [];
    return [...decisions, ...replaced, ...ended];
  }

  private endTurn({ nextSteps, outcome }: AnswerFacts): readonly Fact[] {
    const { requests } = this;
    this.requests = [];
    const steps = this.replace(
      'next steps',
      nextSteps.map((text) => toFact('task', text)),
    );
    const expired = [...this.open].filter(([, { since }]) => this.turns - since >= MOST_TURNS).map(([name]) => name);
    // Of several requests, the last one is answered last.
    const last = requests.length - 1;
    const done = requests.map((request, at): Fact => ({
      ...request,
      state: 'done',
      outcome: at === last ? outcome : null,
    }));
    return [...steps, ...this.drop(expired), ...done];
  }

  private takeResult(message: ToolResultMessage): readonly Fact[] {
    const { toolCallId } = message;
    const call = this.calls.get(toolCallId);
    this.calls.delete(toolCallId);
    if (!call) return [];
    const failure = readFailureOnce(message, call);
    if (!failure) return this.closeFailures(call);
    // An answer resolves the failures before it, but not a failed check.
    const since = call.isLasting ? this.turns : this.turns - MOST_TURNS;
    const list: OpenList = { facts: [failure], program: call.program, since };
    keepNewest<ListName, OpenList>(this.open, `failed ${failure.key}`, list);
    return [failure];
  }

  /** Closes the failures of a call that succeeded: also those of the same command with other options. */
  private closeFailures({ keys, program }: PendingCall): readonly Fact[] {
    const alike = [...this.open].filter(([, list]) => program !== null && list.program === program);
    const names = [...keys.map((key) => `failed ${key}` as const), ...alike.map(([name]) => name)];
    return names.flatMap((name) => this.close(name, 'done'));
  }

  private takeSummary(kind: 'compaction' | 'branch', summary: string): readonly Fact[] {
    const facts = readSummaryFacts(kind, summary);
    this.hasGoal ||= facts.some((fact) => fact.kind === 'goal');
    const ofKind = (wanted: FactKind): readonly Fact[] => facts.filter((fact) => fact.kind === wanted);
    const lasting = facts.filter((fact) => fact.kind !== 'task' && fact.kind !== 'blocker');
    if (kind === 'branch') {
      this.branches += 1;
      return [...lasting, ...this.replace(`branch ${this.branches}`, [...ofKind('task'), ...ofKind('blocker')])];
    }
    return [...lasting, ...this.replace('tasks', ofKind('task')), ...this.replace('blockers', ofKind('blocker'))];
  }

  /** Adds a new list, and closes the facts of the previous one that are not in it. */
  private replace(name: ListName, facts: readonly Fact[]): readonly Fact[] {
    const kept = facts.slice(0, MOST_OPEN);
    const keys = new Set(kept.map(({ key }) => key));
    const left = this.drop([name]).filter(({ key }) => !keys.has(key));
    const open = kept.filter(({ state }) => state === 'open');
    const list: OpenList = { facts: open, program: null, since: this.turns };
    if (open.length > 0) keepNewest(this.open, name, list);
    return [...kept, ...left];
  }

  /** Closes the facts of some lists as gone, except those that are open elsewhere. */
  private drop(names: readonly ListName[]): readonly Fact[] {
    const facts = names.flatMap((name) => this.close(name, 'gone'));
    if (facts.length === 0) return [];
    const others = [...this.requests, ...[...this.open.values()].flatMap((list) => list.facts)];
    const keys = new Set(others.map(({ kind, key }) => `${kind} ${key}`));
    return facts.filter(({ kind, key }) => !keys.has(`${kind} ${key}`));
  }

  private close(name: ListName, state: FactState): readonly Fact[] {
    const list = this.open.get(name);
    this.open.delete(name);
    return list ? list.facts.map((fact) => ({ ...fact, state })) : [];
  }
}

const readFailureOnce = memoizeByObject(readFailure);

/** The number of turns with a request after which an untouched list or check expires. */
const MOST_TURNS = 4;

/** The maximum number of open facts of one kind, to limit memory. */
const MOST_OPEN = 200;

/** Sets a value that is then the newest, and forgets the oldest one beyond `MOST_OPEN`. */
function keepNewest<Key, Value>(openFacts: Map<Key, Value>, key: Key, value: Value): void {
  openFacts.delete(key);
  openFacts.set(key, value);
  const [oldest = key] = openFacts.keys();
  if (openFacts.size > MOST_OPEN) openFacts.delete(oldest);
}
