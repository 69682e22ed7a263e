import { asString, listObjects } from '#base/json.js';

/** The texts of a message's content. Pi's `contentText`. */
export function readContentText(content: unknown, separator = '\n'): string {
  if (typeof content === 'string') return content;
  const blocks = listObjects(content).filter(({ type }) => type === 'text');
  return blocks.map(({ text }) => asString(text) ?? '').join(separator);
}
