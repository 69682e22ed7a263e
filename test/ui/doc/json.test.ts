import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderers } from '#ui/doc/index.js';
import json, { formatJsonLine } from '#ui/doc/json.js';
import type { Renderer } from '#ui/doc/renderer.js';
import { plainStyle } from '#ui/doc/style.js';

const renderer: Renderer = json;

function show(data: unknown, isTerminal = false): string | Promise<string> {
  const doc = (): never => {
    throw new Error('JSON needs no document');
  };
  return renderer.render({ data, doc }, { format: 'json', columns: 10, rows: 5, isTerminal }, plainStyle);
}

describe('JSON', () => {
  it('is the data on one line, indented on a terminal, with a newline at the end', async () => {
    const data = { a: [1, { b: null }] };
    expect(await show(data)).toBe('{"a":[1,{"b":null}]}\n');
    expect(await show(data, true)).toBe('{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}\n');
  });

  it('holds nothing that a terminal obeys', async () => {
    expect(await show({ '\x1b': '\x9b\x7f\u202e' })).toBe(`${String.raw`{"\u001b":"\u009b\u007f\u202e"}`}\n`);
  });

  it('means the data, whole or on a line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (data) => {
        const same: unknown = JSON.parse(JSON.stringify(data));
        expect(JSON.parse(await show(data))).toEqual(same);
        expect(JSON.parse(formatJsonLine(data))).toEqual(same);
      }),
    );
  });

  it('on a line is one line', () => {
    expect(formatJsonLine({ text: 'a\nb\u2028c\u0085' })).toBe(`${String.raw`{"text":"a\nb\u2028c\u0085"}`}\n`);
  });
});

describe('the renderers', () => {
  it('have names of their own', () => {
    expect(new Set(renderers.map(({ name }) => name)).size).toBe(renderers.length);
    expect(renderers.map(({ name }) => name)).toEqual(expect.arrayContaining(['text', 'markdown', 'json']));
  });
});
