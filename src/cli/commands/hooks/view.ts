import { formatCount, pluralize } from '#base/numbers.js';
import type {
  BoundaryDocument,
  HookRequestLine,
  MessageDocument,
  RequestChange,
  Transform,
} from '#lab/hooks/document.js';
import type { EnvelopeChange, ItemCounts, ItemNames } from '#lab/hooks/envelope-change.js';
import type { HookTroubles } from '#lab/hooks/run-boundary.js';
import { type Block, type Doc, line, span, verbatim } from '#ui/doc/doc.js';
import { renderFact } from './fact-row.js';

/** The changes of the hooks to one request; a brief one has no explanations. */
export function renderHookRequest(request: HookRequestLine, isBrief: boolean): Doc {
  const { number, entryId, answerId, boundaries, refusals, messages, trace } = request;
  const title = [span(`request ${number}`, 'strong'), ` at ${entryId ?? 'the beginning'}`];
  const answered = answerId === null ? '' : `, answered by ${answerId}`;
  const blocks: Block[] = [line(...title, span(answered, 'faint'))];
  for (const [at, { step, what }] of (trace ?? []).entries()) {
    blocks.push(renderFact(`${at + 1} ${step}`, what, TRACE_CELLS));
  }
  const changes = [
    ...messages.flatMap(renderMessage),
    ...boundaries.flatMap((each) => renderBoundary(each, isBrief)),
    ...renderExtension(request),
  ];
  blocks.push(...changes);
  if (changes.length === 0 && trace === undefined) blocks.push(line(span('  nothing changes', 'faint')));
  for (const why of refusals) {
    blocks.push(renderFact('provider', span('rejects the request', 'error')), verbatim(why));
  }
  blocks.push(...renderCache(request));
  return blocks;
}

/** The longest name of a step, with two cells of space after it. */
const TRACE_CELLS = '8 compaction evaluation'.length + 2;

/** The consequences of a failure. */
const CONSEQUENCES = {
  before_request: 'the request is not sent',
  ephemeral: 'the request is not sent',
  turn_end: 'nothing of it is applied; the request was answered before',
} as const;

function renderBoundary(boundary: BoundaryDocument, isBrief: boolean): Doc {
  const { reason, transforms, change, bytes, idempotent } = boundary;
  const blocks: Block[] = [...renderTroubles(reason, boundary, CONSEQUENCES[reason])];
  for (const transform of transforms) {
    blocks.push(renderOps(reason, transform));
    if (!isBrief) blocks.push(...renderDisplay(transform));
  }
  if (change) blocks.push(renderContextChange(change));
  const written = `${pluralize(bytes, 'byte')} in the file${reason === 'ephemeral' ? ', as a log' : ''}`;
  if (bytes > 0) blocks.push(renderFact('', span(written, 'faint')));
  blocks.push(...renderIdempotence(idempotent));
  return blocks;
}

function renderOps(reason: string, { transformerName, patch }: Transform): Block {
  const ops = patch.map(({ op, invalidateCacheReason }) =>
    typeof invalidateCacheReason === 'string' ? `${op} (${invalidateCacheReason})` : op,
  );
  return renderFact(reason, `${transformerName}: ${ops.join(', ')}`);
}

/** Markdown stays plain text: the output of a hook is as untrusted as a session. */
function renderDisplay({ display, rendered }: Transform): Doc {
  if (display === null) return [];
  const { title, summary, markdown } = display;
  const heading = renderFact('', typeof summary === 'string' ? `${title}: ${summary}` : title);
  const text = rendered ?? markdown;
  return typeof text === 'string' ? [heading, verbatim(text, 'markdown')] : [heading];
}

function renderContextChange(change: EnvelopeChange): Block {
  const { system, tools, options, cached, uncached, tokensBefore, tokensAfter } = change;
  const differences = [...formatNames('system', system), ...formatNames('tools', tools)];
  if (options.length > 0) differences.push(`options ${options.join(', ')}`);
  differences.push(...formatCounts('messages', cached), ...formatCounts('uncached', uncached));
  const what = differences.length === 0 ? 'nothing is different afterwards' : differences.join('; ');
  return renderFact('', `${what}; ~${formatCount(tokensBefore)} → ~${formatCount(tokensAfter)} tokens (chars/4)`);
}

const KINDS = ['added', 'removed', 'changed', 'moved'] as const;

function formatNames(what: string, names: ItemNames): readonly string[] {
  const parts = KINDS.flatMap((kind) => (names[kind].length === 0 ? [] : [`${names[kind].join(', ')} ${kind}`]));
  return parts.length === 0 ? [] : [`${what} ${parts.join(', ')}`];
}

function formatCounts(what: string, counts: ItemCounts): readonly string[] {
  const parts = KINDS.flatMap((kind) => (counts[kind] === 0 ? [] : [`${formatCount(counts[kind])} ${kind}`]));
  const kept = counts.kept === 0 ? [] : [`${formatCount(counts.kept)} kept`];
  return parts.length === 0 ? [] : [`${what} ${[...kept, ...parts].join(', ')}`];
}

function renderMessage(message: MessageDocument): Doc {
  const { entryId, role, kind, by, after, idempotent } = message;
  const blocks: Block[] = [...renderTroubles('message', message, 'the message goes on as it was')];
  const fate = kind === 'dropped' ? 'left out' : 'replaced';
  if (kind !== 'none') blocks.push(renderFact('message', `${role} ${entryId ?? ''} ${fate} by ${by.join(', ')}`));
  if (after !== null) blocks.push(renderFact('', JSON.stringify(after.content ?? after)));
  blocks.push(...renderIdempotence(idempotent));
  return blocks;
}

function renderIdempotence(isIdempotent: boolean | null): Doc {
  if (isIdempotent !== false) return [];
  return [renderFact('', span('not idempotent: run on its own result, it changes it again', 'warning'))];
}

/** Failures and violations, which are never truncated. */
function renderTroubles(name: string, { failures, violations }: HookTroubles, consequence: string): Doc {
  const blocks: Block[] = [];
  for (const { hook, message } of failures) {
    blocks.push(renderFact(name, span(`${hook} failed`, 'error')), verbatim(message));
  }
  for (const { hook, rule, op, message } of violations) {
    const what = `${hook} breaks rule ${rule}${op === null ? '' : ` (op ${op})`}`;
    blocks.push(renderFact(name, span(what, 'error')), verbatim(message));
  }
  if (blocks.length > 0) blocks.push(renderFact('', consequence));
  return blocks;
}

/** The calls of handlers of stock Pi that did something, and the messages that the request has differently. */
function renderExtension({ events = [], changes = [], appended = [] }: HookRequestLine): Doc {
  const blocks: Block[] = [];
  for (const { event, hook, what, failure } of events) {
    if (what !== null) blocks.push(renderFact(event, `${hook}: ${what}`, EVENT_CELLS));
    if (failure !== null) {
      blocks.push(renderFact(event, span(`${hook} failed`, 'error'), EVENT_CELLS), verbatim(failure.message));
    }
  }
  if (changes.length > 0) blocks.push(renderFact('sent', describeRequestChanges(changes)));
  if (appended.length > 0) blocks.push(renderFact('appended', appended.map(({ type }) => type).join(', ')));
  return blocks;
}

/** The longest name of an event, with two cells of space after it. */
const EVENT_CELLS = 'session_before_compact'.length + 2;

/** The number of messages that are described one by one. */
const MOST_CHANGES = 8;

function describeRequestChanges(changes: readonly RequestChange[]): string {
  const shown = changes
    .slice(0, MOST_CHANGES)
    .map(({ kind, entryId, role }) => `${role} ${entryId ?? 'of a hook'} ${kind}`);
  if (changes.length > MOST_CHANGES) shown.push(`${formatCount(changes.length - MOST_CHANGES)} more`);
  return shown.join('; ');
}

/** The effect on the cache; nothing if the hooks change nothing. */
function renderCache({ cache }: HookRequestLine): Doc {
  if (cache === null) return [];
  const { promptTokens, newTokens, withoutHooks } = cache;
  const isSame = promptTokens === withoutHooks.promptTokens && newTokens === withoutHooks.newTokens;
  if (isSame) return [];
  const uncached = `~${formatCount(newTokens)} of ~${pluralize(promptTokens, 'token')} uncached`;
  return [renderFact('cache', `${uncached}; without hooks ~${formatCount(withoutHooks.newTokens)}`)];
}
