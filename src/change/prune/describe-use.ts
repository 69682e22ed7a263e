import { toOneLine, truncateText } from '#analysis/facts/text.js';
import { commandOf, findFileUse, type ToolUse } from '#analysis/facts/tool-uses.js';
import { asString } from '#base/json.js';

/** The words by which a note names a tool call: `read src/a.ts`, `bash: npm test`. */
export function describeUse(use: Pick<ToolUse, 'name' | 'args'>): string {
  const name = truncateText(toOneLine(use.name), MOST_OF_NAME);
  const command = commandOf(use);
  if (command !== null) return `${name}: ${truncateText(command, MOST_OF_ARGUMENT)}`;
  const { args } = use;
  const query = ['pattern', 'query', 'q', 'url'].map((key) => asString(args[key])).find((value) => value !== null);
  const path = findFileUse(use)?.path;
  const asked = [
    query === undefined ? [] : [JSON.stringify(truncateText(toOneLine(query), MOST_OF_ARGUMENT))],
    path === undefined ? [] : [shortenPath(path)],
  ];
  return [name, asked.flat().join(' in ')].join(' ').trim();
}

const MOST_OF_NAME = 40;

const MOST_OF_ARGUMENT = 80;

/** The end of the path identifies the file. */
function shortenPath(path: string): string {
  const line = toOneLine(path);
  if (line.length <= MOST_OF_ARGUMENT) return line;
  const end = line.slice(2 - MOST_OF_ARGUMENT);
  const slash = end.indexOf('/');
  return `…/${(slash < 0 ? end : end.slice(slash + 1)).replace(/^[\udc00-\udfff]/, '')}`;
}
