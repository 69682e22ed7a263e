import * as z from 'zod/mini';
import { asString, isObject } from '#base/json.js';
import type { ReplayedContext } from '#context/replay/build.js';
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
import { ANSWERED, declareTool, HEADER, QUESTION, system, transform } from '../example.js';
import { findForbiddenCalls } from './path-calls.js';
import { defineNamesOption, matchesAnyPattern, matchesPattern } from './patterns.js';

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

const PARTS: Kind = {
  option: 'parts',
  plural: 'system parts',
  one: 'the system part',
  section: 'system',
  sectionName: 'system prompt',
  missing: 'no part of the system prompt',
  // A part without text is not sent.
  namesIn: ({ system: { parts } }) => parts.filter((part) => part.text !== '').map(({ name }) => name),
};

const TOOLS: Kind = {
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

function requiring({ kind, ...about }: NamesRule): RuleDefinition {
  return namesRule({ kind, ...about }, 'must be there', function* (envelope, patterns) {
    const { section, sectionName, missing } = kind;
    if (envelope.meta.sources[section] === 'unknown') {
      yield unrecorded(sectionName);
      return;
    }
    const present = kind.namesIn(envelope);
    for (const pattern of patterns)
      if (!present.some((name) => matchesPattern(pattern, name)))
        yield { message: `${missing} is called "${pattern}"` };
  });
}

function unrecorded(sectionName: string): Hit {
  return buildUncheckedHit(
    `the session does not record its ${sectionName}`,
    'supply it with "contextBaseline" in the configuration',
  );
}

function forbidding({ kind, ...about }: NamesRule): RuleDefinition {
  return namesRule({ kind, ...about }, 'must not be there', function* (envelope, patterns, session) {
    const { section, sectionName } = kind;
    if (kind === TOOLS) yield* findForbiddenCalls(session, patterns);
    else if (envelope.meta.sources[section] === 'unknown') yield unrecorded(sectionName);
    for (const name of kind.namesIn(envelope))
      if (matchesAnyPattern(patterns, name)) yield { message: `${kind.one} ${quoteValue(name)} is not allowed` };
  });
}

function namesRule(
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

export const requiredParts = requiring({
  kind: PARTS,
  name: 'required-parts',
  summary: 'A required part of the system prompt is missing',
  help:
    'Shared instructions, such as the rules of a team, can get lost: an extension replaces the prompt, a transform ' +
    'removes a part, a compaction has no checkpoint. This rule examines the next request of the active leaf. A part ' +
    'without text counts as missing. Sessions before Pi 0.87 record neither prompt nor tools; that is reported too, ' +
    'unless `contextBaseline` supplies them.',
  example: { fires: prompting({ style: 'Be brief.' }), silent: prompting({ rules: 'Ask first.' }), names: ['rules'] },
});

export const forbiddenParts = forbidding({
  kind: PARTS,
  name: 'forbidden-parts',
  summary: 'The system prompt contains a forbidden part',
  help:
    'Use this rule for parts that must not reach this model or this provider, or that a release no longer uses. It ' +
    'examines the next request of the active leaf. A part without text is not sent, so it is not reported. If a ' +
    'session does not record its parts, the rule reports that it was not checked, unless `contextBaseline` supplies them.',
  example: {
    fires: prompting({ 'internal-notes': 'Be brief.' }),
    silent: prompting({ rules: 'Ask first.' }),
    names: ['internal-*'],
  },
});

export const requiredTools = requiring({
  kind: TOOLS,
  name: 'required-tools',
  summary: 'A required tool is missing',
  help:
    'If the instructions mention a tool that is not declared, the agent makes up a substitute. This rule examines ' +
    'the tool definitions of the next request of the active leaf. Sessions before Pi 0.87 record neither prompt nor ' +
    'tools; that is reported too, unless `contextBaseline` supplies them.',
  example: { fires: declareTool('bash', 'Run a command'), silent: declareTool('read', 'Read a file'), names: ['read'] },
});

export const forbiddenTools = forbidding({
  kind: TOOLS,
  name: 'forbidden-tools',
  summary: 'A forbidden tool was called, or is declared',
  help:
    'This rule examines the calls on the active path, also those before a compaction, and the tool definitions of the ' +
    'next request: a session that was recorded with a tool continues with it. If a session does not record its ' +
    'definitions, the calls alone are examined, unless `contextBaseline` supplies them. To forbid only some commands ' +
    'of a shell, use `forbidden-commands`.',
  example: { fires: declareTool('bash', 'Run a command'), silent: declareTool('read', 'Read a file'), names: ['bash'] },
});

function prompting(sections: Readonly<Record<string, string>>): Example {
  return [HEADER, system('s1', null, { sections }), { ...QUESTION, parentId: 's1' }];
}

const allowed = z.strictObject({ reasons: defineNamesOption('The allowed reasons') });

export const allowedReasons = defineRule({
  name: 'allowed-reasons',
  severity: null,
  summary: 'A transform invalidates the cache for a reason that is not allowed',
  help:
    'Each op of a `context_transform` states why it may invalidate the prompt cache (`invalidateCacheReason`). This ' +
    'rule reports ops with a reason that is not in the list, on all branches. An op without a reason is reported by ' +
    '`patch-reason`.',
  options: allowed,
  example: {
    fires: [HEADER, ...ANSWERED, gated('I felt like it')],
    silent: [HEADER, ...ANSWERED, gated('gate: no shell')],
    options: { reasons: ['compaction', 'gate: *'] },
  },
  looksAt: 'entry',
  anchors: ['invalidateCacheReason'],
  *find(entry, head, { reasons }): Generator<Hit> {
    if (head.type !== 'context_transform') return;
    const patch: unknown = entry['patch'];
    for (const [at, op] of Array.isArray(patch) ? patch.entries() : []) {
      const reason = isObject(op) ? asString(op['invalidateCacheReason']) : null;
      if (reason === null || reason.trim() === '' || matchesAnyPattern(reasons, reason)) continue;
      yield {
        message: `the reason ${quoteValue(reason)} is not allowed`,
        at: head,
        place: `patch[${at}].invalidateCacheReason`,
      };
    }
  },
});

function gated(invalidateCacheReason: string): ReturnType<typeof transform> {
  return transform('t1', 'a1', { op: 'tools_remove', toolNames: ['bash'], invalidateCacheReason });
}
