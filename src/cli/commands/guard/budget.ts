import type { JsonObject } from '#base/json.js';
import { toVisibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import type { Notes } from '../../sessions/running-session.js';
import { defineCommand } from '../define.js';
import { choiceFlag, positiveFlag } from '../flags.js';
import { answerHook } from './answer-hook.js';
import type { HookInput } from './hook-input.js';
import { callLimitsFlag, dollarsFlag, type Limits, type MeasuredLimit, measureLimits } from './limits.js';
import { readSessionUse, type SessionUse } from './session-use.js';

const FLAGS = {
  context: positiveFlag('TOKENS', 'the largest context, as the provider counted the last request'),
  cost: dollarsFlag('the highest cost of the session with its subagents'),
  calls: callLimitsFlag("the most calls of a tool, such as bash=200; '*' matches any letters; repeatable"),
  repeat: positiveFlag('N', 'the most equal calls since the last prompt of the user'),
  action: choiceFlag('WHAT', ['warn', 'ask', 'stop'], 'what to do at a limit: warn (the default), ask or stop'),
};

/** The milliseconds after which a reading ends. */
const READ_MILLISECONDS = 20;

export default defineCommand({
  name: 'guard budget',
  summary: 'Warn or stop an agent at a limit, as a hook',
  description:
    'A hook of Claude Code and Codex for the events PreToolUse, PostToolUse, Stop and UserPromptSubmit. It reads the session ' +
    'that the agent writes, and compares the context, the cost, the calls and equal calls with your limits. At a limit it ' +
    'warns you, asks you before the next call (Claude Code, PreToolUse) or stops the agent; Codex refuses the next call. If the session cannot be ' +
    'read, the agent goes on. Changes nothing but the index of ctx.',
  args: [],
  flags: FLAGS,
  hasOneForm: true,
  examples: ['ctx guard budget --context 150k --cost 5', 'ctx guard budget --calls bash=200 --repeat 5 --action stop'],
  run({ io, flags: { action = 'warn', ...limits } }) {
    return answerHook(io, 'guard budget', (input) => checkBudget(io, input, limits, action));
  },
});

type Reaction = 'warn' | 'ask' | 'stop';

async function checkBudget(io: Io, input: HookInput, limits: Limits, action: Reaction): Promise<JsonObject | null> {
  const { transcript } = input;
  if (transcript === null) throw new Error('the agent saves no session');
  const use = await readSessionUse(io, transcript, io.now() + READ_MILLISECONDS);
  if (use === null) throw new Error(`${transcript}: this is no session of Claude Code or Codex`);
  const measured = measureLimits(limits, use, input);
  const reached = measured.filter(({ value, most }) => value >= most);
  const reaction = chooseReaction(input, action);
  const news = reaction === 'stop' ? reached : reached.filter((limit) => isNews(limit, reaction, use));
  use.keep(noteReached(use.notes, reaction, measured, news));
  return news.length === 0 ? null : buildAnswer(input, reaction, describeReached(news, reaction));
}

/**
 * Chooses what the agent can do. It can ask only before a call, and after its last answer there is nothing to stop.
 * Codex 0.171 ignores a question, and after a call it would replace the result instead of stopping.
 */
function chooseReaction({ event, agent }: HookInput, action: Reaction): Reaction {
  const isCodex = agent === 'codex';
  if (action === 'ask') return event === 'PreToolUse' && !isCodex ? 'ask' : 'warn';
  return action === 'stop' && (event === 'Stop' || (event === 'PostToolUse' && isCodex)) ? 'warn' : action;
}

/** The share by which a value grows before the user hears of it again. */
const GROWTH = 1.2;

function isNews(limit: MeasuredLimit, reaction: Reaction, { notes }: SessionUse): boolean {
  const before = notes.get(nameNote(limit, reaction));
  return before === undefined || limit.value >= before * GROWTH;
}

/** A warning does not answer the question that another event asks. */
function nameNote({ name }: MeasuredLimit, reaction: Reaction): string {
  return `${reaction} ${name}`;
}

/**
 * The values that the user was told, also those of other hooks of the session. A limit that is no longer reached, as after
 * a compaction, is news the next time. The same notes if nothing changes.
 */
function noteReached(
  notes: Notes,
  reaction: Reaction,
  measured: readonly MeasuredLimit[],
  news: readonly MeasuredLimit[],
): Notes {
  const past = measured.filter((limit) => limit.value < limit.most && notes.has(nameNote(limit, reaction)));
  if (news.length === 0 && past.length === 0) return notes;
  const noted = new Map(notes);
  for (const limit of past) noted.delete(nameNote(limit, reaction));
  for (const limit of news) noted.set(nameNote(limit, reaction), limit.value);
  return noted;
}

/** The reasons, and the advice for the first. Names of tools are texts of others. */
function describeReached(news: readonly MeasuredLimit[], reaction: Reaction): string {
  const [first] = news;
  const facts = news.map(({ fact }) => fact).join('; ');
  const stopped = reaction === 'stop' ? 'ctx stopped the agent: ' : 'ctx: ';
  return toVisibleLine(`${stopped}${facts}. To go on, ${first?.advice ?? ''}.`);
}

function buildAnswer({ event, agent }: HookInput, reaction: Reaction, reason: string): JsonObject {
  const decide = (permissionDecision: 'ask' | 'deny'): JsonObject => ({
    hookSpecificOutput: { hookEventName: event, permissionDecision, permissionDecisionReason: reason },
  });
  switch (reaction) {
    case 'stop':
      // Codex 0.171 cannot end a turn before a call, but refuses the call.
      return agent === 'codex' && event === 'PreToolUse' ? decide('deny') : { continue: false, stopReason: reason };
    case 'ask':
      return decide('ask');
    default:
      return { systemMessage: reason };
  }
}
