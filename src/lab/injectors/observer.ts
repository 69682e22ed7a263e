import { FactReader } from '#analysis/facts/fact-reader.js';
import type { StatedFact } from '#analysis/facts/fact.js';
import { type ConversationFacts, FactCollection } from '#analysis/facts/facts.js';
import { type Statement, toStatement } from '#analysis/facts/statements.js';
import { readMessageText } from '#analysis/facts/text.js';
import { findTodos, type Todo } from '#analysis/facts/todos.js';
import { findFileUse, listToolUses } from '#analysis/facts/tool-uses.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import type { StoredMessage } from '#session/entry.js';

/** A skill that the conversation has taken up. */
export interface Skill {
  readonly name: string;
  readonly instructions: string;
}

/** A conversation so far. */
export interface ObservedConversation {
  readonly messages: number;
  /** The statements that may be facts, oldest first. `time` is the position of the message. */
  readonly statedFacts: readonly StatedFact[];
  readonly facts: ConversationFacts;
  /** The last list of tasks; empty where there is none. */
  readonly todos: readonly Todo[];
  /** The skills that were taken up, oldest first. */
  readonly skills: readonly Skill[];
  /** The first and the last text of the user; empty where there is none. */
  readonly firstAsked: string;
  readonly newestAsked: string;
}

/** Is told a conversation message by message, so that a long one is read once. */
export class ConversationObserver {
  private readonly reader = new FactReader();
  private readonly all: StatedFact[] = [];
  private readonly facts = new FactCollection();
  private readonly bySkill = new Map<string, Skill>();
  /** The skills that are being read, by the ids of the calls. */
  private readonly opened = new Map<unknown, string>();
  private last: readonly Todo[] = [];
  private asked: { first: string; newest: string } | null = null;
  private messages = 0;

  /** Takes a message in the agent's own form, or as it is sent. */
  add(message: StoredMessage): void {
    const place = this.messages;
    this.messages += 1;
    const saying = readStatement(message);
    if (!saying) return;
    const kind = saying.kind === 'message' ? saying.message.role : saying.kind;
    for (const [nth, fact] of this.reader.take(saying).entries()) {
      const stated = { ...fact, time: place, source: { entryId: null, line: place, kind, place: nth } };
      this.all.push(stated);
      this.facts.add(stated);
    }
    if (saying.kind === 'message') this.addMessage(saying.message);
  }

  private addMessage(message: LlmMessage): void {
    switch (message.role) {
      case 'user':
        return this.addUser(readMessageText(message));
      case 'assistant': {
        const todos = findTodos([message]);
        if (todos.length > 0) this.last = todos;
        for (const use of listToolUses([message])) {
          const name = readSkillName(findFileUse(use)?.path);
          if (name !== null) this.opened.set(use.id, name);
        }
        return;
      }
      case 'toolResult': {
        const name = this.opened.get(message.toolCallId);
        this.opened.delete(message.toolCallId);
        if (name !== undefined && message.isError !== true) this.addSkill(name, readMessageText(message));
      }
    }
  }

  private addUser(text: string): void {
    const [, name, instructions = '', rest = ''] = SKILL_BLOCK.exec(text) ?? [];
    if (name !== undefined) this.addSkill(name, instructions);
    const question = (name === undefined ? text : `${name} ${rest}`).trim();
    if (question !== '') this.asked = { first: this.asked?.first ?? question, newest: question };
  }

  /** A skill that is taken up again is the newest one. */
  private addSkill(name: string, instructions: string): void {
    this.bySkill.delete(name);
    this.bySkill.set(name, { name, instructions });
  }

  /** Describes the conversation up to the last message. */
  conversation(): ObservedConversation {
    return {
      messages: this.messages,
      statedFacts: this.all,
      facts: this.facts.list(),
      todos: this.last,
      skills: [...this.bySkill.values()],
      firstAsked: this.asked?.first ?? '',
      newestAsked: this.asked?.newest ?? '',
    };
  }
}

/** A summary that a compaction has put among what is sent is a user's message by its role only. */
function readStatement(message: StoredMessage): Statement | null {
  const saying = toStatement(message);
  const summary = saying?.kind === 'message' ? findSummaryText(saying.message) : null;
  return summary === null ? saying : { kind: 'compaction', summary };
}

/** The form in which Pi writes a skill that the user names with `/skill:name` into the prompt. */
const SKILL_BLOCK = /^<skill name="([^"]+)" location="[^"]+">\n([\s\S]*?)\n<\/skill>(?:\n\n([\s\S]+))?$/;

/** The name of the skill whose instructions a file holds. */
function readSkillName(path: string | undefined): string | null {
  return /(?:^|[/\\])([^/\\]+)[/\\]SKILL\.md$/.exec(path ?? '')?.[1] ?? null;
}
