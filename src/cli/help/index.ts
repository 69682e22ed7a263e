import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/nearest.js';
import { commandNames, loadCommands } from '../commands/index.js';
import { manPage } from './man.js';
import { topicText, termLines } from './text.js';
import { topics } from './topics.js';

/** What `ctx help` prints of words that name no command. Throws a CtxError (usage) for a topic that is not there. */
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
