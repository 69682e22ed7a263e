import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession, type OpenSession } from '#context/open.js';
import { describeEntry, nameEntry } from '#context/words/entry-text.js';
import { previewMessage } from '#context/words/message-text.js';
import type { Head } from '#session/heads/head.js';
import { labelsOf } from '#session/session.js';
import { forestOf, ROOT } from '#session/tree/forest.js';
import { pathTo } from '#session/tree/tree.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { type Box, drawing, heightOf, type Line, type Note, type Tone } from './drawing.js';

const folder = path.join(projectFolder, 'docs/images');
const ROW = 60;

/** Every picture of the manual shows a fixture as `ctx` reads it. */
const PICTURES: Readonly<Record<string, () => Promise<string>>> = {
  tree: () => tree('branches.jsonl', 'A session file as a tree: three branches, the active path, and the leaf'),
  compaction: () => replay('two-compactions.jsonl', 'A path with two compactions, and the messages that it comes to'),
  edits: () => replay('edits.jsonl', 'A path with edits, and the messages that it comes to'),
  transform: () => replay('mixed/dual-written.jsonl', 'A path with a compaction that is written twice'),
  envelope: () => envelope('weather.jsonl', 'The regions of an envelope'),
};

async function open(fixture: string): Promise<OpenSession> {
  return await openSession(path.join(projectFolder, 'fixtures', fixture));
}

/** Each entry beside its parent, each branch in a row of its own. */
async function tree(fixture: string, title: string): Promise<string> {
  const session = await open(fixture);
  const { heads, leaf } = session.tree;
  const { order, parents } = forestOf(session.tree);
  const labels = labelsOf(session);
  const active = new Set(leaf ? pathTo(session.tree, leaf).map(({ index }) => index) : []);
  const places = new Map<number, { readonly x: number; readonly y: number }>();
  const boxes: Box[] = [{ x: 10, y: 10, width: 160, lines: ['header', 'version 3'], tone: 'off' }];
  const lines: Line[] = [];
  let rows = 0;
  for (const index of order) {
    const head = heads.at(index);
    const parent = places.get(parents[index] ?? ROOT);
    if (!head) continue;
    const isFirst = parent === undefined || ![...places.values()].some(({ x, y }) => y === parent.y && x > parent.x);
    if (!isFirst) rows += 1;
    const place = { x: parent ? parent.x + 190 : 10, y: isFirst && parent ? parent.y : 80 + rows * (ROW + 10) };
    places.set(index, place);
    const label = labels.get(String(head.id));
    const words = [
      `${String(head.id)}  line ${head.line}`,
      `${nameEntry(head, session)}${label === undefined ? '' : ` [${label}]`}`,
    ];
    const tone = index === leaf?.index ? 'head' : active.has(index) ? 'on' : 'off';
    boxes.push({ ...place, width: 160, lines: words, tone });
    if (parent)
      lines.push({ from: [parent.x + 160, parent.y + 24], to: [place.x, place.y + 24], isFaint: !active.has(index) });
  }
  return drawing(title, { boxes, lines });
}

/** The entries of the active path on the left, the messages that the model is shown on the right. */
async function replay(fixture: string, title: string): Promise<string> {
  const session = await open(fixture);
  const { messages, meta } = envelopeAt(session);
  const heads = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
  const used = new Map<string, Tone>();
  for (const { entryId, editId } of meta.provenance) {
    if (entryId !== null) used.set(entryId, 'on');
    if (typeof editId === 'string') used.set(editId, 'change');
  }
  const left = heads.map((head, at): Box => {
    const words = [`${String(head.id)}  ${nameEntry(head, session)}`, short(describeEntry(session.entry(head)))];
    return { x: 10, y: 30 + at * ROW, width: 310, lines: words, tone: toneOf(head, used) };
  });
  const right = messages.cached.map((message, at): Box => {
    const words = [`#${at + 1}  ${String(message.role)}`, short(previewMessage(message))];
    return { x: 460, y: 30 + at * ROW, width: 310, lines: words, tone: 'head' };
  });
  const lines = meta.provenance.flatMap(({ entryId, editId }, at): readonly Line[] =>
    [entryId, editId].flatMap((id, nth) => {
      const from = left[heads.findIndex((head) => head.id === id)];
      const to = right[at];
      return from && to ? [{ from: [320, from.y + 24], to: [460, to.y + 24], isFaint: nth === 1 }] : [];
    }),
  );
  const notes: readonly Note[] = [
    { x: 10, y: 18, text: 'entries of the active path' },
    { x: 460, y: 18, text: 'what the model is shown' },
  ];
  return drawing(title, { boxes: [...left, ...right], lines, notes });
}

function toneOf(head: Head, used: ReadonlyMap<string, Tone>): Tone {
  const tone = used.get(String(head.id));
  return tone === 'on' && head.type !== 'message' ? 'change' : (tone ?? 'off');
}

/** What is sent, from the beginning of the prompt to its end, with what operations may change. */
async function envelope(fixture: string, title: string): Promise<string> {
  const { system, tools, messages } = envelopeAt(await open(fixture), 'HEAD', { ephemeral: true });
  const regions: readonly (readonly [name: string, holds: string, ops: string, tone: Tone])[] = [
    [
      'system parts',
      system.parts.map(({ name }) => name).join(', '),
      'system_part_set, system_part_remove, system_parts_replace',
      'on',
    ],
    ['tools', tools.map(({ name }) => name).join(', '), 'tools_replace, tools_remove', 'on'],
    ['cached messages', `${messages.cached.length} messages`, 'messages_cached_replace, compaction_apply', 'on'],
    [
      'uncached messages',
      `${messages.uncached.length} message, for this request only`,
      'messages_uncached_append',
      'change',
    ],
    ['options', 'beside it: reasoning, temperature, maxTokens', 'options_set', 'on'],
  ];
  const boxes = regions.map(([name, holds, , tone], at): Box => {
    return { x: 10, y: 30 + at * ROW, width: 420, lines: [name, clipped(holds, 54)], tone };
  });
  const notes = regions.map(([, , ops], at): Note => ({ x: 445, y: 58 + at * ROW, text: ops }));
  const said = [
    { x: 10, y: 18, text: 'sent in this order' },
    { x: 445, y: 18, text: 'changed by' },
  ];
  expect(boxes.map((box) => heightOf(box))).toEqual(regions.map(() => 48));
  return drawing(title, { boxes, notes: [...said, ...notes] });
}

function short(text: string): string {
  return clipped(text.replaceAll(/\s+/g, ' '), 39);
}

function clipped(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

it.each(Object.entries(PICTURES))('docs/images/%s.svg is drawn from a fixture', async (name, draw) => {
  expectGenerated(`docs/images/${name}.svg`, await draw());
});

it('every picture is drawn here', () => {
  expect(readdirSync(folder).toSorted()).toEqual(
    Object.keys(PICTURES)
      .map((name) => `${name}.svg`)
      .toSorted(),
  );
});
