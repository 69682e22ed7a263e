import { defineRule, type Rule } from '../define.js';
import { ANSWERED, assistant, entry, HEADER, QUESTION, text, toolCall, transform, user } from '../example.js';
import { type Misfit, misfitsNamed } from './misfits.js';

/** A rule that reports the misfits of its name. */
interface MisfitRow extends Pick<Rule, 'severity' | 'summary' | 'help' | 'example'> {
  readonly name: Misfit['rule'];
}

function misfitRules(rows: readonly MisfitRow[]): readonly Rule[] {
  return rows.map((about) =>
    defineRule({
      ...about,
      group: 'schema',
      looksAt: 'shape',
      find: (stored, head) => misfitsNamed(about.name, stored, head),
    }),
  );
}

const COMPACTION = { firstKeptEntryId: 'u1', tokensBefore: 4000 };
const WITHOUT_ARGUMENTS = { type: 'toolCall', id: 'call_1', name: 'ls' };

/** Fields and blocks that are missing, or are not what Pi reads. */
export const fieldRules = misfitRules([
  {
    name: 'entry-fields',
    severity: 'error',
    summary: 'An entry lacks a field that Pi relies on, or holds something else in it',
    help:
      'Pi does not check what it reads: a summary that is missing never reaches the model, and other fields make Pi ' +
      'stop with an error when it opens the session or counts its tokens. The message says which of them it is. ' +
      'Mend the field, or leave the entry out.',
    example: {
      fires: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', COMPACTION)],
      silent: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { ...COMPACTION, summary: 'A README was found.' })],
    },
  },
  {
    name: 'message-fields',
    severity: 'error',
    summary: 'A message lacks a field that Pi relies on, or holds something else in it',
    help:
      'Pi does not check what it reads. With content that is neither text nor a list of blocks, or without the id of ' +
      'the call that a result belongs to, it stops with an error, or the provider refuses the request. The message ' +
      'says which of them it is. Some programs write the results of tools as text: Pi wants a list of blocks there.',
    example: { fires: [HEADER, user('u1', null, 42)], silent: [HEADER, QUESTION] },
  },
  {
    name: 'block-fields',
    severity: 'error',
    summary: 'A content block lacks a field, or holds something else in it',
    help:
      'Every block has to be whole: a tool call without `arguments` makes Pi stop with an error as soon as it counts ' +
      'tokens, and a provider refuses an image without its type. A call that takes no arguments says `"arguments": {}`.',
    example: {
      fires: [HEADER, QUESTION, assistant('a1', 'u1', [WITHOUT_ARGUMENTS])],
      silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('call_1', 'ls', {})])],
    },
  },
  {
    name: 'op-fields',
    severity: 'error',
    summary: 'A message inside a patch operation is not what a message is',
    help:
      'Replay puts the messages of `messages_cached_replace` into the context as they are, so the next request fails ' +
      'as it does with any other message that lacks something. What the operation itself lacks is reported by ' +
      '[patch-fields](patch-fields.md).',
    example: {
      fires: [HEADER, ...ANSWERED, transform('x1', 'a1', replace(42))],
      silent: [HEADER, ...ANSWERED, transform('x1', 'a1', replace('Start over.'))],
    },
  },
  {
    name: 'usage-fields',
    severity: 'error',
    summary: 'An answer has no usage, or one without its cost',
    help:
      'Pi adds up the usage of all answers of the file, on every branch, for its footer and for the statistics of the ' +
      'session, and stops with an error at one that has none. Programs that convert sessions like to leave it out. ' +
      'Where nobody knows the numbers, a usage of zeros will do: Pi estimates then.',
    example: {
      fires: [HEADER, QUESTION, assistant('a1', 'u1', [text('A README.')], { usage: undefined })],
      silent: [HEADER, ...ANSWERED],
    },
  },
  {
    name: 'missing-content',
    severity: 'warning',
    summary: 'A message has no content',
    help:
      'Whatever it said is gone. Since 0.80.6 Pi takes such a message for an empty one; older versions stop with an ' +
      'error. A question or an answer whose content is `null` also makes Pi leave the session out of its list: an ' +
      'empty list, `"content": []`, says the same and does no harm.',
    example: { fires: [HEADER, user('u1', null, null)], silent: [HEADER, QUESTION] },
  },
  {
    name: 'misplaced-block',
    severity: 'error',
    summary: 'A content block stands in a message that cannot hold such blocks',
    help:
      'Users, tools and extensions write text and images, models write text, thinking and tool calls, and system ' +
      'messages hold text. A tool call in the message of a user is taken for an image and refused by the provider; an ' +
      'image in an answer is left out without a word.',
    example: {
      fires: [HEADER, user('u1', null, [toolCall('call_1')])],
      silent: [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('call_1')])],
    },
  },
  {
    name: 'odd-fields',
    severity: 'warning',
    summary: 'A known field holds something that no version of Pi writes',
    help:
      'Pi reads the session and goes on, but not as it was meant: a model that has no name cannot be chosen again, ' +
      'and thinking that belongs to no model is not sent. Fields that Pi does not know are never reported.',
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

/** Types and roles that Pi does not know. */
export const unknownKindRules = misfitRules([
  {
    name: 'unknown-entry',
    severity: 'note',
    summary: 'An entry is of a type that Pi does not know',
    help:
      'Pi keeps the entry in its place and shows nothing of it to the model. It may come from a newer version or from ' +
      'another program that writes the same format: oh-my-pi, for one, writes `mode_change`, `session_init`, ' +
      '`title_change`, `service_tier_change`, `ttsr_injection` and others.',
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
      'Pi keeps the message in the file and does not send it. `hookMessage` is what extensions wrote before version 3, ' +
      'and means nothing in a file of version 3; `developer` comes from other programs. As a `custom` message it would ' +
      'be sent.',
    example: {
      fires: [HEADER, ...ANSWERED, messageOf('developer')],
      silent: [HEADER, ...ANSWERED, messageOf('custom')],
    },
  },
  {
    name: 'unknown-block',
    severity: 'note',
    summary: 'A content block is of a type that Pi does not know',
    help:
      'In an answer Pi leaves the block out of the request; in the message of a user it takes it for an image, which ' +
      'the provider may refuse. Blocks as the APIs of providers write them have other names here: `tool_use` is ' +
      '`toolCall`, `tool_result` is a message of its own, `input_text` is `text`, and `image_url` is `image`.',
    example: {
      fires: [HEADER, user('u1', null, [{ type: 'input_text', text: 'What is in here?' }])],
      silent: [HEADER, user('u1', null, [text('What is in here?')])],
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
