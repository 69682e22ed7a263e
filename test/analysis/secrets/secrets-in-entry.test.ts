import { describe, expect, it } from 'vitest';
import { secretsInEntry } from '#analysis/secrets/secrets-in-entry.js';
import type { JsonObject } from '#base/json.js';
import { diceOf } from '../../support/seeded-secrets.js';

const KEY = `ghp_${diceOf(1)('A-Za-z0-9', 36)}`;
const PASSWORD = 'k7Xv92mQpL4z';

async function placesIn(entry: JsonObject): Promise<readonly string[]> {
  return (await secretsInEntry(entry)).map(({ place, text, start, end }) => `${place}: ${text.slice(start, end)}`);
}

describe('the secrets of an entry', () => {
  it('are found wherever it holds a text', async () => {
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
    expect(await placesIn(entry)).toEqual([
      `message.content[1].text: ${KEY}`,
      `summary: ${KEY}`,
      `details["my key"][0][0]: ${KEY}`,
      `details.$env: ${KEY}`,
      `details[""]: ${KEY}`,
    ]);
  });

  it('are the values of secret names', async () => {
    const entry = {
      arguments: { user: 'ada', password: PASSWORD, apiKey: PASSWORD, passwordField: PASSWORD, token: 'none' },
    };
    expect(await placesIn(entry)).toEqual([`arguments.password: ${PASSWORD}`, `arguments.apiKey: ${PASSWORD}`]);
  });

  it('are not looked for in images', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: `/${KEY}/` };
    expect(await placesIn({ content: [image] })).toEqual([]);
    expect(await placesIn({ content: [{ ...image, type: 'text' }] })).toEqual([`content[0].data: ${KEY}`]);
  });

  it('are found however deep', async () => {
    const json = `${'['.repeat(20_000)}"${KEY}"${']'.repeat(20_000)}`;
    const [secret] = await secretsInEntry({ deep: JSON.parse(json) as unknown });
    expect(secret?.place).toBe(`deep${'[0]'.repeat(20_000)}`);
  });

  it.each([
    {},
    { a: null, b: 1, c: true, d: [], e: {} },
    JSON.parse('{"__proto__":{"password":null},"type":7}') as JsonObject,
  ])('are none in %j', async (entry) => {
    expect(await placesIn(entry)).toEqual([]);
  });
});
