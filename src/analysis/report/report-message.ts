import { asText } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Category } from '#context/size/categories.js';
import { previewMessage, shorten } from '#context/words/message-text.js';
import type { Head } from '#session/heads/head.js';
import type { ReportMessage } from './document.js';
import { buildPageBlocks } from './page-blocks.js';
import { copyText } from './stored-text.js';

export function originOf({ type }: Head): NewMessage['origin'] {
  return type === 'compaction' ? 'compaction' : 'entry';
}

export interface NewMessage {
  /** The number of its source entry. */
  readonly entry: number;
  readonly origin: ReportMessage['origin'];
  /** The name of the transform that added it. */
  readonly transformer?: string | undefined;
  readonly message: LlmMessage;
  readonly textCategory: Category;
  /** The type of a message that an agent or an extension added; null for any other message. */
  readonly customType: string | null;
  /** The maximum bytes of its texts. */
  readonly most: number;
  /** The call that a tool result answers, if known. */
  readonly call?: string | null;
  /** The folder of the session, to which paths are relative. */
  readonly cwd?: string;
}

/** A row of the page has room for fewer characters. */
const LONGEST_PREVIEW = 140;

/** A message as the page has it. */
export function buildReportMessage(
  { entry, origin, transformer, message, most, call, cwd }: NewMessage,
  tokens: number,
): ReportMessage {
  const name = message.role === 'toolResult' ? asText(message.toolName ?? '?') : '';
  const line = shorten(previewMessage(message, call, cwd), LONGEST_PREVIEW);
  const from = transformer === undefined ? { entry, origin } : { entry, origin, transformer };
  const about = { role: message.role, name, preview: copyText(line), tokens };
  return { ...from, ...about, blocks: buildPageBlocks(message, most) };
}
