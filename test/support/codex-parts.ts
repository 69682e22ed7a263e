import { expect } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { replayContext } from '#context/replay/build-envelope.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { codexHistory, type HistoryPart } from './codex-history.js';

type Block = { readonly [key: string]: unknown };

/** The messages at the leaf in the words of the judge. */
export function partsOf(session: OpenSession): readonly HistoryPart[] {
  const { leaf } = session.tree;
  if (leaf === null) return [];
  return replayContext(session, leaf).messages.cached.flatMap((message): HistoryPart[] => {
    const blocks = message['content'] as readonly Block[];
    const texts = blocks.map(({ type, text }) => (type === 'image' ? '[image]' : withoutUrl(String(text))));
    if (message.role === 'user') return texts.map((text) => ({ from: 'input', text }));
    if (message.role === 'assistant') return blocks.map((block) => ({ from: 'model', text: wordsOf(block) }));
    return [{ from: 'tool', text: `${String(message['toolCallId'])}: ${texts.join('\n')}` }];
  });
}

function withoutUrl(text: string): string {
  return text.replace(/^\[image .*\]$/, '[image]');
}

function wordsOf({ type, text, thinking, id, name, arguments: given }: Block): string {
  if (type === 'toolCall') return `calls ${String(id)} ${String(name)} ${JSON.stringify(given)}`;
  return type === 'thinking' ? `thinks ${String(thinking)}` : `says ${String(text)}`;
}

/**
 * An answer is one message, so that its results follow it; nothing else may change places. The results that Codex makes
 * for calls without one are in no history that it rebuilds, and results without a call are: it adds and removes them in each request.
 */
export function expectSameHistory(session: OpenSession, text: string): void {
  const parts = partsOf(session).filter((part) => part.from !== 'tool' || !part.text.endsWith(': aborted'));
  const calls = new Set(Array.from(text.matchAll(/"type":"\w+_call"[^\n]*?"call_id":"([^"]*)"/g), ([, id]) => id));
  const isPaired = (part: HistoryPart): boolean => part.from !== 'tool' || calls.has(part.text.replace(/: [^]*/, ''));
  const judged = codexHistory(text).filter(isPaired);
  for (const left of ['tool', 'model'])
    expect(parts.filter(({ from }) => from !== left)).toEqual(judged.filter(({ from }) => from !== left));
  const expected = judged.map(({ text: each }) => each).toSorted();
  expect(parts.map(({ text: each }) => each).toSorted()).toEqual(expected);
  expect(bytesAccountedFor(session.scan)).toBe(session.scan.size);
}
