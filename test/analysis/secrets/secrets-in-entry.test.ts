import { describe, expect, it } from 'vitest';
import { findEntrySecrets } from '#analysis/secrets/secrets-in-entry.js';
import type { JsonObject } from '#base/json.js';
import { diceOf } from '../../support/seeded-secrets.js';

const KEY = `ghp_${diceOf(1)('A-Za-z0-9', 36)}`;
const PASSWORD = 'k7Xv92mQpL4z';

function placesIn(entry: JsonObject): readonly string[] {
  return findEntrySecrets(entry).map(({ place, text, start, end }) => `${place}: ${text.slice(start, end)}`);
}

describe('the secrets of an entry', () => {
  it('are found wherever it holds a text', () => {
    const entry = {
      type: 'message',
      message: {
        role: 'toolResult',
        content: [
          { type: 'text', text: 'none' },
          { type: 'text', text: `it is ${KEY}` },
        ],
      },
      summary: KEY,
      details: { 'my key': [[KEY]], $env: KEY, '': KEY },
    };
    expect(placesIn(entry)).toEqual([
      `message.content[1].text: ${KEY}`,
      `summary: ${KEY}`,
      `details["my key"][0][0]: ${KEY}`,
      `details.$env: ${KEY}`,
      `details[""]: ${KEY}`,
    ]);
  });

  it('are the values of secret names', () => {
    const entry = {
      arguments: { user: 'ada', password: PASSWORD, apiKey: PASSWORD, passwordField: PASSWORD, token: 'none' },
    };
    expect(placesIn(entry)).toEqual([`arguments.password: ${PASSWORD}`, `arguments.apiKey: ${PASSWORD}`]);
  });

  it('are masked in the places of others', () => {
    expect(findEntrySecrets({ data: { [`my ${KEY}`]: [KEY] } }).map(({ place }) => place)).toEqual([
      'data',
      'data["my ghp_… (40 characters)"][0]',
    ]);
  });

  it('are not looked for in images', () => {
    const image = { type: 'image', mimeType: 'image/png', data: `/${KEY}/` };
    expect(placesIn({ content: [image] })).toEqual([]);
    expect(placesIn({ content: [{ ...image, type: 'text' }] })).toEqual([`content[0].data: ${KEY}`]);
  });

  it('are found however deep', () => {
    const json = `${'['.repeat(20_000)}"${KEY}"${']'.repeat(20_000)}`;
    const [secret] = findEntrySecrets({ deep: JSON.parse(json) as unknown });
    expect(secret?.place).toBe(`deep${'[0]'.repeat(20_000)}`);
  });

  it.each([
    {},
    { a: null, b: 1, c: true, d: [], e: {} },
    JSON.parse('{"__proto__":{"password":null},"type":7}') as JsonObject,
  ])('are none in %j', (entry) => {
    expect(placesIn(entry)).toEqual([]);
  });
});
