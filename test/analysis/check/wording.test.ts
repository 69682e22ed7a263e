import { describe, expect, it } from 'vitest';
import type { Example } from '#analysis/check/define.js';
import {
  ANSWER,
  ANSWERED,
  assistant,
  entry,
  HEADER,
  NEXT,
  QUESTION,
  system,
  textContent,
  toolCall,
  toolResult,
  transform,
  user,
} from '#analysis/check/example.js';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import { buildSnapshot } from '#analysis/snapshot.js';
import type { JsonObject } from '#base/json.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { check, type Wanted } from '../../support/check.js';

/** All findings of each of these sessions, with their exact words. */
async function said(sessions: Readonly<Record<string, Example>>, wanted: Wanted): Promise<string> {
  const parts: string[] = [];
  for (const [name, lines] of Object.entries(sessions)) {
    const findings = await check([HEADER, ...lines], wanted);
    const words = findings.map(({ rule, line, entryId, place, message, fix, related }) =>
      [
        `  ${rule}, line ${line}, ${entryId}${place === null ? '' : `, ${place}`}`,
        `    ${message}`,
        ...(fix === null ? [] : [`    ${fix}`]),
        ...(related.length === 0 ? [] : [`    (${related.join(', ')})`]),
      ].join('\n'),
    );
    parts.push([`${name}:`, ...(words.length === 0 ? ['  nothing'] : words)].join('\n'));
  }
  return parts.join('\n');
}

const edit = (id: string, parentId: string, targetId: string, replacement: unknown = null): JsonObject =>
  entry('context_edit', id, parentId, { targetId, replacement });
const compaction = (id: string, parentId: string, firstKeptEntryId: string): JsonObject =>
  entry('compaction', id, parentId, { summary: 'A question.', tokensBefore: 10, firstKeptEntryId });

const CALL = assistant('a1', 'u1', [textContent('Well.'), toolCall('c1')]);
const RESULT = toolResult('r1', 'a1', 'c1');
const PAIR = [QUESTION, CALL, RESULT];

describe('the messages about', () => {
  it('calls and results', async () => {
    const nameless = assistant('a1', 'u1', [{ type: 'toolCall', id: 'c1', arguments: {} }]);
    const failed = assistant('a1', 'u1', [toolCall('c1')], { stopReason: 'aborted' });
    const { message: result } = RESULT;
    const twice = assistant('a1', 'u1', [toolCall('c1'), toolCall('c1')]);
    const replaced = { op: 'messages_cached_replace', messages: [{ ...(result as JsonObject), isError: true }] };
    const sessions = {
      'no result': [QUESTION, nameless, user('u2', 'a1', 'Go on.')],
      'no result at the end': [QUESTION, nameless],
      'two calls, one result': [
        QUESTION,
        assistant('a1', 'u1', [toolCall('c1'), textContent('And'), toolCall('c2', 'grep')]),
        RESULT,
        user('u2', 'r1', 'Go on.'),
      ],
      'no call': [QUESTION, toolResult('r1', 'u1', 'c1')],
      'a result that names none': [QUESTION, toolResult('r1', 'u1', 'c1', 'done', { toolCallId: 7 })],
      'a failed call': [QUESTION, failed, RESULT],
      'a call that fails again': [QUESTION, RESULT, failed].map((line, at) =>
        at === 1 ? { ...line, parentId: 'u1' } : at === 2 ? { ...line, parentId: 'r1' } : line,
      ),
      'a late result': [QUESTION, CALL, user('u2', 'a1', 'Wait.'), toolResult('r1', 'u2', 'c1')],
      'an early result': [
        QUESTION,
        toolResult('r1', 'u1', 'c1'),
        { ...CALL, parentId: 'r1' },
        toolResult('r2', 'a1', 'c1'),
      ],
      'a result again': [...PAIR, toolResult('r2', 'r1', 'c1')],
      'an id again': [QUESTION, twice, RESULT],
      'an id of an earlier answer': [
        ...PAIR,
        assistant('a2', 'r1', [toolCall('c2'), toolCall('c1')]),
        toolResult('r2', 'a2', 'c1'),
        toolResult('r3', 'r2', 'c2'),
      ],
      'a compaction between': [...PAIR, compaction('k1', 'r1', 'r1')],
      'an edit of the call': [...PAIR, edit('e1', 'r1', 'a1')],
      'two edits of the call': [...PAIR, edit('e1', 'r1', 'a1', { content: [] }), edit('e2', 'e1', 'a1')],
      'a transform that keeps only the result': [...PAIR, transform('t1', 'r1', { ...replaced, messages: [result] })],
      'a transform that writes only a result': [...PAIR, transform('t1', 'r1', replaced)],
      'the second of two transforms': [
        ...PAIR,
        transform('t1', 'r1', { op: 'options_set', reasoning: 'low' }),
        transform('t2', 't1', replaced),
      ],
      'a failed call, and a transform': [
        QUESTION,
        failed,
        RESULT,
        transform('t1', 'r1', { op: 'options_set', reasoning: 'low' }),
      ],
      'a tool that is gone': [
        system('s1', null, { toolsAdded: [{ name: 'bash' }] }),
        { ...QUESTION, parentId: 's1' },
        CALL,
        RESULT,
      ],
    };
    expect(await said(sessions, { rules: ['provider'] })).toMatchInlineSnapshot(`
      "no result:
        call-without-result, line 3, a1, message.content[0]
          no result follows the call "c1": Pi sends "No result provided" instead
          \`ctx repair\` adds an error result
      no result at the end:
        open-call, line 3, a1
          the session ends before the call "c1" has its result
          \`ctx repair\` adds an error result
      two calls, one result:
        call-without-result, line 3, a1, message.content[2]
          no result follows the call "c2" of "grep": Pi sends "No result provided" instead
          \`ctx repair\` adds an error result
      no call:
        result-without-call, line 3, r1
          its call "c1" is not in the request
          \`ctx repair\` omits the result with a \`context_edit\`
      a result that names none:
        result-without-call, line 3, r1
          the result has no call id
          \`ctx repair\` omits the result with a \`context_edit\`
      a failed call:
        result-without-call, line 4, r1
          the call "c1" is in a failed answer, which Pi does not send
          \`ctx repair\` omits the result with a \`context_edit\`
          (a1)
        error-in-context, line 3, a1
          the answer was aborted, so Pi does not send it
      a call that fails again:
        result-without-call, line 3, r1
          its call "c1" is not in the request
          \`ctx repair\` omits the result with a \`context_edit\`
        error-in-context, line 4, a1
          the answer was aborted, so Pi does not send it
      a late result:
        call-without-result, line 3, a1, message.content[1]
          no result follows the call "c1" of "read": Pi sends "No result provided" instead
          \`ctx repair\` adds an error result
        result-out-of-order, line 5, r1
          another message is between the call "c1" and this result
          \`ctx repair\` omits the result with a \`context_edit\`
          (a1)
      an early result:
        result-out-of-order, line 3, r1
          the result precedes its call "c1"
          \`ctx repair\` omits the result with a \`context_edit\`
          (a1)
      a result again:
        duplicate-result, line 5, r2
          the call "c1" already has a result
          \`ctx repair\` omits the result with a \`context_edit\`
          (a1)
      an id again:
        duplicate-call-id, line 3, a1, message.content[1]
          an earlier call has the same id "c1"
          omit the answer and its results with \`context_edit\` entries
          (a1)
      an id of an earlier answer:
        duplicate-call-id, line 5, a2, message.content[1]
          an earlier call has the same id "c1"
          omit the answer and its results with \`context_edit\` entries
          (a1)
      a compaction between:
        compaction-in-tool-pair, line 5, k1
          it removes the call "c1" from the context, but not its result
          compact again and keep entries from "a1" on, or omit the result with a \`context_edit\`
          (a1, r1)
      an edit of the call:
        compaction-in-tool-pair, line 5, e1
          it removes the call "c1" from the context, but not its result
          omit the result as well, with a \`context_edit\`
          (a1, r1)
      two edits of the call:
        compaction-in-tool-pair, line 6, e2
          it removes the call "c1" from the context, but not its result
          omit the result as well, with a \`context_edit\`
          (a1, r1)
      a transform that keeps only the result:
        compaction-in-tool-pair, line 5, t1
          it removes the call "c1" from the context, but not its result
          omit the result as well, with a \`context_edit\`
          (a1, r1)
      a transform that writes only a result:
        compaction-in-tool-pair, line 5, t1
          it removes the call "c1" from the context, but not its result
          omit the result as well, with a \`context_edit\`
          (a1, t1)
      the second of two transforms:
        compaction-in-tool-pair, line 6, t2
          it removes the call "c1" from the context, but not its result
          omit the result as well, with a \`context_edit\`
          (a1, t2)
      a failed call, and a transform:
        result-without-call, line 4, r1
          the call "c1" is in a failed answer, which Pi does not send
          \`ctx repair\` omits the result with a \`context_edit\`
          (a1)
        error-in-context, line 3, a1
          the answer was aborted, so Pi does not send it
      a tool that is gone:
        tool-not-defined, line 4, a1
          the tool "read" is called here, but is not declared"
    `);
  });

  it('thinking', async () => {
    const thought = (id: string, parentId: string, block: JsonObject, more: JsonObject = {}): JsonObject =>
      assistant(id, parentId, [{ type: 'thinking', thinking: 'Look.', ...block }, textContent('Well.')], more);
    const item = { thinkingSignature: '{"type":"reasoning"}' };
    const gpt = { api: 'openai-responses', provider: 'openai', model: 'gpt-5' };
    const signed = { thinkingSignature: 'c2ln' };
    const sessions = {
      'a signature of another API': [QUESTION, thought('a1', 'u1', item)],
      'a signature of Anthropic elsewhere': [QUESTION, thought('a1', 'u1', signed, gpt)],
      'half a JSON object': [QUESTION, thought('a1', 'u1', { thinkingSignature: '{"type"' }, gpt)],
      'a signature twice': [QUESTION, thought('a1', 'u1', signed), thought('a2', 'a1', { ...signed, thinking: 'No.' })],
      'the same thought twice': [QUESTION, thought('a1', 'u1', signed), thought('a2', 'a1', signed)],
      'the same item twice': [QUESTION, thought('a1', 'u1', item, gpt), thought('a2', 'a1', item, gpt)],
      'another model': [
        QUESTION,
        thought('a1', 'u1', signed),
        thought('a2', 'a1', item, gpt),
        assistant('a3', 'a2', [textContent('So.')], { provider: undefined, api: undefined, model: undefined }),
      ],
      'no signature before a call': [
        QUESTION,
        assistant('a1', 'u1', [textContent('Hm.'), { type: 'thinking', thinking: 'Look.' }, toolCall('c1')]),
        RESULT,
      ],
      'a signature lost where others are signed': [
        QUESTION,
        assistant('a0', 'u1', [{ type: 'thinking', thinking: 'See.', ...signed }, textContent('Hm.')], {
          provider: 'lab',
        }),
        assistant('a1', 'a0', [{ type: 'thinking', thinking: 'Look.' }, toolCall('c1')], { provider: 'lab' }),
        RESULT,
      ],
      'thinking at the end': [
        QUESTION,
        assistant('a1', 'u1', [{ type: 'thinking', thinking: 'Look.', ...signed }, textContent('\n')]),
      ],
    };
    expect(await said(sessions, { rules: ['provider'] })).toMatchInlineSnapshot(`
      "a signature of another API:
        moved-signature, line 3, a1, message.content[0]
          the signature is a JSON object, which Anthropic never sends
          replace the content of the answer with its text by a \`context_edit\`
      a signature of Anthropic elsewhere:
        moved-signature, line 3, a1, message.content[0]
          the signature is not a JSON object, as the OpenAI Responses API requires
          replace the content of the answer with its text by a \`context_edit\`
      half a JSON object:
        moved-signature, line 3, a1, message.content[0]
          the signature is not a JSON object, as the OpenAI Responses API requires
          replace the content of the answer with its text by a \`context_edit\`
      a signature twice:
        moved-signature, line 4, a2, message.content[0]
          an earlier thinking block has the same signature
          replace the content of the answer with its text by a \`context_edit\`
      the same thought twice:
        nothing
      the same item twice:
        moved-signature, line 4, a2, message.content[0]
          an earlier thinking block has the same signature
          replace the content of the answer with its text by a \`context_edit\`
      another model:
        foreign-thinking, line 3, a1
          the thinking of "anthropic/claude-sonnet-4-5" is not sent to an unknown model, from here on
        foreign-thinking, line 4, a2
          the thinking of "openai/gpt-5" is not sent to an unknown model, from here on
      no signature before a call:
        lost-signature, line 3, a1, message.content[1]
          the thinking before a tool call has no signature
          omit the answer and its results with \`context_edit\` entries
      a signature lost where others are signed:
        lost-signature, line 4, a1, message.content[0]
          the thinking before a tool call has no signature
          omit the answer and its results with \`context_edit\` entries
      thinking at the end:
        thinking-at-end, line 3, a1, message.content[0]
          the answer ends with thinking, which the provider rejects
          omit the answer with a \`context_edit\`"
    `);
  });

  it('contents and pictures', async () => {
    const picture = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    const heic = { ...picture, mimeType: 'image/heic' };
    const note = entry('custom_message', 'm1', 'u1', { customType: 'note', content: [heic], display: true });
    const sessions = {
      'an answer that was broken off': [QUESTION, assistant('a1', 'u1', [textContent('A')], { stopReason: 'aborted' })],
      'an answer that failed': [QUESTION, assistant('a1', 'u1', [], { stopReason: 'error', errorMessage: '529' })],
      'an empty answer': [QUESTION, assistant('a1', 'u1', [], { content: [textContent(''), null] })],
      'an answer of empty thinking': [QUESTION, assistant('a1', 'u1', [{ type: 'thinking', thinking: '' }])],
      'an empty message': [QUESTION, user('u2', 'u1', '\t')],
      'an answer that is text': [QUESTION, assistant('a1', 'u1', [], { content: 'Well.' })],
      'an error without text': [QUESTION, CALL, toolResult('r1', 'a1', 'c1', ' ', { isError: true })],
      'an error that is text': [QUESTION, CALL, toolResult('r1', 'a1', 'c1', '', { isError: true, content: 'No.' })],
      'an error that is blank': [QUESTION, CALL, toolResult('r1', 'a1', 'c1', '', { isError: true, content: ' ' })],
      'an error that is rubbish': [QUESTION, CALL, toolResult('r1', 'a1', 'c1', '', { isError: true, content: [7] })],
      'an empty text and a picture': [
        QUESTION,
        CALL,
        toolResult('r1', 'a1', 'c1', '', { content: [textContent(''), picture] }),
      ],
      'a picture alone': [QUESTION, CALL, toolResult('r1', 'a1', 'c1', '', { content: [picture] })],
      'an answer first': [assistant('a1', null, [textContent('Hello.')]), user('u1', 'a1', 'Hello.')],
      'a picture in an answer': [QUESTION, assistant('a1', 'u1', [textContent('Here.'), picture])],
      'a picture in an answer that is none': [QUESTION, assistant('a1', 'u1', [{ ...picture, data: 'aGVsbG8=' }])],
      'a picture that is none': [user('u1', null, [{ ...picture, data: 'aGVsbG8=' }])],
      'a picture of a kind that is refused': [user('u1', null, [textContent('Look.'), heic]), note],
      'a picture of another kind': [user('u1', null, [{ ...picture, mimeType: 'image/gif' }])],
    };
    expect(await said(sessions, { rules: ['provider'] })).toMatchInlineSnapshot(`
      "an answer that was broken off:
        error-in-context, line 3, a1
          the answer was aborted, so Pi does not send it
      an answer that failed:
        error-in-context, line 3, a1
          the answer failed ("529"), so Pi does not send it
      an empty answer:
        empty-content, line 3, a1
          the answer has no content
          omit the answer with a \`context_edit\`
      an answer of empty thinking:
        empty-content, line 3, a1
          the answer has no content
          omit the answer with a \`context_edit\`
      an empty message:
        empty-content, line 3, u2
          the message has no content
          omit the message with a \`context_edit\`
      an answer that is text:
        nothing
      an error without text:
        empty-tool-result, line 4, r1
          the error result has no text, which Anthropic rejects
          give the result a text with a \`context_edit\`
      an error that is text:
        nothing
      an error that is blank:
        empty-tool-result, line 4, r1
          the error result has no text, which Anthropic rejects
          give the result a text with a \`context_edit\`
      an error that is rubbish:
        empty-tool-result, line 4, r1
          the error result has no text, which Anthropic rejects
          give the result a text with a \`context_edit\`
      an empty text and a picture:
        empty-tool-result, line 4, r1
          the result has an image and an empty text, which Anthropic rejects
          give the result a text with a \`context_edit\`
      a picture alone:
        nothing
      an answer first:
        role-order, line 2, a1
          the request begins with an answer
          omit the answer with a \`context_edit\`, or compact
      a picture in an answer:
        image-in-answer, line 3, a1, message.content[1]
          an image in an answer is not sent
          put the image into a user message
      a picture in an answer that is none:
        image-in-answer, line 3, a1, message.content[0]
          an image in an answer is not sent
          put the image into a user message
      a picture that is none:
        unreadable-image, line 2, u1, message.content[0]
          the data is not an image of type "image/png", or of any other known type
          replace the content of the message by a \`context_edit\`
      a picture of a kind that is refused:
        unsupported-image, line 2, u1, message.content[1]
          images of type "image/heic" are not supported
          ctx repair replaces it by a line of text
        unsupported-image, line 3, m1, content[0]
          images of type "image/heic" are not supported
          ctx repair replaces it by a line of text
      a picture of another kind:
        unsupported-image, line 2, u1, message.content[0]
          the media type of the image is image/gif, but its data is image/png
          ctx repair replaces it by a line of text"
    `);
    const options = { 'too-many-images': { most: 1 }, 'unsupported-image': { maxBytes: PIXEL.length - 1 } };
    const many = { 'pictures, and limits': [user('u1', null, [picture, textContent('And'), picture, picture])] };
    expect(await said(many, { rules: ['provider'], options })).toMatchInlineSnapshot(`
      "pictures, and limits:
        unsupported-image, line 2, u1, message.content[0]
          the image has 96 bytes as base64, more than 95
          ctx repair replaces it by a line of text
        unsupported-image, line 2, u1, message.content[2]
          the image has 96 bytes as base64, more than 95
          ctx repair replaces it by a line of text
        unsupported-image, line 2, u1, message.content[3]
          the image has 96 bytes as base64, more than 95
          ctx repair replaces it by a line of text
        too-many-images, line 2, u1, message.content[2]
          from here on the request contains more than 1 image
          ctx prune --strategy images replaces old images, and ctx repair the oldest"
    `);
    options['unsupported-image'].maxBytes += 1;
    options['too-many-images'].most = 3;
    expect(await said(many, { rules: ['provider'], options })).toBe('pictures, and limits:\n  nothing');
  });

  it('changes of what is cached', async () => {
    const sections = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, `Rule ${name}.`]));
    const read = { name: 'read', description: 'Read a file' };
    const sessions = {
      'a prompt and tools': [...ANSWERED, system('s1', 'a1', { sections, toolsAdded: [read] })],
      'an edit of a message': [...ANSWERED, NEXT, assistant('a2', 'u2', [textContent('So.')]), edit('e1', 'a2', 'u2')],
      'an edit of the last answer': [...ANSWERED, edit('e1', 'a1', 'a1')],
      'a reason for nothing': [...ANSWERED, transform('t1', 'a1', { op: 'tools_remove', toolNames: ['grep'] })],
      'two kinds in one part': [
        system('s1', null, { sections: { now: 'Now: 09:31, 3f2504e0-4f89-11d3-9a0c-0305e82c3301, now: 09:32.' } }),
        { ...QUESTION, parentId: 's1' },
      ],
      'a time in a tool and in the prompt': [
        system('s1', null, {
          sections: { now: 'Now: 09:31, then 09:32' },
          toolsAdded: [{ ...read, parameters: { path: { description: 'It is 09:31:05 on 2026-03-02' } } }],
        }),
        { ...QUESTION, parentId: 's1' },
      ],
    };
    expect(await said(sessions, { rules: ['cache'] })).toMatchInlineSnapshot(`
      "a prompt and tools:
        undeclared-change, line 4, s1
          it changes the system prompt ("a", "b", "c", "d", "e") and the tools after it was sent, without a reason
          write the change as a \`context_transform\` with an \`invalidateCacheReason\`
      an edit of a message:
        undeclared-change, line 6, e1
          it changes message 3 of 4 after it was sent, without a reason
          write the change as a \`context_transform\` with an \`invalidateCacheReason\`
      an edit of the last answer:
        nothing
      a reason for nothing:
        declared-without-change, line 4, t1
          it declares "an example", but does not change the context
          write a transform only if it changes the context
      two kinds in one part:
        volatile-prefix, line 2, s1, message.sections.now
          the system part "now" contains the time "09:31" at 5, and 1 more
          move it to the newest user message, or remove it
        volatile-prefix, line 2, s1, message.sections.now
          the system part "now" contains the UUID "3f2504e0-4f89-11d3-9a0c-0305e82c3301" at 12
          move it to the newest user message, or remove it
      a time in a tool and in the prompt:
        volatile-prefix, line 2, s1, message.sections.now
          the system part "now" contains the time "09:31" at 5
          move it to the newest user message, or remove it
        dated-prefix, line 2, s1, message.toolsAdded[0].parameters.path.description
          the tool "read" ("parameters.path.description") contains the date "2026-03-02" at 18
          move it to the newest user message, or remove it"
    `);
    const often = [0, 1, 2].flatMap((at) => [
      system(`s${at}`, at === 0 ? null : `b${at - 1}`, {
        sections: { rules: `Rule ${at}.` },
        toolsAdded: [{ ...read, description: `Read ${at}` }],
      }),
      assistant(`b${at}`, `s${at}`, [textContent('Done.')]),
    ]);
    const limits = { most: 1, requestsEach: 2 };
    const options = { 'prompt-changed-often': limits, 'tools-changed-often': limits };
    expect(await said({ often }, { rules: Object.keys(options), options })).toMatchInlineSnapshot(`
      "often:
        tools-changed-often, line 6, s2
          the tools changed 2 times in 3 requests, most recently here
          declare all tools at the beginning of the session
        prompt-changed-often, line 6, s2
          the system prompt changed 2 times in 3 requests, most recently here
          put changing content into the newest user message"
    `);
    const rare = { most: 2, requestsEach: 2 };
    const calm = { 'prompt-changed-often': rare, 'tools-changed-often': rare };
    expect(await said({ often }, { rules: Object.keys(calm), options: calm })).toBe('often:\n  nothing');
  });

  it('transforms, edits and compactions', async () => {
    const ops = (...patch: readonly unknown[]): JsonObject =>
      entry('context_transform', 't1', 'a1', { schemaVersion: 1, transformerName: 'x', patch });
    const low = { op: 'options_set', scope: 'cached', reasoning: 'low', invalidateCacheReason: 'cheap' };
    const keep = { op: 'compaction_apply', scope: 'cached', summary: 's', timestamp: 0, invalidateCacheReason: 'x' };
    const many = Array.from({ length: 7 }, (_, at) => ({ name: `t${at}`, description: 'x' }));
    const sessions = {
      'ops that break a rule': [
        ...ANSWERED,
        ops(
          { ...low, op: 'x' },
          { ...low, scope: 'x' },
          { ...low, invalidateCacheReason: '' },
          { ...low, maxTokens: 'x' },
        ),
      ],
      'a patch that is no list': [...ANSWERED, entry('context_transform', 't1', 'a1', { schemaVersion: 1, patch: {} })],
      'another schema version': [...ANSWERED, { ...ops(low), schemaVersion: 2 }],
      'ops without effect': [...ANSWERED, ops(low, { ...low, op: 'tools_remove', toolNames: ['x'] }, low)],
      'no ops': [...ANSWERED, ops()],
      'an index too far': [...ANSWERED, ops({ ...keep, firstKeptMessageIndex: 3 })],
      'an index too low': [...ANSWERED, ops({ ...keep, firstKeptMessageIndex: -1 })],
      'an edit that says nothing': [...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1' })],
      'a compaction that keeps nothing': [...ANSWERED, NEXT, compaction('k1', 'a1', 'u2')],
      'a tool that nothing implements': [
        system('s1', null, { toolsAdded: [{ name: 'read' }] }),
        { ...QUESTION, parentId: 's1' },
        ANSWER,
        transform('t1', 'a1', { op: 'tools_replace', tools: [{ name: 'read' }, { name: 'x' }] }),
      ],
      'a prompt that is lost': [
        system('s1', null, { sections: { rules: 'Be brief.' }, toolsAdded: many }),
        { ...QUESTION, parentId: 's1' },
        compaction('k1', 'u1', 'u1'),
      ],
      'a broken transform elsewhere': [...ANSWERED, ops({ ...low, op: 'x' }), NEXT],
    };
    expect(await said(sessions, { rules: ['context'] })).toMatchInlineSnapshot(`
      "ops that break a rule:
        patch-unknown-op, line 4, t1, patch[0]
          unknown op ("x")
          repair the operation, or pass --lenient to skip it
        patch-scope, line 4, t1, patch[1]
          options_set has scope "x"; only "cached" is persisted
          repair the operation, or pass --lenient to skip it
        patch-reason, line 4, t1, patch[2]
          options_set changes cached content, but has no invalidateCacheReason
          repair the operation, or pass --lenient to skip it
        patch-fields, line 4, t1, patch[3]
          options_set: maxTokens must be number
          repair the operation, or pass --lenient to skip it
      a patch that is no list:
        patch-fields, line 4, t1, patch
          patch must be a list of ops
          repair the operation, or pass --lenient to skip it
      another schema version:
        patch-schema-version, line 4, t1, schemaVersion
          schemaVersion must be 1, not 2
          repair the operation, or pass --lenient to skip it
      ops without effect:
        op-without-effect, line 4, t1, patch[1]
          tools_remove changes nothing
        op-without-effect, line 4, t1, patch[2]
          options_set changes nothing
      no ops:
        op-without-effect, line 4, t1, patch
          the transform has no operations
      an index too far:
        index-out-of-range, line 4, t1, patch[0].firstKeptMessageIndex
          it keeps from message 3 of 2, so nothing is kept
      an index too low:
        index-out-of-range, line 4, t1, patch[0].firstKeptMessageIndex
          it keeps from message -1 of 2, so everything is kept
      an edit that says nothing:
        edit-without-replacement, line 4, e1, replacement
          the edit has no replacement, not even null
          write "replacement": null to omit the target, or remove the edit
          (u1)
      a compaction that keeps nothing:
        compaction-keeps-nothing, line 5, k1, firstKeptEntryId
          the first entry that it keeps, "u2", is not before it, so only its summary is left
          set firstKeptEntryId to an entry before it, or to its own id to keep nothing
          (u2)
      a tool that nothing implements:
        no-implementation, line null, null, tools[1]
          the tool "x" has no implementation: Pi omits it at run time
      a prompt that is lost:
        system-prompt-lost, line 4, k1, systemMessage
          the compaction does not restate the part "rules", the tool "t0", the tool "t1", the tool "t2", the tool "t3" and 3 more
          add a systemMessage that declares them, or declare them in a later system message
      a broken transform elsewhere:
        broken-patch-elsewhere, line 4, t1, patch[0]
          unknown op ("x")
          repair the operation, or pass --lenient to skip it"
    `);
  });

  it('what a team does not allow', async () => {
    const of = (options: Readonly<Record<string, unknown>>): Wanted => ({ rules: Object.keys(options), options });
    const compact = { op: 'compaction_apply', summary: 's', timestamp: 0, firstKeptMessageIndex: 1 };
    const two = [{ op: 'options_set', reasoning: 'low' }, compact].map((op) => ({ ...op, scope: 'cached' }));
    const patch = two.map((op) => ({ ...op, invalidateCacheReason: 'why' }));
    const sessions = {
      'a long talk': [
        ...ANSWERED,
        entry('context_transform', 't1', 'a1', { schemaVersion: 1, transformerName: 'x', patch }),
        entry('context_transform', 't2', 't1', { schemaVersion: 1, transformerName: 'x', patch: patch.slice(0, 1) }),
        user('u3', 't2', 'x'.repeat(5000)),
      ],
      'parents that go round': [user('u1', 'k1', 'Hi.'), compaction('k1', 'u1', 'u1')],
    };
    const none = { 'max-compactions': { max: 0 }, 'max-cache-breaks': { max: 0 } };
    const limits = { ...none, 'max-context-tokens': { total: 1, cached: 1 }, 'max-file-size': { max: '1 kB' } };
    expect(await said(sessions, of({ ...limits, 'allowed-reasons': { reasons: ['because'] } }))).toMatchInlineSnapshot(`
      "a long talk:
        max-file-size, line null, null
          the file has 6,401 bytes, more than the 1,000 bytes allowed
        max-compactions, line 4, t1
          the path was compacted once, more than the 0 allowed
        allowed-reasons, line 4, t1, patch[0].invalidateCacheReason
          the reason "why" is not allowed
        allowed-reasons, line 4, t1, patch[1].invalidateCacheReason
          the reason "why" is not allowed
        allowed-reasons, line 5, t2, patch[0].invalidateCacheReason
          the reason "why" is not allowed
        max-context-tokens, line null, null
          the context has ~1,922 tokens, more than the 1 allowed
        max-context-tokens, line null, null
          the messages have ~1,918 tokens, more than the 1 allowed
      parents that go round:
        max-compactions, line 3, k1
          the path was compacted once, more than the 0 allowed
        max-context-tokens, line null, null
          the context has ~43 tokens, more than the 1 allowed
        max-context-tokens, line null, null
          the messages have ~43 tokens, more than the 1 allowed"
    `);
    const prompt = system('s1', null, { sections: { rules: 'Be brief.' }, toolsAdded: [{ name: 'read' }] });
    const names = {
      'required-parts': { parts: ['style', 'r*'] },
      'required-tools': { tools: ['bash', 'read'] },
      'forbidden-parts': { parts: ['rules'] },
      'forbidden-tools': { tools: ['*'] },
      'max-context-use': { percent: 1 },
      'max-cost': { dollars: 0 },
    };
    expect(await said({ declared: [prompt, { ...QUESTION, parentId: 's1' }], undeclared: [QUESTION] }, of(names)))
      .toMatchInlineSnapshot(`
        "declared:
          max-context-use, line null, null
            not checked: the size of the model's context window is unknown
            pass --limit TOKENS, or set "limit" in the configuration
          required-parts, line null, null
            no part of the system prompt is called "style"
          forbidden-parts, line null, null
            the system part "rules" is not allowed
          required-tools, line null, null
            no tool that is offered is called "bash"
          forbidden-tools, line null, null
            the tool "read" is not allowed
        undeclared:
          max-context-use, line null, null
            not checked: the size of the model's context window is unknown
            pass --limit TOKENS, or set "limit" in the configuration
          required-parts, line null, null
            not checked: the session does not record its system prompt
            supply it with "contextBaseline" in the configuration
          forbidden-parts, line null, null
            not checked: the session does not record its system prompt
            supply it with "contextBaseline" in the configuration
          required-tools, line null, null
            not checked: the session does not record its tools
            supply it with "contextBaseline" in the configuration"
      `);
  });

  it('links and times', async () => {
    const early = { ...NEXT, timestamp: '2026-03-02T06:00:00.000Z' };
    const sooner = { ...NEXT, timestamp: '2026-03-02T08:58:50.000Z' };
    const sessions = {
      'a parent that is gone': [QUESTION, { ...NEXT, parentId: 'gone' }],
      'parents that go round': [{ ...QUESTION, parentId: 'u2' }, ANSWER, NEXT],
      'names that are gone': [
        ...ANSWERED,
        entry('label', 'l1', 'a1', { targetId: 'gone', label: 'x' }),
        edit('e1', 'l1', 'gone'),
        compaction('k1', 'e1', 'gone'),
        entry('branch_summary', 'b1', 'k1', { fromId: 'gone', summary: 'x' }),
      ],
      'an id again': [QUESTION, ANSWER, { ...NEXT, id: 'u1' }],
      'a time before': [...ANSWERED, early],
      'a time a little before': [...ANSWERED, sooner],
      branches: [QUESTION, ANSWER, user('u2', 'u1', 'Or?'), user('u3', 'u1', 'Or?')],
    };
    expect(await said(sessions, { rules: ['tree'] })).toMatchInlineSnapshot(`
      "a parent that is gone:
        orphan, line 3, u2
          its parent "gone" is not in the file, so the path begins here
          ctx repair links it to the entry before it in the file
        abandoned-leaves, line 2, u1
          another branch ends outside the active path, which has 1 of 2 entries
      parents that go round:
        cycle, line 4, u2
          its parents form a cycle of 3 entries; the path is cut here, where Pi would run out of memory
          ctx repair removes the cycle
      names that are gone:
        dangling-label, line 4, l1
          it labels "gone", which is not in the file
        dangling-edit, line 5, e1
          it edits "gone", which is not in the file
        dangling-compaction, line 6, k1
          the first entry that it keeps, "gone", is not in the file
        dangling-branch-summary, line 7, b1
          it summarises the branch that ends at "gone", which is not in the file
      an id again:
        duplicate-id, line 2, u1
          line 4 has the same id and hides this entry
          ctx repair gives the later entry a new id
        cycle, line 4, u1
          its parents form a cycle of 2 entries; the path is cut here, where Pi would run out of memory
          ctx repair removes the cycle
      a time before:
        time-runs-backwards, line 4, u2
          it is 3 hours older than its parent
          (a1)
      a time a little before:
        time-runs-backwards, line 4, u2
          it is a minute older than its parent
          (a1)
      branches:
        abandoned-leaves, line 3, a1
          2 other branches end outside the active path, which has 2 of 4 entries
          (u2)"
    `);
  });

  it('fields and kinds', async () => {
    const { id: _id, ...noId } = ANSWER;
    const sessions = {
      'a message that is none': [entry('message', 'm1', null, { message: 'Hello.' })],
      'a block that is none': [user('u1', null, ['Hello.', { type: 7 }, { text: 'x' }])],
      'a block of another API': [user('u1', null, [{ type: 'tool_use' }, { type: 'thinking', thinking: '' }])],
      'an unknown entry': [entry('future_change', 'm1', null)],
      'an unknown role': [entry('message', 'm1', null, { message: { role: 'robot', content: '' } })],
      'no role': [entry('message', 'm1', null, { message: { content: '' } })],
      'no content': [
        user('u1', null, undefined),
        entry('custom_message', 'c1', 'u1', { customType: 'x', content: null }),
      ],
      'tools that are none': [system('s1', null, { toolsAdded: [7, { description: 'x' }], toolsRemoved: 'x' })],
      'a part that is none': [system('s1', null, { sections: { 'a b': 7 } })],
      'an edit with half a message': [...ANSWERED, edit('e1', 'a1', 'u1', {})],
      'a number for a list': [assistant('a1', null, [], { content: 7 })],
      'usage that is none': [assistant('a1', null, [], { usage: null }), assistant('a2', 'a1', [], { usage: {} })],
      'odd fields': [
        assistant('a1', null, [], { stopReason: 7 }),
        entry('label', 'l1', 'a1', { targetId: 'a1', label: [] }),
      ],
      'a message in a patch': [
        transform('t1', null, { op: 'messages_cached_replace', messages: [{ role: 'user' }, 7, { role: 'robot' }] }),
      ],
      'a patch of nobody': [
        entry('custom', 'c1', null, { customType: 'x', patch: [{ messages: [{ role: 'user' }] }] }),
      ],
      'a checkpoint that is none': [{ ...compaction('k1', 'k1', 'k1'), parentId: null, systemMessage: 7 }],
      'no time': [
        { ...QUESTION, timestamp: undefined },
        { ...ANSWER, timestamp: 'soon' },
      ],
      'a number too big for one': [QUESTION, JSON.stringify(ANSWER).replace('"input":10', '"input":1e999'), NEXT],
      'no id': [QUESTION, noId, { ...NEXT, parentId: 'u1' }],
    };
    expect(await said(sessions, { rules: ['schema'] })).toMatchInlineSnapshot(`
      "a message that is none:
        entry-fields, line 2, m1, message
          message of the message entry must be object, not "Hello.": Pi may stop with an error when it opens the session
      a block that is none:
        block-fields, line 2, u1, message.content[0]
          the content block must be object, not "Hello.": Pi may stop with an error before the next request
        block-fields, line 2, u1, message.content[1].type
          type of the content block must be string, not 7: Pi may stop with an error before the next request
        block-fields, line 2, u1, message.content[2].type
          type of the content block must be string, but is missing: Pi may stop with an error before the next request
      a block of another API:
        misplaced-block, line 2, u1, message.content[1].type
          "thinking" blocks are not allowed in this message
        unknown-block, line 2, u1, message.content[0].type
          unknown block type "tool_use"
      an unknown entry:
        unknown-entry, line 2, m1, type
          unknown entry type "future_change"
      an unknown role:
        unknown-role, line 2, m1, message.role
          unknown role "robot": Pi does not send the message
      no role:
        message-fields, line 2, m1, message.role
          role of the message must be string, but is missing: Pi does not send the message
      no content:
        missing-content, line 2, u1, message.content
          the message has no content
        missing-content, line 3, c1, content
          the message has no content
      tools that are none:
        message-fields, line 2, s1, message.toolsAdded[0]
          toolsAdded[0] of the system message must be object, not 7: the provider rejects the request
        message-fields, line 2, s1, message.toolsAdded[1].name
          toolsAdded[1].name of the system message must be string, but is missing: the provider rejects the request
        message-fields, line 2, s1, message.toolsRemoved
          toolsRemoved of the system message must be array, not "x": Pi may stop with an error before the next request
      a part that is none:
        message-fields, line 2, s1, message.sections["a b"]
          sections["a b"] of the system message must be string, not 7: the system prompt is wrong
      an edit with half a message:
        entry-fields, line 4, e1, replacement.content
          replacement.content of the context_edit entry must be string or array, but is missing: Pi may stop with an error when it counts tokens
      a number for a list:
        message-fields, line 2, a1, message.content
          content of the assistant message must be array, not 7: Pi may stop with an error before the next request
      usage that is none:
        usage-fields, line 2, a1, message.usage
          usage of the assistant message must be object, not null: Pi may stop with an error when it adds up the cost of the session
        usage-fields, line 3, a2, message.usage.cost
          usage.cost of the assistant message must be object, but is missing: Pi may stop with an error when it adds up the cost of the session
      odd fields:
        odd-fields, line 2, a1, message.stopReason
          stopReason of the assistant message must be string, not 7
        odd-fields, line 3, l1, label
          label of the label entry must be string, not an empty list
      a message in a patch:
        op-fields, line 2, t1, patch[0].messages[0].content
          content of the user message must be string or array, but is missing: Pi may stop with an error when it counts tokens
      a patch of nobody:
        nothing
      a checkpoint that is none:
        entry-fields, line 2, k1, systemMessage
          systemMessage of the compaction entry must be object, not 7: the system prompt is wrong
      no time:
        bad-timestamp, line 2, u1, timestamp
          the entry has no timestamp
        bad-timestamp, line 3, a1, timestamp
          "soon" is not a valid time
      a number too big for one:
        nothing
      no id:
        nothing"
    `);
    const header = { ...HEADER, version: '3', cwd: 7, timestamp: 'soon', id: 'x' };
    const [ofHeader, ...others] = await check([header], { rules: ['header-fields'] });
    expect([ofHeader, ...others].map((finding) => `${finding?.line} ${finding?.place}: ${finding?.message}`))
      .toMatchInlineSnapshot(`
        [
          "1 version: version of the header must be number, not "3"",
          "1 cwd: cwd of the header must be string, not 7",
          "1 timestamp: "soon" is not a valid time",
        ]
      `);
  });

  it('a snapshot of something else', async () => {
    const prompt = system('s1', null, { sections: { rules: 'Be brief.' }, toolsAdded: [{ name: 'read' }] });
    const session = [prompt, { ...QUESTION, parentId: 's1' }, ANSWER];
    const taken = (revision: string): JsonObject => ({
      revision,
      file: 'x.json',
      snapshot: buildSnapshot(EMPTY_ENVELOPE, { revision, entryId: null }),
    });
    const options = (one: JsonObject): Wanted => ({ rules: ['snapshot'], options: { snapshot: { snapshots: [one] } } });
    const low = transform('t1', 'a1', { op: 'options_set', reasoning: 'low' });
    const sessions = { 'from nothing': [...session, low], nothing: [] };
    expect(await said(sessions, options(taken('HEAD')))).toMatchInlineSnapshot(`
      "from nothing:
        snapshot, line 2, s1, message.sections.rules
          HEAD: the system part "rules" was added
          if the change is intended, replace the snapshots with --update
        snapshot, line 2, s1, message.toolsAdded[0].name
          HEAD: the tool "read" was added
          if the change is intended, replace the snapshots with --update
        snapshot, line null, null
          HEAD: the option "reasoning" was added: nothing is now "low"
          if the change is intended, replace the snapshots with --update
        snapshot, line 3, u1
          HEAD: a message (user) was added
          if the change is intended, replace the snapshots with --update
        snapshot, line 4, a1
          HEAD: a message (assistant) was added
          if the change is intended, replace the snapshots with --update
      nothing:
        nothing"
    `);
    const old = { parts: [{ name: 'old', text: 'Be long.' }], compiled: 'Be long.' };
    const kept = { ...EMPTY_ENVELOPE, system: old, tools: [{ name: 'grep' }, { name: 'read', description: 'Read' }] };
    const ofKept = {
      revision: 'HEAD',
      file: 'x.json',
      snapshot: buildSnapshot(kept, { revision: 'HEAD', entryId: null }),
    };
    expect(await said({ 'from another one': session }, options(ofKept))).toMatchInlineSnapshot(`
      "from another one:
        snapshot, line null, null
          HEAD: the system part "old" was removed
          if the change is intended, replace the snapshots with --update
        snapshot, line 2, s1, message.sections.rules
          HEAD: the system part "rules" was added
          if the change is intended, replace the snapshots with --update
        snapshot, line null, null
          HEAD: the tool "grep" was removed
          if the change is intended, replace the snapshots with --update
        snapshot, line 2, s1, message.toolsAdded[0].name
          HEAD: the tool "read" was changed: description: "Read" is now nothing
          if the change is intended, replace the snapshots with --update
        snapshot, line 3, u1
          HEAD: a message (user) was added
          if the change is intended, replace the snapshots with --update
        snapshot, line 4, a1
          HEAD: a message (assistant) was added
          if the change is intended, replace the snapshots with --update"
    `);
    expect(await said({ before: session }, options(taken('HEAD~2')))).toMatchInlineSnapshot(`
      "before:
        snapshot, line 2, s1, message.sections.rules
          HEAD~2: the system part "rules" was added
          if the change is intended, replace the snapshots with --update
        snapshot, line 2, s1, message.toolsAdded[0].name
          HEAD~2: the tool "read" was added
          if the change is intended, replace the snapshots with --update"
    `);
    expect(await said({ gone: session }, options(taken('HEAD~9')))).toMatchInlineSnapshot(`
      "gone:
        snapshot, line null, null
          the snapshot x.json is of HEAD~9, which is no longer in the session"
    `);
    expect(await said({ none: session }, options({ revision: 'HEAD', file: 'x.json', snapshot: null })))
      .toMatchInlineSnapshot(`
        "none:
          snapshot, line null, null
            there is no snapshot of HEAD in x.json
            create it with --update"
      `);
  });
});
