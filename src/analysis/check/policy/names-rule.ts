import * as z from 'zod/mini';
import { asString } from '#base/json.js';
import type { ReplayedContext } from '#context/replay/build-envelope.js';
import type { Session } from '#session/session.js';
import {
  buildUncheckedHit,
  defineRule,
  type Example,
  type Hit,
  quoteValue,
  type Rule,
  type RuleDefinition,
} from '../define.js';
import { findForbiddenCalls } from './call-hits.js';
import { defineNamesOption } from './options.js';
import { matchesAnyPattern, matchesPattern } from './patterns.js';

/** The kind of names that a rule checks, system parts or tools, with its words in sentences. */
interface Kind {
  readonly option: 'parts' | 'tools';
  readonly plural: string;
  readonly one: string;
  readonly section: 'system' | 'tools';
  readonly sectionName: string;
  readonly missing: string;
  namesIn(envelope: ReplayedContext): readonly string[];
}

export const PART_NAMES: Kind = {
  option: 'parts',
  plural: 'system parts',
  one: 'the system part',
  section: 'system',
  sectionName: 'system prompt',
  missing: 'no part of the system prompt',
  // A part without text is not sent.
  namesIn: ({ system: { parts } }) => parts.filter((part) => part.text !== '').map(({ name }) => name),
};

export const TOOL_NAMES: Kind = {
  option: 'tools',
  plural: 'tools',
  one: 'the tool',
  section: 'tools',
  sectionName: 'tools',
  missing: 'no tool that is offered',
  namesIn: ({ tools }) => tools.flatMap(({ name }) => asString(name) ?? []),
};

interface NamesRule extends Pick<Rule, 'name' | 'summary' | 'help'> {
  readonly kind: Kind;
  readonly example: { readonly fires: Example; readonly silent: Example; readonly names: readonly string[] };
}

/** Defines a rule whose names must be in the next request. */
export function defineRequiredRule({ kind, ...about }: NamesRule): RuleDefinition {
  return defineNamesRule({ kind, ...about }, 'must be there', function* (envelope, patterns) {
    const { section, sectionName, missing } = kind;
    if (envelope.meta.sources[section] === 'unknown') {
      yield buildUnrecordedHit(sectionName);
      return;
    }
    const present = kind.namesIn(envelope);
    for (const pattern of patterns) {
      const isPresent = present.some((name) => matchesPattern(pattern, name));
      if (!isPresent) yield { message: `${missing} is called "${pattern}"` };
    }
  });
}

function buildUnrecordedHit(sectionName: string): Hit {
  return buildUncheckedHit(
    `the session does not record its ${sectionName}`,
    'supply it with "contextBaseline" in the configuration',
  );
}

/** Defines a rule whose names must not be in the next request. */
export function defineForbiddenRule({ kind, ...about }: NamesRule): RuleDefinition {
  return defineNamesRule({ kind, ...about }, 'must not be there', function* (envelope, patterns, session) {
    const { section, sectionName } = kind;
    if (kind === TOOL_NAMES) yield* findForbiddenCalls(session, patterns);
    else if (envelope.meta.sources[section] === 'unknown') yield buildUnrecordedHit(sectionName);
    for (const name of kind.namesIn(envelope)) {
      if (matchesAnyPattern(patterns, name)) yield { message: `${kind.one} ${quoteValue(name)} is not allowed` };
    }
  });
}

function defineNamesRule(
  { kind: { option, plural }, example: { fires, silent, names }, ...about }: NamesRule,
  meaning: string,
  find: (envelope: ReplayedContext, patterns: readonly string[], session: Session) => Iterable<Hit>,
): RuleDefinition {
  const options = z.strictObject({ [option]: defineNamesOption(`The names of ${plural} that ${meaning}`) });
  return defineRule<z.infer<typeof options>>({
    ...about,
    severity: null,
    options,
    example: { fires, silent, options: { [option]: names } },
    looksAt: 'envelope',
    find: (envelope, session, patterns) => find(envelope, patterns[option] ?? [], session),
  });
}
