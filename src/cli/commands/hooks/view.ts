import { formatCount, pluralize } from '#base/numbers.js';
import type { HookRequestLine, HookSummary } from '#lab/hooks/document.js';
import { type Block, cell, type Doc, line, proseRow, type Span, span, verbatim } from '#ui/doc/doc.js';

type BoundaryDocument = HookRequestLine['boundaries'][number];
type MessageDocument = HookRequestLine['messages'][number];

const WIDTH = 16;

/** The changes of the hooks to one request; a brief one has no explanations. */
export function renderHookRequest(request: HookRequestLine, isBrief: boolean): Doc {
  const { number, entryId, answerId, boundaries, refusals, messages, trace } = request;
  const title = [span(`request ${number}`, 'strong'), ` at ${entryId ?? 'the beginning'}`];
  const answered = answerId === null ? '' : `, answered by ${answerId}`;
  const changes = [
    ...messages.flatMap(renderMessage),
    ...boundaries.flatMap((each) => renderBoundary(each, isBrief)),
    ...renderExtension(request),
  ];
  const refused = refusals.flatMap((why) => [
    renderFact('provider', span('rejects the request', 'error')),
    verbatim(why),
  ]);
  return [
    line(...title, span(answered, 'faint')),
    ...(trace ?? []).map(({ step, what }, at) => renderFact(`${at + 1} ${step}`, what, TRACE_WIDTH)),
    ...(changes.length === 0 && trace === undefined ? [line(span('  nothing changes', 'faint'))] : changes),
    ...refused,
    ...renderCache(request),
  ];
}

const TRACE_WIDTH = 25;

function renderFact(name: string, what: string | Span, width = WIDTH): Block {
  const { text, tone } = typeof what === 'string' ? span(what) : what;
  return proseRow([cell(''), cell(name, width, 'faint'), cell(text, 0, tone)]);
}

/** The consequence of a failure. */
const SO = {
  before_request: 'the request is not sent',
  ephemeral: 'the request is not sent',
  turn_end: 'nothing of it is applied; the request was answered before',
} as const;

function renderBoundary(boundary: BoundaryDocument, isBrief: boolean): Doc {
  const { reason, transforms, change, bytes, idempotent } = boundary;
  const written = `${pluralize(bytes, 'byte')} in the file${reason === 'ephemeral' ? ', as a log' : ''}`;
  return [
    ...renderTrouble(reason, boundary, SO[reason]),
    ...transforms.flatMap((transform) => [renderOps(reason, transform), ...(isBrief ? [] : renderDisplay(transform))]),
    ...(change ? renderContextChange(change) : []),
    ...(bytes > 0 ? [renderFact('', span(written, 'faint'))] : []),
    ...renderIdempotence(idempotent),
  ];
}

type TransformDocument = BoundaryDocument['transforms'][number];

function renderOps(reason: string, { transformerName, patch }: TransformDocument): Block {
  const ops = patch.map(({ op, invalidateCacheReason }) =>
    typeof invalidateCacheReason === 'string' ? `${op} (${invalidateCacheReason})` : op,
  );
  return renderFact(reason, `${transformerName}: ${ops.join(', ')}`);
}

/** Markdown stays plain text: the output of a hook is as untrusted as a session. */
function renderDisplay({ display, rendered }: TransformDocument): Doc {
  if (display === null) return [];
  const { title, summary, markdown } = display;
  const shown = rendered ?? (typeof markdown === 'string' ? markdown : null);
  return [
    renderFact('', typeof summary === 'string' ? `${title}: ${summary}` : title),
    ...(shown === null ? [] : [verbatim(shown, 'markdown')]),
  ];
}

function renderContextChange(change: NonNullable<BoundaryDocument['change']>): Doc {
  const { system, tools, options, cached, uncached, tokensBefore, tokensAfter } = change;
  const differences = [
    ...formatNames('system', system),
    ...formatNames('tools', tools),
    ...(options.length === 0 ? [] : [`options ${options.join(', ')}`]),
    ...formatCounts('messages', cached),
    ...formatCounts('uncached', uncached),
  ];
  const what = differences.length === 0 ? 'nothing is different afterwards' : differences.join('; ');
  return [renderFact('', `${what}; ~${formatCount(tokensBefore)} → ~${formatCount(tokensAfter)} tokens (chars/4)`)];
}

const KINDS = ['added', 'removed', 'changed', 'moved'] as const;

function formatNames(what: string, names: NonNullable<BoundaryDocument['change']>['system']): readonly string[] {
  const parts = KINDS.flatMap((kind) => (names[kind].length === 0 ? [] : [`${names[kind].join(', ')} ${kind}`]));
  return parts.length === 0 ? [] : [`${what} ${parts.join(', ')}`];
}

function formatCounts(what: string, counts: NonNullable<BoundaryDocument['change']>['cached']): readonly string[] {
  const parts = KINDS.flatMap((kind) => (counts[kind] === 0 ? [] : [`${formatCount(counts[kind])} ${kind}`]));
  const kept = counts.kept === 0 ? [] : [`${formatCount(counts.kept)} kept`];
  return parts.length === 0 ? [] : [`${what} ${[...kept, ...parts].join(', ')}`];
}

function renderMessage(message: MessageDocument): Doc {
  const { entryId, role, kind, by, after, idempotent } = message;
  const what = kind === 'dropped' ? 'left out' : 'replaced';
  return [
    ...renderTrouble('message', message, 'the message goes on as it was'),
    ...(kind === 'none' ? [] : [renderFact('message', `${role} ${entryId ?? ''} ${what} by ${by.join(', ')}`)]),
    ...(after === null ? [] : [renderFact('', JSON.stringify(after.content ?? after))]),
    ...renderIdempotence(idempotent),
  ];
}

function renderIdempotence(isIdempotent: boolean | null): Doc {
  if (isIdempotent !== false) return [];
  return [renderFact('', span('not idempotent: run on its own result, it changes it again', 'warning'))];
}

/** Failures and violations, which are never truncated. */
function renderTrouble(
  name: string,
  { failures, violations }: Pick<BoundaryDocument, 'failures' | 'violations'>,
  so: string,
): Doc {
  const troubles = [
    ...failures.map(({ hook, message }) => ({ what: `${hook} failed`, message })),
    ...violations.map(({ hook, rule, op, message }) => {
      return { what: `${hook} breaks rule ${rule}${op === null ? '' : ` (op ${op})`}`, message };
    }),
  ];
  if (troubles.length === 0) return [];
  return [
    ...troubles.flatMap(({ what, message }) => [renderFact(name, span(what, 'error')), verbatim(message)]),
    renderFact('', so),
  ];
}

const MOST_CHANGES = 8;

/** The calls of handlers of stock Pi that did something, and the messages that the request has differently. */
function renderExtension({ events = [], changes = [], appended = [] }: HookRequestLine): Doc {
  const differing = changes.map(({ kind, entryId, role }) => `${role} ${entryId ?? 'of a hook'} ${kind}`);
  const more = differing.length > MOST_CHANGES ? [`${formatCount(differing.length - MOST_CHANGES)} more`] : [];
  return [
    ...events.flatMap(({ event, hook, what, failure }) => [
      ...(what === null ? [] : [renderFact(event, `${hook}: ${what}`, EVENT_WIDTH)]),
      ...(failure === null
        ? []
        : [renderFact(event, span(`${hook} failed`, 'error'), EVENT_WIDTH), verbatim(failure.message)]),
    ]),
    ...(differing.length === 0 ? [] : [renderFact('sent', [...differing.slice(0, MOST_CHANGES), ...more].join('; '))]),
    ...(appended.length === 0 ? [] : [renderFact('appended', appended.map(({ type }) => type).join(', '))]),
  ];
}

const EVENT_WIDTH = 24;

/** The effect on the cache; nothing if the hooks change nothing. */
function renderCache({ cache }: HookRequestLine): Doc {
  if (cache === null) return [];
  const { promptTokens, newTokens, withoutHooks } = cache;
  const isSame = promptTokens === withoutHooks.promptTokens && newTokens === withoutHooks.newTokens;
  const what = `~${formatCount(newTokens)} of ~${pluralize(promptTokens, 'token')} uncached; without hooks ~${formatCount(withoutHooks.newTokens)}`;
  return isSame ? [] : [renderFact('cache', what)];
}

/** The totals of a run. */
export function renderHookSummary(summary: HookSummary): Doc {
  const { requests, transforms, persistedBytes, loggedBytes, sessionBytes, newTokens, messages, notes } = summary;
  const { seen, replaced, dropped } = messages;
  const fates = `${pluralize(seen, 'message')}, ${formatCount(replaced)} replaced, ${formatCount(dropped)} left out`;
  const { withHooks, withoutHooks } = newTokens;
  const uncached = `~${pluralize(withHooks, 'token')} uncached in all; without hooks ~${formatCount(withoutHooks)}`;
  const sent = listTroubles(summary).map((what) => span(`, ${what}`, 'error'));
  const share = sessionBytes === 0 ? '' : `, ${(persistedBytes / sessionBytes).toFixed(2)} times the session`;
  return [
    line(span(pluralize(requests, 'request'), 'strong'), ...sent),
    ...(transforms === 0
      ? []
      : [renderFact('file', `${pluralize(transforms, 'transform')}: ${pluralize(persistedBytes, 'byte')}${share}`)]),
    ...(loggedBytes === 0
      ? []
      : [renderFact('log', `${pluralize(loggedBytes, 'byte')} of messages for single requests`)]),
    ...(seen === 0 ? [] : [renderFact('messages', fates)]),
    ...(withHooks === withoutHooks ? [] : [renderFact('cache', uncached)]),
    ...notes.map((note) => line(span('note', 'warning'), `: ${note}`)),
  ];
}

function listTroubles({ failed, failedAfter, refused }: HookSummary): readonly string[] {
  const counts = [
    [failed, 'kept from being sent by a hook'],
    [failedAfter, 'answered before a turn_end hook failed'],
    [refused, 'that a provider would reject'],
  ] as const;
  return counts.flatMap(([number, what]) => (number === 0 ? [] : [`${formatCount(number)} ${what}`]));
}
