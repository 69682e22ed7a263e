import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listEntryTexts, listSentTexts, listToolTexts } from '#analysis/search/entry-texts.js';
import type { JsonObject } from '#base/json.js';
import { entry } from '../../support/entries.js';

function places(value: JsonObject): readonly string[] {
  return Array.from(listEntryTexts(value), ({ place, text }) => `${place} = ${text}`);
}

function message(fields: JsonObject): JsonObject {
  return entry('message', 'm1', 'm0', { message: { timestamp: 1, ...fields } });
}

/** The places that an entry was to tell the model. */
function forModel(value: JsonObject): readonly string[] {
  return Array.from(listEntryTexts(value)).flatMap(({ place, isForModel }) => (isForModel ? place : []));
}

describe('the places of an entry', () => {
  it('are those of all blocks of a message', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' },
      { type: 'text', text: 'hello', textSignature: 'c2ln' },
      { type: 'toolCall', id: 'call', name: 'edit', arguments: { path: 'a.ts', edits: [{ oldText: 'x', n: 1 }] } },
      { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
    ];
    const how = { api: 'a', provider: 'b', model: 'c', usage: { note: 'd' }, stopReason: 'stop', responseId: 'e' };
    expect(places(message({ role: 'assistant', content, ...how }))).toEqual([
      'content[0].thinking = hm',
      'content[1].text = hello',
      'content[2].name = edit',
      'content[2].arguments.path = a.ts',
      'content[2].arguments.edits[0].oldText = x',
    ]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['a text', message({ role: 'user', content: 'hi' }), ['content = hi']],
    [
      'a result',
      message({
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'bash',
        content: [{ type: 'text', text: 'ok' }],
        details: { diff: '+1', id: 'free' },
      }),
      ['toolName = bash', 'content[0].text = ok', 'details.diff = +1', 'details.id = free'],
    ],
    [
      'a prompt',
      message({
        role: 'system',
        content: '',
        sections: { rules: 'Be brief.', gone: null, '7': 'seven', id: 'a section' },
        toolsAdded: [{ name: 'read', description: 'Read', parameters: { type: 'object' } }],
      }),
      [
        'sections["7"] = seven',
        'sections.rules = Be brief.',
        'sections.id = a section',
        'toolsAdded[0].name = read',
        'toolsAdded[0].description = Read',
        'toolsAdded[0].parameters.type = object',
      ],
    ],
    [
      'a shell command',
      message({ role: 'bashExecution', command: 'ls', output: 'a\nb', exitCode: 0 }),
      ['command = ls', 'output = a\nb'],
    ],
    [
      'a compaction',
      entry('compaction', 'k', 'a', { summary: 'short', firstKeptEntryId: 'u', tokensBefore: 1 }),
      ['summary = short'],
    ],
    ['a label', entry('label', 'l', 'a', { targetId: 'u', label: 'fixed' }), ['label = fixed']],
    ['a name', entry('session_info', 'i', 'a', { name: 'Dates' }), ['name = Dates']],
    [
      'a model',
      entry('model_change', 'i', 'a', { provider: 'anthropic', modelId: 'm' }),
      ['provider = anthropic', 'modelId = m'],
    ],
    [
      'an edit',
      entry('context_edit', 'e', 'a', { targetId: 'u', replacement: { content: 'new' } }),
      ['replacement.content = new'],
    ],
    [
      'custom data',
      entry('custom', 'c', 'a', { customType: 'state', data: { id: 'free', list: ['x', { role: 'y' }] } }),
      ['customType = state', 'data.id = free', 'data.list[0] = x', 'data.list[1].role = y'],
    ],
    [
      'an unknown type',
      entry('future', 'f', 'a', { note: 'n', message: { role: 'user', content: 'inside' } }),
      ['note = n', 'message.content = inside'],
    ],
    ['a message that is none', entry('message', 'm', 'a', { message: 'words' }), ['message = words']],
    [
      'fields beside a message',
      { ...message({ role: 'user', content: 'hi' }), note: 'n' },
      ['content = hi', 'note = n'],
    ],
    [
      'an image with a source',
      message({ role: 'user', content: [{ type: 'image', source: { type: 'base64', data: 'x' } }] }),
      [],
    ],
  ])('%s', (_name, value, expected) => {
    expect(places(value)).toEqual(expected);
  });

  it('are for the model only where they are sent', () => {
    const result = { role: 'toolResult', toolName: 'bash', content: 'x', details: { diff: 'x' }, errorMessage: 'x' };
    expect(forModel(message(result))).toEqual(['toolName', 'content']);
    expect(forModel(entry('custom_message', 'c', 'a', { customType: 'note', content: 'x' }))).toEqual(['content']);
    expect(forModel(entry('label', 'l', 'a', { label: 'x', content: 'x', summary: 'x' }))).toEqual([]);
    const op = { op: 'system_part_set', invalidateCacheReason: 'why', partName: 'rules', text: 'x' };
    const transform = entry('context_transform', 't', 'a', {
      transformerName: 'n',
      patch: [op],
      display: { title: 'x' },
    });
    expect(forModel(transform)).toEqual(['patch[0].text']);
  });

  it('are found however deeply they are nested', () => {
    let data: unknown = 'deep';
    for (let depth = 0; depth < 100_000; depth += 1) data = [data];
    const [found] = listEntryTexts(entry('custom', 'c', 'a', { data }));
    expect(found?.text).toBe('deep');
    expect(found!.place.length).toBeLessThan(300);
  });

  it('hold every string of arguments, and nothing else', () => {
    const strings = (value: unknown): string[] =>
      typeof value === 'string'
        ? value === ''
          ? []
          : [value]
        : typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(strings)
          : [];
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('"data"'));
        const call = { type: 'toolCall', id: 'c', name: '', arguments: JSON.parse(JSON.stringify(value)) as unknown };
        const found = listEntryTexts(message({ role: 'assistant', content: [call] }));
        expect(Array.from(found, ({ text }) => text)).toEqual(strings(call.arguments));
      }),
    );
  });
});

describe('the places of a message that is sent', () => {
  it('are its content and the name of its tool', () => {
    const sent = { role: 'toolResult', toolName: 'bash', content: 'out', details: 'no', errorMessage: 'no' };
    expect(Array.from(listSentTexts(sent), ({ place }) => place)).toEqual(['toolName', 'content']);
    expect([...listSentTexts({ role: 'user', content: undefined })]).toEqual([]);
  });
});

it('a tool has all of its texts', () => {
  const tool = { name: 'read', description: 'Read', parameters: { properties: { id: { description: 'which' } } } };
  expect(Array.from(listToolTexts(tool), ({ place }) => place)).toEqual([
    'name',
    'description',
    'parameters.properties.id.description',
  ]);
});
