import { memoizeByObject, memoizeTexts } from '#base/memoize.js';
import type { ReplayedContext } from '#context/replay/build-envelope.js';
import { findVolatileMatches, type VolatileKind, type VolatileMatch } from '#context/request/volatile.js';
import type { Session } from '#session/session.js';
import { defineRule, type Example, type Hit, quoteValue, type Rule, type RuleDefinition } from '../define.js';
import { ANSWER, HEADER, QUESTION, system } from '../example.js';
import { findSessionSpan, isBuildTime } from './build-time.js';
import { findDeclaration } from './find-declaration.js';
import { listPlacedTexts } from './placed-texts.js';

/** Defines a rule about some kinds of volatile texts in the prefix of every request. */
export function defineVolatileRule(
  about: Pick<Rule, 'name' | 'severity' | 'summary' | 'help' | 'example'>,
  isOfRule: (kind: VolatileKind) => boolean,
): RuleDefinition {
  return defineRule({
    ...about,
    looksAt: 'envelope',
    find: (envelope, session) => listVolatileHits(envelope, session, isOfRule),
  });
}

export function declareRulesText(text: string): Example {
  return [HEADER, system('s1', null, { sections: { rules: text } }), { ...QUESTION, parentId: 's1' }, ANSWER];
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
function* listVolatileHits(
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
      if (first) yield buildHit(session, { where, text, first, more: all.length - 1 });
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
  ...parts.flatMap(({ name, text }) => findVolatileText(text, () => `the system part ${quoteValue(name)}`)),
  ...tools.flatMap((tool) =>
    listPlacedTexts(tool).flatMap(({ text, place }) =>
      findVolatileText(text, () => `the tool ${quoteValue(tool.name)} (${quoteValue(place)})`),
    ),
  ),
]);

/** The text, unless it contains nothing volatile. */
function findVolatileText(text: string, where: () => string): readonly VolatileText[] {
  const found = volatileInDeclared(text);
  return found.length === 0 ? [] : [{ where: where(), text, found }];
}

/** Sessions of a folder declare the same texts. */
const volatileInDeclared = memoizeTexts(findVolatileMatches);

function buildHit(
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
