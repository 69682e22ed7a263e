import type { JsonObject } from '#base/json.js';
import { EMPTY_ENVELOPE } from '#context/replay/envelope.js';
import { withParts } from '#context/replay/system.js';
import type { CacheTtl } from '#engines/injectors/cache-breakpoints.js';
import type { RequestToExport } from './define.js';
import { wellFormed } from './payload.js';

type Marker = { readonly cache_control: { readonly type: 'ephemeral'; readonly ttl?: CacheTtl } };

/** Five minutes, as Pi writes it. */
const CACHED: Marker = { cache_control: { type: 'ephemeral' } };

/** A marker of the Messages API; an hour needs the beta header `extended-cache-ttl-2025-04-11` with older models. */
function markerOf(ttl: CacheTtl): Marker {
  return { cache_control: { type: 'ephemeral', ttl } };
}

type Cached = Pick<RequestToExport, 'envelope' | 'breakpoints'>;

/** The system prompt in blocks, each of which ends at a breakpoint; one block with Pi's marker without breakpoints. */
export function cachedSystem({ envelope, breakpoints }: Cached): readonly JsonObject[] {
  const { parts, compiled } = envelope.system;
  if (compiled === '') return [];
  if (!breakpoints) return [{ type: 'text', text: wellFormed(compiled), ...CACHED }];
  const blocks: JsonObject[] = [];
  let from = 0;
  for (const { at, ttl } of breakpoints.filter(({ place }) => place === 'system')) {
    const end = withParts(EMPTY_ENVELOPE, parts.slice(0, at + 1)).system.compiled.length;
    if (end > from) blocks.push({ type: 'text', text: wellFormed(compiled.slice(from, end)), ...markerOf(ttl) });
    from = Math.max(from, end);
  }
  const rest = compiled.slice(from);
  return rest === '' ? blocks : [...blocks, { type: 'text', text: wellFormed(rest) }];
}

/** The marker of a tool. */
export function markerOfTool({ envelope, breakpoints }: Cached, at: number): Marker | Record<string, never> {
  const found = breakpoints?.find((each) => each.place === 'tools' && each.at === at);
  if (found) return markerOf(found.ttl);
  return !breakpoints && at === envelope.tools.length - 1 ? CACHED : {};
}

/** Messages with markers at their breakpoints, or as Pi sets one: at the newest message of the user. */
export function cachedMessages(
  messages: readonly JsonObject[],
  { envelope, breakpoints }: Cached,
): readonly JsonObject[] {
  if (!breakpoints)
    return messages.at(-1)?.['role'] === 'user' ? marked(messages, messages.length - 1, CACHED) : messages;
  const { cached, uncached } = envelope.messages;
  const last = cached.length + uncached.length - 1;
  return breakpoints
    .filter(({ place }) => place === 'messages')
    .reduce<readonly JsonObject[]>((all, { at, ttl }) => {
      // Results are put together and failed answers dropped, but not at the beginning, nor after the conversation.
      const place = at === 0 ? 0 : all.length - 1 - (last - at);
      return marked(all, place, markerOf(ttl));
    }, messages);
}

function marked(messages: readonly JsonObject[], place: number, marker: Marker): readonly JsonObject[] {
  return messages.map((message, at) => {
    if (at !== place) return message;
    const { content } = message;
    const blocks: readonly JsonObject[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
    // Thinking cannot have a marker.
    const end = blocks.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
    return { ...message, content: blocks.map((block, nth) => (nth === end ? { ...block, ...marker } : block)) };
  });
}
