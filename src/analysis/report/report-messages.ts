import { formatCall } from '#context/words/message-text.js';
import { CallFinder } from '#context/words/tool-call.js';
import { readEntryContents } from '../stats/entry-contents.js';
import type { ReportMessage } from './document.js';
import type { MessagePool } from './message-pool.js';
import { buildReportMessage, originOf } from './report-message.js';
import type { RequestSource } from './request-source.js';

type MessageSource = Pick<MessagePool, 'tokens' | 'changed'> & Pick<RequestSource, 'session' | 'stored' | 'findLimit'>;

/**
 * The messages of a pool. Those that entries store are read when they are written, so that only one is in memory, and
 * the rest of the pool is released before.
 */
export function listReportMessages(source: MessageSource): Iterable<ReportMessage> {
  return { [Symbol.iterator]: () => buildOneByOne(source) };
}

function* buildOneByOne({ session, stored, findLimit, tokens, changed }: MessageSource): Generator<ReportMessage> {
  const calls = new CallFinder(session);
  const cwd = session.header.cwd ?? '';
  for (const head of session.tree.heads) {
    const number = stored[head.index] ?? -1;
    const entry = number === -1 ? {} : session.entry(head);
    const contents = readEntryContents(entry);
    if (!contents?.message) continue;
    const { message, textCategory, customType } = contents;
    const answered = calls.findCall(head, entry);
    const from = { entry: head.index, origin: originOf(head), call: answered && formatCall(answered, cwd), cwd };
    yield buildReportMessage(
      { ...from, message, textCategory, customType, most: findLimit(head.length) },
      tokens[number] ?? 0,
    );
  }
  yield* changed;
}
