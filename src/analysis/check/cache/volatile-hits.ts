import type { ContextEnvelope } from '#context/replay/envelope.js';
import { type Volatile, volatileIn, type VolatileKind } from '#context/request/volatile.js';
import type { Session } from '#session/session.js';
import type { Hit } from '../define.js';
import { quoted } from '../quoted.js';
import { declaredAt } from './declared-at.js';
import { type During, duringOf, isOfNow } from './of-now.js';
import { textsIn } from './texts-in.js';

const NAMES: Readonly<Record<VolatileKind, string>> = {
  date: 'the date',
  time: 'the time',
  timestamp: 'the timestamp',
  uuid: 'the UUID',
  'random-id': 'the random id',
  'process-id': 'the process id',
  'temporary-path': 'the temporary path',
};

/** What changes from one session to the next in the system parts and tools of an envelope: a hit for each text and kind. */
export function* volatileHits(
  { system, tools }: ContextEnvelope,
  session: Session,
  isWanted: (kind: VolatileKind) => boolean,
): Generator<Hit> {
  const during = duringOf(session);
  for (const { name, text } of system.parts)
    yield* hitsIn(session, { where: `the system part ${quoted(name)}`, text, during, isWanted });
  for (const tool of tools)
    for (const { text, place } of textsIn(tool))
      yield* hitsIn(session, { where: `the tool ${quoted(tool.name)} (${quoted(place)})`, text, during, isWanted });
}

interface Text {
  /** How a sentence names it. */
  readonly where: string;
  readonly text: string;
  readonly during: During;
  isWanted(kind: VolatileKind): boolean;
}

function* hitsIn(session: Session, { where, text, during, isWanted }: Text): Generator<Hit> {
  const found = volatileIn(text).filter((each) => isWanted(each.kind) && isOfNow(text, each, during));
  for (const kind of new Set(found.map((each) => each.kind))) {
    const all = found.filter((each) => each.kind === kind);
    const [first] = all;
    if (first) yield hitOf(session, { where, text, first, more: all.length - 1 });
  }
}

function hitOf(
  session: Session,
  { where, text, first, more }: { where: string; text: string; first: Volatile; more: number },
): Hit {
  const { kind, start, end } = first;
  const value = text.slice(start, end);
  const others = more === 0 ? '' : `, and ${more} more`;
  return {
    message: `${where} holds ${NAMES[kind]} ${quoted(value)} at ${start}${others}`,
    ...declaredAt(session, value),
    fix: 'put it into the newest message of the user, or leave it out',
  };
}
