import { pluralize } from '#base/numbers.js';
import type { Loss, LossKind } from '#change/convert/losses.js';

/** The agents of a conversion, as sentences name them, and the tools that its messages call. */
export interface DescribedConversion {
  readonly from: string;
  readonly to: string;
  readonly tools: ReadonlyMap<string, number>;
}

/** Says what does not carry over, in one sentence. */
export function describeLoss({ kind, count }: Loss, conversion: DescribedConversion): string {
  return SENTENCES[kind](count, conversion);
}

const SENTENCES: Readonly<Record<LossKind, (count: number, conversion: DescribedConversion) => string>> = {
  thinking: (count) =>
    `${pluralize(count, 'block')} of thinking, which only the model that wrote ${choosePronoun(count)} can check`,
  tools: (count, { from, to, tools }) =>
    `${pluralize(count, 'tool')} of ${from}: the calls of ${listTools(tools)} stay as history, and ${to} goes on with its own tools`,
  prompt: (count, { to }) => `${pluralize(count, 'part')} of the prompt and the tool definitions: ${to} sends its own`,
  'self-description': (count, { from, to }) =>
    `${pluralize(count, 'message')} in which ${from} describes itself: ${to} adds its own`,
  sealed: (count) => `${pluralize(count, 'message')} that only the provider can read, such as an encrypted summary`,
  images: (count) => `${pluralize(count, 'image')} of a kind that the agent does not take`,
  failures: (count, { to }) =>
    `the marks of ${pluralize(count, 'failed result')}, which ${to} does not record; the texts stay`,
  calls: (count) => `${pluralize(count, 'call')} without a result`,
  results: (count) => `${pluralize(count, 'result')} without a call`,
  answers: (count) => `${pluralize(count, 'failed answer')}, which no request repeats`,
  usage: (count) => `the tokens and costs of ${pluralize(count, 'request')}: they count in the original only`,
  history: (count) =>
    `${pluralize(count, 'message')} that ${count === 1 ? 'is' : 'are'} not in the context, such as those before a compaction and on other branches`,
  branches: (count) => `${pluralize(count, 'message')} on other branches`,
  other: (count) => `${pluralize(count, 'block')} of an unknown type`,
};

function choosePronoun(count: number): string {
  return count === 1 ? 'it' : 'them';
}

/** The tools that are called most often. */
function listTools(tools: ReadonlyMap<string, number>): string {
  const names = [...tools].toSorted(([, a], [, b]) => b - a).map(([name, calls]) => `${name} (${calls})`);
  const listed = names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES - 1), 'others'] : names;
  return AND.format(listed);
}

const MOST_NAMES = 4;
const AND = new Intl.ListFormat('en', { type: 'conjunction' });
