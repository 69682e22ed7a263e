import { memoizeByObject, memoizeTexts } from '#base/memoize.js';
import { parseTimestamp } from '#base/time.js';
import type { ReplayedContext } from '#context/replay/build.js';
import { findVolatileMatches, type VolatileKind, type VolatileMatch } from '#context/request/volatile.js';
import type { Session } from '#session/session.js';
import { defineRule, type Example, type Hit, quoteValue, type Rule, type RuleDefinition } from '../define.js';
import { ANSWERED, HEADER, system } from '../example.js';
import { findDeclaration, listPlacedTexts } from './prefix-change.js';

/** A rule about some kinds of volatile texts in the prefix of every request. */
function volatileRule(
  about: Pick<Rule, 'name' | 'severity' | 'summary' | 'help' | 'example'>,
  isOfRule: (kind: VolatileKind) => boolean,
): RuleDefinition {
  return defineRule({
    ...about,
    looksAt: 'envelope',
    find: (envelope, session) => volatileHits(envelope, session, isOfRule),
  });
}

export const volatilePrefix = volatileRule(
  {
    name: 'volatile-prefix',
    severity: 'warning',
    summary: 'The system prompt or a tool contains a time, a random id or similar',
    help:
      'The beginning of a request is cached as long as it is identical, byte for byte. A clock time, a UUID, a ' +
      'random or process id or a temporary path is new in every session, and often in every request, so everything ' +
      'after it is a cache miss. Times are reported if they are within the time span of the session, or follow a ' +
      'word such as `now` or `current`. Dates are reported by `dated-prefix`.\n\n' +
      'Put the value into the newest user message, where it invalidates nothing.',
    example: { fires: promptOf('Current time: 09:31:05'), silent: promptOf('The stand-up is at 9.') },
  },
  (kind) => kind !== 'date',
);

export const datedPrefix = volatileRule(
  {
    name: 'dated-prefix',
    severity: 'note',
    summary: 'The system prompt or a tool contains the current date',
    help:
      'A date at the beginning of every request invalidates the cache once a day. A session that continues after ' +
      'midnight, or is resumed on another day, then starts with a full cache miss if the prompt is rebuilt. That is ' +
      'less harmful than a time of day, which causes a miss in every request. Dates are reported if they are within ' +
      'the time span of the session, or follow a word such as `today`.\n\n' +
      'Put the date into the first user message.',
    example: {
      fires: promptOf('Current date: 2026-03-02'),
      silent: promptOf('The format was published on 1999-12-31.'),
    },
  },
  (kind) => kind === 'date',
);

function promptOf(text: string): Example {
  const [question, answer] = ANSWERED;
  return [HEADER, system('s1', null, { sections: { rules: text } }), { ...question, parentId: 's1' }, { ...answer }];
}

const NAMES: Readonly<Record<VolatileKind, string>> = {
  date: 'the date',
  time: 'the time',
  timestamp: 'the timestamp',
  uuid: 'the UUID',
  'random-id': 'the random id',
  'process-id': 'the process id',
  'temporary-path': 'the temporary path',
};

/** Volatile texts in the system parts and tools of an envelope: a hit for each text and kind. */
function* volatileHits(
  envelope: ReplayedContext,
  session: Session,
  isOfRule: (kind: VolatileKind) => boolean,
): Generator<Hit> {
  const during = findSessionSpan(session);
  for (const { where, text, found } of volatileTexts(envelope)) {
    const ofNow = found.filter((each) => isOfRule(each.kind) && isBuildTime(text, each, during));
    for (const kind of new Set(ofNow.map((each) => each.kind))) {
      const all = ofNow.filter((each) => each.kind === kind);
      const [first] = all;
      if (first) yield hitOf(session, { where, text, first, more: all.length - 1 });
    }
  }
}

interface VolatileText {
  /** Its name in a sentence. */
  readonly where: string;
  readonly text: string;
  readonly found: readonly VolatileMatch[];
}

/** The texts of each envelope that contain something volatile: both rules read them. */
const volatileTexts = memoizeByObject(({ system: { parts }, tools }: ReplayedContext): readonly VolatileText[] => [
  ...parts.flatMap(({ name, text }) => volatileText(text, () => `the system part ${quoteValue(name)}`)),
  ...tools.flatMap((tool) =>
    listPlacedTexts(tool).flatMap(({ text, place }) =>
      volatileText(text, () => `the tool ${quoteValue(tool.name)} (${quoteValue(place)})`),
    ),
  ),
]);

/** The text, unless it contains nothing volatile. */
function volatileText(text: string, where: () => string): readonly VolatileText[] {
  const found = volatileInDeclared(text);
  return found.length === 0 ? [] : [{ where: where(), text, found }];
}

/** Sessions of a folder declare the same texts. */
const volatileInDeclared = memoizeTexts(findVolatileMatches);

function hitOf(
  session: Session,
  { where, text, first, more }: { where: string; text: string; first: VolatileMatch; more: number },
): Hit {
  const { kind, start, end } = first;
  const value = text.slice(start, end);
  const others = more === 0 ? '' : `, and ${more} more`;
  return {
    message: `${where} contains ${NAMES[kind]} ${quoteValue(value)} at ${start}${others}`,
    ...findDeclaration(session, value),
    fix: 'move it to the newest user message, or remove it',
  };
}

/** A span of time in milliseconds since 1970. */
interface During {
  readonly from: number;
  readonly to: number;
}

/** Allows for time zones, and for sessions that continue after midnight. */
const MARGIN = 36 * 3_600_000;

/** The time span of a session, with a margin; unlimited if it records no times. */
export function findSessionSpan({ header, tree: { heads, leaf } }: Session): During {
  const times = [parseTimestamp(header.timestamp ?? undefined), heads.at(0)?.time, leaf?.time].filter(
    (time): time is number => time !== undefined && !Number.isNaN(time),
  );
  if (times.length === 0) return { from: -Infinity, to: Infinity };
  const first = times.reduce((one, other) => Math.min(one, other), Infinity);
  const last = times.reduce((one, other) => Math.max(one, other), -Infinity);
  return { from: first - MARGIN, to: last + MARGIN };
}

/**
 * Whether a value is the time at which a prompt was built, and not a time that a text mentions: it is in the time span
 * of the session, or follows a word such as "now".
 */
export function isBuildTime(text: string, { kind, start, end }: VolatileMatch, during: During): boolean {
  if (kind !== 'date' && kind !== 'time' && kind !== 'timestamp') return true;
  const before = text.slice(Math.max(0, start - LABEL_LENGTH), start);
  if (LABEL.test(before)) return true;
  const times = timesOf(text.slice(start, end), kind);
  // A clock time without a date counts if a date precedes it.
  if (times.length === 0) return /\d{4}[^\n]{0,12}$/.test(before);
  return times.some((time) => time >= during.from && time <= during.to);
}

const LABEL_LENGTH = 48;
const LABEL =
  /\b(?:today|now|dated?|time|clock|current(?:ly)?|as of|started|generated|updated|timestamp)\b[^\n]{0,30}$/i;

/** The possible times of a date, in milliseconds since 1970. */
function timesOf(value: string, kind: VolatileMatch['kind']): readonly number[] {
  if (kind === 'timestamp') return [Number(value.padEnd(13, '0'))];
  const numbers = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(value)?.slice(1).map(Number);
  if (numbers) {
    const [one = 0, two = 0, year = 0] = numbers;
    return [Date.UTC(year, two - 1, one), Date.UTC(year, one - 1, two)];
  }
  const iso = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}/.exec(value)?.[0];
  const written = iso?.replaceAll('/', '-') ?? value.replace(/(\d)(?:st|nd|rd|th|\.)/i, '$1');
  const time = /\d{4}/.test(written) ? parseTimestamp(written) : Number.NaN;
  return Number.isNaN(time) ? [] : [time];
}
