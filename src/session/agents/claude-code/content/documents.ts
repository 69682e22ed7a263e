import { Buffer } from 'node:buffer';
import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { toTextBlock } from '../../blocks.js';

/**
 * Returns the block of a document. A document of text becomes its text. Any other, such as a PDF, becomes a description
 * with the tokens that a provider may count for it: its bytes are no text of the request.
 */
export function toDocumentBlock(block: JsonObject): JsonObject {
  const { title, source: given } = block;
  const source = asObject(given);
  const data = asString(source['data']) ?? '';
  const name = asString(title);
  const about = name === null || name === '' ? 'document' : `document "${name}"`;
  if (source['type'] === 'text') return toTextBlock(data);
  if (source['type'] === 'content') return toTextBlock(joinContentText(source['content']));
  const address = asString(source['url']) ?? asString(source['file_id']);
  if (source['type'] !== 'base64') return toTextBlock(`[${about}${address === null ? '' : `, ${address}`}]`);
  const bytes = Buffer.from(data, 'base64');
  const pages = countPages(bytes);
  const size = `${Math.ceil(bytes.length / 1000)} kB`;
  const type = asString(source['media_type']) ?? 'unknown type';
  const text = `[${about}, ${type}, ${pluralize(pages.count, 'page')}${pages.isCounted ? '' : ' estimated'}, ${size}]`;
  const fault = bytes.subarray(0, 5).toString('latin1') === '%PDF-' ? {} : { documentFault: 'its data is not a PDF' };
  return { ...toTextBlock(text), documentTokensEstimated: pages.count * TOKENS_PER_PAGE, ...fault };
}

/** Anthropic counts 1,500 to 3,000 tokens for the text of a page, and an image of it; in tokens of four characters. */
const TOKENS_PER_PAGE = 2400;

/** The bytes of a page of a usual PDF whose pages cannot be counted, since their objects are compressed. */
const BYTES_PER_PAGE = 30_000;

interface Pages {
  readonly count: number;
  /** Whether the file names its pages. */
  readonly isCounted: boolean;
}

/** The pages of a PDF: its page objects, or the number in its page tree or its first object. */
function countPages(bytes: Buffer): Pages {
  const text = bytes.toString('latin1');
  const objects = text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
  const [, linearized] = /\/Linearized\b[^>]{0,200}?\/N\s+(\d{1,5})\b/.exec(text) ?? [];
  const [, tree] = /\/Type\s*\/Pages\b[^>]{0,200}?\/Count\s+(\d{1,5})\b/.exec(text) ?? [];
  const count = Math.max(objects, Number(linearized ?? 0), Number(tree ?? 0));
  if (count > 0) return { count: Math.min(count, MOST_PAGES), isCounted: true };
  return { count: Math.min(Math.max(1, Math.round(bytes.length / BYTES_PER_PAGE)), MOST_PAGES), isCounted: false };
}

/** Providers refuse larger documents. */
const MOST_PAGES = 600;

function joinContentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listObjects(content)
    .map(({ type, text }) => asString(text) ?? `[${asString(type) ?? 'block'}]`)
    .join('\n');
}
