import { isObject } from '#base/json.js';
import { findSettings } from '#context/replay/settings.js';
import { findWindow, type WindowOptions } from '#context/size/window.js';
import { formatId } from '#session/heads/head.js';
import type { PiView } from '../hook-host.js';
import type { HookedPath } from '../hooked-path.js';

/** The session as an extension sees it at an event. */
export function buildPiView(hooked: HookedPath, window: WindowOptions): PiView {
  const { session, heads } = hooked;
  const { model, thinkingLevel } = findSettings(session, heads);
  const { entries, tokens } = hooked.projection();
  const { system, tools } = hooked.content();
  return {
    branch: heads.map((head) => session.entry(head)),
    header: session.header.fields,
    file: session.file,
    name: findName(hooked),
    projection: entries.map(({ head, messages }) => ({ entryId: formatId(head.id), messages })),
    model: model === null ? null : { provider: model.provider ?? null, id: model.modelId ?? null },
    // Pi has no word for an unknown level.
    thinkingLevel: thinkingLevel === 'unknown' ? 'off' : thinkingLevel,
    contextWindow: findWindow(session, heads, window).tokens,
    tokens,
    systemPrompt: system.compiled,
    tools: tools.map((tool) => ({ ...tool })),
  };
}

function findName({ session, heads }: HookedPath): string | null {
  const info = heads.findLast(({ type }) => type === 'session_info');
  const entry = info ? session.entry(info) : {};
  return isObject(entry) && typeof entry.name === 'string' ? entry.name : null;
}
