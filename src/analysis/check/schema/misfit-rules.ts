import { defineRule, type Rule, type RuleDefinition } from '../define.js';
import { ANSWERED, assistant, entry, HEADER, QUESTION, textContent, toolCall, transform, user } from '../example.js';
import { listMisfitHits, type Misfit } from './misfits.js';

interface MisfitRow extends Pick<Rule, 'severity' | 'isOnlyForPi' | 'summary' | 'help' | 'example'> {
  readonly name: Misfit['rule'];
}

function misfitRules(rows: readonly MisfitRow[]): readonly RuleDefinition[] {
  return rows.map((about) =>
    defineRule({
      ...about,
      looksAt: 'shape',
      find: (stored, head) => listMisfitHits(about.name, stored, head),
    }),
  );
}

const COMPACTION = { firstKeptEntryId: 'u1', tokensBefore: 4000 };
const WITHOUT_ARGUMENTS = { type: 'toolCall', id: 'call_1', name: 'ls' };

/** The rules about missing and invalid fields and blocks. */
export const fieldRules = misfitRules([
  {
    name: 'entry-fields',
    severity: 'error',
    summary: 'A field of an entry that Pi relies on is missing or invalid',
    help:
      'Pi does not validate entries. A missing summary never reaches the model, and other fields make Pi stop with ' +
      'an error when it opens the session or counts its tokens. The message names the consequence. Repair the ' +
      'field, or remove the entry.',
    example: {
      fires: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', COMPACTION)],
      silent: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { ...COMPACTION, summary: 'A README was found.' })],
    },
  },
  {
    name: 'message-fields',
    severity: 'error',
    summary: 'A field of a message that Pi relies on is missing or invalid',
    help:
      'Pi does not validate messages. If the content is neither text nor a list of blocks, or a result has no call ' +
      'id, Pi stops with an error or the provider rejects the request. The message names the consequence. Some ' +
      'programs write tool results as text, where Pi expects a list of blocks.',
    example: { fires: [HEADER, user('u1', null, 42)], silent: [HEADER, QUESTION] },
  },
  {
    name: 'block-fields',
    severity: 'error',
    summary: 'A field of a content block is missing or invalid',
    help:
      'Every block must be complete. A tool call without `arguments` makes Pi stop with an error when it counts ' +
      'tokens, and a provider rejects an image without a type. A call without arguments has `"arguments": {}`.',
    example: {
      fires: [HEADER, QUESTION, assistant('a1', 'u1', [WITHOUT_ARGUMENTS])],
      silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('call_1', 'ls', {})])],
    },
  },
  {
    name: 'op-fields',
    severity: 'error',
    summary: 'A message in a patch operation is invalid',
    help:
      'Replay puts the messages of `messages_cached_replace` into the context unchanged, so the next request fails ' +
      'like with any other invalid message. Invalid fields of the operation itself are reported by ' +
      '[patch-fields](patch-fields.md).',
    example: {
      fires: [HEADER, ...ANSWERED, transform('x1', 'a1', replace(42))],
      silent: [HEADER, ...ANSWERED, transform('x1', 'a1', replace('Start over.'))],
    },
  },
  {
    name: 'usage-fields',
    severity: 'error',
    isOnlyForPi: true,
    summary: 'An answer has no usage, or a usage without cost',
    help:
      'Pi adds up the usage of all answers on every branch, for its footer and for the statistics of the session, ' +
      'and stops with an error at an answer without usage. Programs that convert sessions often omit it. If the ' +
      'numbers are unknown, write a usage of zeros: Pi then uses estimates.',
    example: {
      fires: [HEADER, QUESTION, assistant('a1', 'u1', [textContent('A README.')], { usage: undefined })],
      silent: [HEADER, ...ANSWERED],
    },
  },
  {
    name: 'missing-content',
    severity: 'warning',
    summary: 'A message has no content',
    help:
      'The text of the message is lost. Since 0.80.6 Pi treats such a message as empty; older versions stop with an ' +
      'error. If the content of a question or an answer is `null`, Pi also omits the session from its list. An ' +
      'empty list, `"content": []`, has the same meaning and causes no error.',
    example: { fires: [HEADER, user('u1', null, null)], silent: [HEADER, QUESTION] },
  },
  {
    name: 'misplaced-block',
    severity: 'error',
    summary: 'A content block is in a message that cannot contain it',
    help:
      'Messages of users, tools and extensions contain text and images; answers contain text, thinking and tool ' +
      'calls; system messages contain text. A tool call in a user message is sent as an image, which the provider ' +
      'rejects. An image in an answer is silently dropped.',
    example: {
      fires: [HEADER, user('u1', null, [toolCall('call_1')])],
      silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('call_1')])],
    },
  },
  {
    name: 'odd-fields',
    severity: 'warning',
    summary: 'A known field has a value that no version of Pi writes',
    help:
      'Pi reads the session and continues, but not as intended: a model without a name cannot be selected again, ' +
      'and thinking without a model is not sent. Fields that Pi does not know are never reported.',
    example: {
      fires: [HEADER, QUESTION, entry('model_change', 'm1', 'u1', { modelId: 'claude-sonnet-4-5' })],
      silent: [
        HEADER,
        QUESTION,
        entry('model_change', 'm1', 'u1', { provider: 'anthropic', modelId: 'claude-sonnet-4-5' }),
      ],
    },
  },
]);

/** The rules about types and roles that Pi does not know. */
export const unknownKindRules = misfitRules([
  {
    name: 'unknown-entry',
    severity: 'note',
    summary: 'An entry has a type that Pi does not know',
    help:
      'Pi keeps the entry in the tree, but does not send it to the model. The entry may come from a newer version, ' +
      'or from another program with the same format. For example, oh-my-pi writes `mode_change`, `session_init`, ' +
      '`title_change`, `service_tier_change` and `ttsr_injection`.',
    example: {
      fires: [HEADER, ...ANSWERED, entry('mode_change', 'c1', 'a1', { mode: 'plan' })],
      silent: [HEADER, ...ANSWERED, entry('custom', 'c1', 'a1', { customType: 'mode', data: { mode: 'plan' } })],
    },
  },
  {
    name: 'unknown-role',
    severity: 'note',
    summary: 'A message has a role that Pi does not know',
    help:
      'Pi keeps the message in the file and does not send it. Extensions wrote `hookMessage` before version 3; in a ' +
      'version 3 file it has no effect. `developer` comes from other programs. To send the message, store it as a ' +
      '`custom` message.',
    example: {
      fires: [HEADER, ...ANSWERED, messageOf('developer')],
      silent: [HEADER, ...ANSWERED, messageOf('custom')],
    },
  },
  {
    name: 'unknown-block',
    severity: 'note',
    summary: 'A content block has a type that Pi does not know',
    help:
      'In an answer, Pi omits the block from the request. In a user message, Pi sends it as an image, which the ' +
      'provider may reject. Blocks of provider APIs have other names here: `tool_use` is `toolCall`, `tool_result` ' +
      'is a separate message, `input_text` is `text`, and `image_url` is `image`.',
    example: {
      fires: [HEADER, user('u1', null, [{ type: 'input_text', text: 'What is in here?' }])],
      silent: [HEADER, user('u1', null, [textContent('What is in here?')])],
    },
  },
]);

function replace(content: unknown): ReturnType<typeof entry> {
  return { op: 'messages_cached_replace', messages: [{ role: 'user', content, timestamp: 0 }] };
}

function messageOf(role: string): ReturnType<typeof entry> {
  const content = 'Answer in one sentence.';
  return entry('message', 'm1', 'a1', { message: { role, customType: 'style', content, display: true, timestamp: 0 } });
}
