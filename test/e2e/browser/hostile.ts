import { PIXEL } from '#analysis/check/provider/image-example.js';
import { lines } from '../../support/entries.js';

type Json = Readonly<Record<string, unknown>>;

/** Marks that a script or an event handler of the session has run. */
const RUN = 'window.hacked=1';

export const HOSTILE: readonly string[] = [
  `</script><script>${RUN}</script>`,
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `"><svg onload=${RUN}>`,
  `<a href="javascript:${RUN}">click</a>`,
  '<!-- <div></p></main></body></html>',
  '<style>*{display:none}</style><link rel=stylesheet href=//example.com/x.css>',
  '\u001b[31mred\u001b]8;;https://example.com\u0007link\u001b]8;;\u0007',
  '\u202eright to left\u2066\u2069 \u200bnothing\ufeff',
  'nul \u0000 and del \u007f and half \ud800',
  '\u2028line\u2029paragraph',
  '${constructor} {{7*7}} __proto__',
];

const SVG = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"/>`).toString('base64');

/** Images that no page may show, by their types. */
const IMAGES: readonly (readonly [mimeType: unknown, data: unknown])[] = [
  ['image/svg+xml', SVG],
  ['image/png', SVG],
  ['image/png', `${PIXEL}" onerror="${RUN}`],
  ['image/png', `${PIXEL}#<script>`],
  ['image/gif', PIXEL],
  ['image/png;base64,x', PIXEL],
  [`image/png" onerror="${RUN}`, PIXEL],
  ['IMAGE/PNG', PIXEL],
  ['text/html', Buffer.from(HOSTILE[0]!).toString('base64')],
  [null, PIXEL],
  ['image/png', { length: 5 }],
  ['image/png', ''],
];

/** As long as a line can be that somebody pasted. */
const LONG = 'x'.repeat(5_000_000);

/** A session whose every field tries to be something else than text. */
export function hostileSession(): string {
  const entries: Json[] = [];
  const add = (type: string, rest: Json): void => {
    const id = `e${entries.length} "'<b>&#\ud800`;
    const parentId = entries.at(-1)?.['id'] ?? null;
    entries.push({ type, id, parentId, timestamp: '2026-01-05T09:00:01.000Z', ...rest });
  };
  const tool = `<b onclick=${RUN}>`;
  add('message', {
    message: {
      role: 'system',
      content: HOSTILE[0],
      sections: { [HOSTILE[1]!]: HOSTILE.join('\n') },
      toolsAdded: [{ name: tool, description: HOSTILE.join('\n'), parameters: {} }],
    },
  });
  add('session_info', { name: HOSTILE.slice(0, 4).join(' ') });
  for (const [mimeType, data] of IMAGES) {
    add('message', { message: { role: 'user', content: [{ type: 'image', mimeType, data }] } });
  }
  for (const text of HOSTILE) {
    add('message', { message: { role: 'user', content: text } });
    add('message', {
      message: {
        role: 'assistant',
        provider: text,
        model: text,
        content: [
          { type: 'thinking', thinking: text },
          { type: 'text', text },
          { type: 'toolCall', id: text, name: tool, arguments: { [text]: text } },
        ],
        usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11 },
        stopReason: 'error',
        errorMessage: text,
      },
    });
    add('message', {
      message: {
        role: 'toolResult',
        toolCallId: text,
        toolName: tool,
        isError: true,
        content: [{ type: 'text', text }],
      },
    });
    add('label', { targetId: entries.at(-1)?.['id'], label: text });
    add(text, { anything: text });
  }
  add('compaction', { summary: HOSTILE.join('\n'), firstKeptEntryId: entries.at(-3)?.['id'], tokensBefore: 1 });
  add('message', { message: { role: 'user', content: LONG } });
  const header = {
    type: 'session',
    version: 3,
    id: HOSTILE[0],
    timestamp: '2026-01-05T09:00:00.000Z',
    cwd: HOSTILE[2],
  };
  return lines(header, ...entries);
}
