import { isObject } from '#base/json.js';
import { settingsOf } from '#context/replay/settings.js';
import { windowAt } from '#context/size/size.js';
import { type WindowOptions } from '#context/size/window.js';
import { idText } from '#session/table/head.js';
import type { PiView } from '../define.js';
import type { HookedPath } from '../hooked-path.js';

/** The session as an extension sees it at an event. */
export function viewOf(hooked: HookedPath, window: WindowOptions): PiView {
  const { session, heads } = hooked;
  const { model, thinkingLevel } = settingsOf(session, heads);
  const { entries, tokens } = hooked.projection();
  const { system, tools } = hooked.content();
  return {
    branch: heads.map((head) => session.entry(head)),
    header: session.header.fields,
    file: session.file,
    name: nameOn(hooked),
    projection: entries.map(({ head, messages }) => ({ entryId: idText(head.id), messages })),
    model: model === null ? null : { provider: model.provider ?? null, id: model.modelId ?? null },
    // Pi has no word for an unknown level.
    thinkingLevel: thinkingLevel === 'unknown' ? 'off' : thinkingLevel,
    contextWindow: windowAt(session, heads, window).tokens,
    tokens,
    systemPrompt: system.compiled,
    tools: tools.map((tool) => ({ ...tool })),
  };
}

function nameOn({ session, heads }: HookedPath): string | null {
  const info = heads.findLast(({ type }) => type === 'session_info');
  const entry = info ? session.entry(info) : {};
  return isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : null;
}
