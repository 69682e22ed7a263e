import { runWithDeadline } from '#analysis/search/deadline.js';
import { CtxError } from '#base/errors.js';
import { readSentRole } from '#context/replay/convert.js';
import { listToolNames, readSearchableText } from '#context/words/message-blocks.js';
import type { NumberedMessage } from '#ui/parts/message-view.js';
import { choiceFlag, type Flag, type FlagValues, patternFlag, positiveFlag, textFlag } from '../flags.js';

interface Selector<Value> {
  readonly flag: Flag<Value>;
  select(items: readonly NumberedMessage[], value: Value): readonly NumberedMessage[];
}

function defineSelector<Value>(flag: Flag<Value>, select: Selector<Value>['select']): Selector<Value> {
  return { flag: { ...flag, excludes: ['each'] }, select };
}

/** The flags that select messages, each with the messages that it selects, in the order of the help. */
const SELECTORS = {
  message: defineSelector(positiveFlag('N', 'print message N, as numbered in the overview'), (items, number) =>
    items.filter((item) => item.number === number),
  ),
  grep: defineSelector(
    patternFlag('RE', 'print only messages that match a regular expression, ignoring case'),
    selectMatching,
  ),
  tool: defineSelector(
    textFlag('NAME', 'print calls and results of this tool; with --part tools, its definition'),
    (items, tool) => items.filter(({ message }) => listToolNames(message).includes(tool)),
  ),
  role: defineSelector(
    choiceFlag('ROLE', ['user', 'assistant', 'toolResult', 'developer'], 'print only messages of this role'),
    (items, role) => items.filter(({ message }) => readSentRole(message) === role),
  ),
};

type Selectors = typeof SELECTORS;
type SelectorName = keyof Selectors;

export const SELECTION_NAMES = Object.keys(SELECTORS) as readonly SelectorName[];

export const SELECTION_FLAGS = Object.fromEntries(SELECTION_NAMES.map((name) => [name, SELECTORS[name].flag])) as {
  readonly [Name in SelectorName]: Selectors[Name]['flag'];
};

/** The messages to print; an undefined field does not restrict them. */
export type MessageSelection = Partial<FlagValues<typeof SELECTION_FLAGS>>;

/** Whether any flag selects messages. */
export function hasSelection(selection: MessageSelection): boolean {
  return SELECTION_NAMES.some((name) => selection[name] !== undefined);
}

/** The messages that match every condition. Throws a CtxError (usage) for a number beyond the last message. */
export function selectMessages(
  all: readonly NumberedMessage[],
  selection: MessageSelection,
): readonly NumberedMessage[] {
  requireNumber(all, selection.message);
  let selected = all;
  for (const name of SELECTION_NAMES) {
    const value = selection[name];
    // The value of a flag is what its selector takes.
    if (value !== undefined) selected = SELECTORS[name].select(selected, value as never);
  }
  return selected;
}

function requireNumber(all: readonly NumberedMessage[], number: number | undefined): void {
  if (number === undefined || all.some((item) => item.number === number)) return;
  throw new CtxError('usage', `there is no message ${number}`, {
    hint: all.length === 0 ? 'there are none here' : `the messages here are numbered 1 to ${all.length}`,
  });
}

function selectMatching(items: readonly NumberedMessage[], pattern: RegExp): readonly NumberedMessage[] {
  const texts = items.map(({ message }) => readSearchableText(message));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return runWithDeadline('--grep', length, () => items.filter((_, at) => pattern.test(texts[at] ?? '')));
}
