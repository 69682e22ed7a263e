import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/nearest.js';
import { wrapped } from '#ui/doc/paragraphs.js';
import { commandNames, loadCommands } from '../commands/index.js';
import { manPage } from './man.js';
import { type TopicPiece, type Topic, topics } from './topics.js';

/** The page for the words behind `ctx help` that name no command. Throws a CtxError (usage) for a topic that is not there. */
export async function helpOn(words: readonly string[], version: string): Promise<string> {
  const [first] = words;
  if (first === '--man') return manPage(await loadCommands(), version);
  if (first === 'topics') return topicList();
  // "exit codes" is a name too.
  const wanted = words.filter((word) => !word.startsWith('-')).join('-');
  const topic = topics.find(({ name }) => name === wanted);
  if (topic) return topicText(topic);
  throw new CtxError('usage', `there is no help on "${words.join(' ')}"`, {
    hint: didYouMean(
      wanted,
      [...topics.map(({ name }) => name), 'topics', ...commandNames],
      'ctx help topics lists the topics',
    ),
  });
}

/** The topics with what they are about, for a list. */
export function topicList(): string {
  const lines = termLines(topics.map(({ name, summary }) => [name, summary]));
  return ['Topics, for ctx help TOPIC:', ...lines, ''].join('\n');
}

const COLUMNS = 80;
const INDENT = '  ';
const WIDEST_TERM = 20;

/** A topic for a terminal. Nothing of it comes from a session. */
function topicText({ text }: Topic): string {
  return `${text.map((piece) => linesOf(piece).join('\n')).join('\n\n')}\n`;
}

function linesOf(piece: TopicPiece): readonly string[] {
  if (typeof piece === 'string') return wrapped(piece, COLUMNS);
  return 'terms' in piece ? termLines(piece.terms) : piece.lines.map((line) => INDENT + line);
}

/** Terms in a column, with what they mean beside them; a long term stands on a line of its own. */
function termLines(terms: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.min(WIDEST_TERM, Math.max(...terms.map(([term]) => term.length)));
  const margin = INDENT + ' '.repeat(width + INDENT.length);
  return terms.flatMap(([term, meaning]) => {
    const [first = '', ...others] = wrapped(meaning, COLUMNS - margin.length);
    const rest = others.map((line) => margin + line);
    return term.length > width
      ? [INDENT + term, margin + first, ...rest]
      : [INDENT + term.padEnd(width) + INDENT + first, ...rest];
  });
}
