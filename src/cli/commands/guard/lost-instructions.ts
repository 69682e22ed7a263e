import { auditLoss } from '#analysis/loss/audit.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { toVisibleLine } from '#base/visible.js';
import { findCompactionInForce } from '#change/revert/changes-in-force.js';
import type { OpenSession } from '#context/open.js';
import { countMessageTokens } from '#context/size/tokens.js';

/** The instructions of the user that the newest summary does not mention; null if there is none. */
export function listLostInstructions(session: OpenSession): readonly string[] | null {
  const at = findCompactionInForce(session);
  if (at === null) return null;
  const { facts } = auditLoss({ session }, at);
  const lost = facts.filter((fact) => LOST_CLASSES.has(fact.class) && fact.mention === 'missing');
  return [...new Set(lost.map(({ text }) => toVisibleLine(text)))];
}

/** The statements that only the user can repeat. */
const LOST_CLASSES: ReadonlySet<string> = new Set(['instructions', 'corrections']);

/** The number of instructions that a message names. */
const MOST_NAMED = 3;

/** The message to the user. `restored`: the number that the model gets back. */
export function describeLost(
  lost: readonly string[],
  transcript: string | null,
  { restored, isNow }: { readonly restored: number; readonly isNow: boolean },
): string {
  const examples = lost.slice(0, MOST_NAMED).map((text) => `"${text}"`);
  if (lost.length > MOST_NAMED) examples.push(`${lost.length - MOST_NAMED} more`);
  const count = pluralize(lost.length, 'instruction');
  const next = describeNext(lost.length, restored, {
    when: `back with ${isNow ? 'this' : 'a later'} event`,
    transcript,
  });
  return `ctx: the summary lacks ${count} of yours: ${examples.join(', ')}. ${next}`;
}

function describeNext(
  lost: number,
  restored: number,
  { when, transcript }: { readonly when: string; readonly transcript: string | null },
): string {
  const all = `for all losses: ctx loss ${toShellWord(transcript ?? 'latest')}`;
  if (restored === 0) return `Repeat those that still count; ${all}`;
  if (restored === lost) return `The model gets them ${when}.`;
  const newest = pluralize(restored, 'instruction');
  return `The model gets the newest ${newest} ${when}. Repeat the others that still count; ${all}`;
}

const INTRODUCTION = 'Earlier instructions of the user, which the summary of the conversation does not mention:';

/** The newest instructions that fit into a number of tokens, in their order. */
export function chooseFitting(lost: readonly string[], tokens: number): readonly string[] {
  const fits = (texts: readonly string[]): boolean =>
    countMessageTokens({ role: 'user', content: formatRestored(texts), timestamp: 0 }) <= tokens;
  let first = lost.length;
  while (first > 0 && fits(lost.slice(first - 1))) first -= 1;
  return lost.slice(first);
}

/** The text that gives instructions back to the model. */
export function formatRestored(texts: readonly string[]): string {
  return [INTRODUCTION, ...texts.map((text) => `- ${text}`)].join('\n');
}
