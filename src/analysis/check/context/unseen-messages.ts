import { pluralize } from '#base/numbers.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import { PromptWatch, type UnseenMessages } from '#context/size/prompt-watch.js';
import { isContextChange } from '#context/size/size-effect.js';
import { describeUnseen } from '#context/words/describe-unseen.js';
import { defineRule, type Hit } from '../define.js';
import { assistant, HEADER, QUESTION, textContent, user } from '../example.js';

const LONG = 'This line of the log names a service and an error. '.repeat(100);

function answerWith(id: string, parentId: string, input: number) {
  return assistant(id, parentId, [textContent('Noted.')], { usage: { input, output: 2, totalTokens: input + 2 } });
}

function buildTalk(prompts: readonly [number, number]) {
  return [
    HEADER,
    QUESTION,
    answerWith('a1', 'u1', prompts[0]),
    user('u2', 'a1', LONG),
    answerWith('a2', 'u2', prompts[1]),
  ];
}

export default defineRule({
  name: 'unseen-messages',
  severity: 'warning',
  summary: 'A recorded prompt is smaller than the messages that are shown for it',
  help:
    'The provider counted fewer tokens for a request than its messages can have: less than 0.7 of what their texts ' +
    'have at least, 40% less than for the request before it, or the same number again though messages were added. So ' +
    'the model did not see all of them. A local server cuts a prompt to its own window without an error, such as ' +
    'Ollama to `num_ctx`: raise its window, or compact earlier. A client may compact, mask or clear messages ' +
    'without recording it: what it sent then is not in the file.\n\n' +
    'The requests since each compaction, edit or transform are compared with the messages since then.',
  example: { fires: buildTalk([4096, 4096]), silent: buildTalk([4096, 5300]) },
  looksAt: 'path',
  watch(_options, session) {
    const prompts = new PromptWatch((head) => readEntryMessage(session.entry(head)));
    let newest: UnseenMessages | null = null;
    return {
      step({ head, entry }): readonly Hit[] {
        if (isContextChange(head)) {
          const found = newest;
          newest = null;
          prompts.change();
          return found ? [buildHit(found)] : [];
        }
        const message = MESSAGE_TYPES.has(head.type) ? readEntryMessage(entry) : null;
        if (message) prompts.take(head, message);
        newest = prompts.confirmed ?? newest;
        return [];
      },
      end: () => [prompts.unseen ?? newest].flatMap((found) => (found ? [buildHit(found)] : [])),
    };
  },
});

function buildHit(unseen: UnseenMessages): Hit {
  const others = unseen.requests - 1;
  const more = others === 0 ? '' : `, as of ${pluralize(others, 'request')} before it`;
  return { message: `${describeUnseen(unseen)}${more}`, at: { line: unseen.line, id: unseen.entryId } };
}
