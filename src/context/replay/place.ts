import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { pathTo } from '#session/tree/tree.js';
import type { EnvelopeOptions } from './build.js';
import { loggedIn } from './convert.js';
import type { Provenance } from './envelope.js';
import type { SentMessage } from './message-list.js';
import { MESSAGE_TYPES } from './selection.js';

/** Where an envelope is asked for. */
export interface Place {
  readonly session: Session;
  readonly at: Head | null;
  readonly path: readonly Head[];
  readonly options: EnvelopeOptions;
  /** How many messages were logged for the request there, and those of them that are to be shown. */
  readonly ephemeralMessages: number;
  readonly uncached: readonly SentMessage[];
}

export function placeOf(session: Session, at: Head | null, options: EnvelopeOptions): Place {
  const path = at ? pathTo(session.tree, at) : [];
  const ephemeral = ephemeralMessages(session, path);
  const uncached = options.ephemeral ? ephemeral : [];
  return { session, at, path, options, ephemeralMessages: ephemeral.length, uncached };
}

/** What was logged for the request at the end of a path: the newest `ephemeral` entry, if no message stands below it. */
function ephemeralMessages(session: Session, path: readonly Head[]): readonly SentMessage[] {
  const head = path.findLast(({ type }) => type === 'ephemeral' || MESSAGE_TYPES.has(type));
  if (head?.type !== 'ephemeral') return [];
  const from: Provenance = { entryId: idText(head.id), line: head.line, origin: 'entry' };
  return loggedIn(session.entry(head)).map((message) => ({ message, from }));
}
