import { hasHalfPair } from '#base/half-pairs.js';
import { defineRule } from '../define.js';
import { locateEntry } from './message.js';

export default defineRule({
  name: 'half-surrogate-pair',
  severity: 'warning',
  summary: 'A text has half of a surrogate pair, which the provider rejects',
  help:
    'JSON can hold half of a character as an escape, such as `\\ud83d`, and UTF-8 cannot. The API of Claude rejects the ' +
    'whole request. Usually a program cut a text at a number of UTF-16 units, in the middle of an emoji. Claude Code ' +
    '2.1.237 and newer ones replace the half; Codex drops the line, so the model never sees the message. Pi leaves ' +
    'the half out, so its own sessions are not checked.\n\n' +
    '`ctx repair` writes a copy with U+FFFD, the replacement character, instead of each half.',
  example: { fires: [buildPrompt('cut \ud83d')], silent: [buildPrompt('whole \ud83d\ude00')] },
  looksAt: 'request',
  watch: (_options, { agent }) => ({
    see({ message, from }) {
      if (!agent || !hasHalfPair(message.content)) return [];
      return [{ message: 'a text has half of a surrogate pair', at: locateEntry(from) }];
    },
  }),
});

/** An entry of Claude Code with a prompt. */
function buildPrompt(content: string) {
  const about = { sessionId: 'example', version: '2.0.76', cwd: '/home/ada', timestamp: '2026-03-02T09:00:00.000Z' };
  return { type: 'user', uuid: 'u1', parentUuid: null, ...about, message: { role: 'user', content } };
}
