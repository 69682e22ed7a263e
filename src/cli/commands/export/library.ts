import { CtxError } from '#base/errors.js';
import { assumedWindow } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import { exportFormats } from './formats/index.js';
import { type RequestChoice, type WrittenRequest, writeRequest } from './request.js';

/**
 * The request at an entry as a provider is sent it, as `ctx export --format NAME` writes it: `anthropic`, `openai-chat`
 * or `openai-responses`. Throws a CtxError (usage) for another format or an unknown revision.
 */
export function exportRequest(
  session: OpenSession,
  format: string,
  choice: RequestChoice = {},
): Omit<WrittenRequest, 'pieces'> & { readonly text: string } {
  const found = exportFormats.find(({ name }) => name === format);
  if (found?.takes !== 'request')
    throw new CtxError('usage', `"${format}" is no format of a request`, { hint: 'use anthropic or openai-chat' });
  const { pieces, problems } = writeRequest(session, found, { assumedWindow, ...choice });
  return { text: [...pieces].join(''), problems };
}
