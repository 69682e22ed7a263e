import type { ByteSource } from './bytes.js';
import { foreignFile } from './header.js';

/** What files of other programs hold in their first lines: keys that Pi does not write. */
const OTHERS: readonly (readonly [what: string, sign: RegExp])[] = [
  [
    'a Claude Code session',
    /"(?:parentUuid|leafUuid|isSidechain)":|"type":\s?"(?:file-history-snapshot|queue-operation)"/,
  ],
  ['a Codex session', /"type":\s?"(?:session_meta|response_item|event_msg|turn_context)"/],
  ['a Gemini CLI session', /"projectHash":|^\s*\{\s*"(?:kind|lastUpdated|messages|sessionId|startTime)":/],
];

/** Whatever is wrong with the file, it is one of Pi's. */
const OF_PI = /\{\s*"type"\s*:\s*"session"/;
const MARKDOWN = /^\s*(?:#{1,6} |```|---\r?\n|\[!\[|<!--)/;
const BEGINS_JSON = /^[\s\ufeff\0]*(?:[{["\d]|(?:null|true|false)\s|$)/;
const BYTES = 4096;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Throws a CtxError (input) for a file of another program. */
export function refuseForeign(source: ByteSource, file: string): void {
  const what = foreignKind(source);
  if (what !== null) throw foreignFile(file, what);
}

/** What a file that is no session looks like, from its first lines; null where they do not tell. */
function foreignKind(source: ByteSource): string | null {
  const beginning = decoder.decode(source.read(0, Math.min(BYTES, source.size)), { stream: true });
  decoder.decode();
  if (beginning.trim() === '' || OF_PI.test(beginning)) return null;
  if (BEGINS_JSON.test(beginning)) return OTHERS.find(([, sign]) => sign.test(beginning))?.[0] ?? null;
  if (beginning.includes('{"type":')) return null;
  if (/[\0\ufffd]/.test(beginning)) return 'a binary file';
  return MARKDOWN.test(beginning) ? 'Markdown' : 'plain text';
}
