import { Buffer } from 'node:buffer';
import type { SecretExample } from './secret-examples.js';

type Entry = Readonly<Record<string, unknown>>;

const ESC = '\u001b';
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const lines = (text: string, map: (line: string, at: number) => string): string => text.split('\n').map(map).join('\n');

function result(text: string): Entry {
  const content = [{ type: 'text', text }];
  return message({ role: 'toolResult', toolCallId: 'c1', toolName: 'bash', content, isError: false });
}

function message(inner: Entry): Entry {
  return { type: 'message', message: inner };
}

function call(args: Entry, more: Entry = {}): Entry {
  return message({
    role: 'assistant',
    content: [{ type: 'toolCall', id: 'c1', name: 'bash', arguments: args, ...more }],
  });
}

function system(more: Entry): Entry {
  return { type: 'system_message', message: { role: 'system', sections: {}, ...more } };
}

function output(text: string): Entry {
  return result(`$ cat settings\n${text}\n$ `);
}

/** A terminal of 80 columns, which breaks lines wherever they are full. */
function wrapped(text: string): string {
  return `Settings of the weather service: ${text} and no more.`
    .split('\n')
    .flatMap((line) => line.match(/.{1,80}/g) ?? [''])
    .join('\n');
}

function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function unicodeEscaped(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The value in colour, and what is around it in none. */
function colouredValue({ text, secret }: SecretExample): string {
  return text.replace(secret, () => `${ESC}[33m${secret}${ESC}[0m`);
}

/** Where a secret can be in a session: entries that hold an example's text. */
export const CONTEXTS: Readonly<Record<string, (example: SecretExample) => Entry>> = {
  result: ({ text }) => output(text),
  prose: ({ text }) => result(`I looked at the settings, and they have ${text} which is not what we want.`),
  'bash-arg': ({ text }) => call({ command: `echo start && ${text} && echo done` }),
  json: ({ text }) => result(`{"name": "weather", "notes": "${inJson(text)}", "port": 8080}`),
  json2: ({ text }) => result(JSON.stringify({ body: JSON.stringify({ notes: text }) })),
  'json-after-nl': ({ text }) => result(JSON.stringify({ stdout: `settings\n${text}\n` })),
  'json-after-tab': ({ text }) => result(JSON.stringify({ stdout: `settings\t${text}\t` })),
  diff: ({ text }) => result(`@@ -1 +1 @@\n-old\n${lines(text, (line) => `+${line}`)}`),
  'cat-n': ({ text }) => result(lines(`first\n${text}`, (line, at) => `${String(at + 1).padStart(6)}\t${line}`)),
  'arrow-n': ({ text }) => result(lines(`first\n${text}`, (line, at) => `${String(at + 1).padStart(6)}→${line}`)),
  'bar-n': ({ text }) => result(lines(`first\n${text}`, (line, at) => `${at + 1}|${line}`)),
  crlf: ({ text }) => result(lines(`first\n${text}\n`, (line) => `${line}\r`)),
  'grep-n': ({ text }) => result(lines(text, (line, at) => `src/settings.txt:${at + 7}:${line}`)),
  ansi: ({ text }) => result(lines(text, (line) => `${ESC}[1;32m${line}${ESC}[0m`)),
  'ansi-value': (example) => output(colouredValue(example)),
  'urlenc-assign': ({ text }) =>
    result(`https://weather.net/login?next=maps&state%3D${encodeURIComponent(text)}%26page%3D1`),
  'quoted-md': ({ text }) => result(lines(text, (line) => `> ${line}`)),
  indent: ({ text }) => result(lines(text, (line) => `        ${line}`)),
  'u-escaped': ({ text }) => result(`{"stdout": "${unicodeEscaped(text)}"}`),
  'url-encoded': ({ text }) => result(`https://weather.net/?q=${encodeURIComponent(text)}&page=1`),
  base64: ({ text }) => result(Buffer.from(`settings ${text}`).toString('base64')),
  html: ({ text }) => result(`<pre class="code">${html(text)}</pre>`),
  wrapped: ({ text }) => result(wrapped(text)),
  thinking: ({ text }) =>
    message({ role: 'assistant', content: [{ type: 'thinking', thinking: `I see ${text} here` }] }),
  user: ({ text }) => message({ role: 'user', content: `please use ${text}` }),
  details: ({ text }) =>
    message({ role: 'toolResult', toolCallId: 'c1', toolName: 'x', content: [], details: { stdout: text } }),
  label: ({ text }) => ({ type: 'label', targetId: 'e1', label: text }),
  name: ({ text }) => ({ type: 'session_info', name: text }),
  summary: ({ text }) => ({
    type: 'compaction',
    summary: `The user set ${text} .`,
    firstKeptEntryId: 'e1',
    tokensBefore: 9,
  }),
  'custom-data': ({ text }) => ({ type: 'custom', customType: 'x', data: { state: [text] } }),
  'path-arg': ({ text }) => call({ path: `/tmp/work/${text}` }),
  'arg-key': ({ text }) => call({ env: { [text]: 1 } }),
  'call-id': ({ secret }) => call({}, { id: secret }),
  'tool-name': ({ text }) => call({}, { name: text }),
  errorMessage: ({ text }) =>
    message({ role: 'assistant', content: [], stopReason: 'error', errorMessage: `401: ${text}` }),
  'two-blocks': ({ text }) =>
    message({ role: 'user', content: [text, `again ${text}`].map((one) => ({ type: 'text', text: one })) }),
  system: ({ text }) => system({ sections: { docs: `Settings: ${text}` } }),
  tooldef: ({ text }) => system({ toolsAdded: [{ name: 'x', description: `Use ${text} here`, parameters: {} }] }),
  uncached: ({ text }) => ({ type: 'custom_message', customType: 'x', content: text, display: true }),
  patch: ({ text }) => ({ type: 'context_transform', patch: [{ op: 'append', text }] }),
};

/** Whether twelve characters of a secret in a row, or all of a shorter one, can be read in a session. */
export function isReadable(session: string, secret: string): boolean {
  const shown = readable(session);
  const plain = readable(secret);
  const length = Math.min(12, plain.length);
  for (let at = 0; at + length <= plain.length; at += 1) if (shown.includes(plain.slice(at, at + length))) return true;
  return false;
}

/** A text without colours, breaks and blanks, and with no escape of JSON, URLs or HTML left. */
function readable(text: string): string {
  return text
    .replaceAll(/\\+u([0-9a-f]{4})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/%([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/\u001b\[[0-9;]*m/g, '')
    .replaceAll(/\\+[nt"]|[\s+]|\n/g, '');
}
