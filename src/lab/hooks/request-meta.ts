import type { JsonObject } from '#base/json.js';
import { readEntryMessage } from '#context/replay/convert.js';
import type { RequestModel } from '#context/replay/envelope.js';
import { findSettings, setsModel } from '#context/replay/settings.js';
import { readTarget, type RequestTarget } from '#context/request/wire-messages.js';
import { readSessionWindow, selectWindow, type WindowOptions } from '#context/size/window.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** A request at a place of a path. */
export interface RequestPlace {
  readonly session: Session;
  readonly path: readonly Head[];
  /** The number of the entries of the path before the request. */
  readonly end: number;
}

/**
 * The metadata of a request for a hook. `turns`: the turns that have begun. `requests`: the requests that have been
 * answered.
 */
export function buildRequestMeta(
  request: RequestPlace & { readonly turns: number; readonly requests: number },
  window: WindowOptions,
): JsonObject {
  return {
    model: findModel(request),
    limit: findRequestLimit(request, window),
    turnIndex: request.turns,
    requestIndex: request.requests,
  };
}

/** The context window of a request in tokens; null where it is unknown. */
export function findRequestLimit(request: RequestPlace, window: WindowOptions): number | null {
  return selectWindow(findModel(request), window, readSessionWindow(request.session)).tokens;
}

/** The model of the answer at a place; for a request without one, that of the newest answer before it. */
export function findRequestTarget({ session, path, end }: RequestPlace, answer: number | null): RequestTarget {
  const head = findLastBefore(path, answer === null ? end : answer + 1, ({ role }) => role === 'assistant');
  return readTarget((head && readEntryMessage(session.entry(head))) ?? {});
}

function findModel({ session, path, end }: RequestPlace): RequestModel {
  const head = findLastBefore(path, end, setsModel);
  return head ? findSettings(session, [head]).model : null;
}

function findLastBefore(path: readonly Head[], end: number, matches: (head: Head) => boolean): Head | null {
  for (let at = end - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (head && matches(head)) return head;
  }
  return null;
}
