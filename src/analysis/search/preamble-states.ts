import { once } from '#base/memoize.js';
import type { OpenSession } from '#context/open.js';
import { walk } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import type { ContextState } from './context-changes.js';
import { buildTextForm, listDeclaredTexts } from './text-form.js';

/** The prompt and the tools after each entry of the path that can change them, without messages. */
export function listPreambleStates(session: OpenSession, path: readonly Head[]): readonly ContextState[] {
  const { heads } = session.tree;
  const states: ContextState[] = [];
  for (const step of walk(session, path, { messages: 'none' }).steps) {
    const { head, index: at } = step;
    if (!DECLARE.has(head.role === 'system' ? 'system' : head.type)) continue;
    if (head.type === 'context_edit' && heads.roleAt(heads.targetAt(head.index)) !== 'system') continue;
    const content = step.take().declared();
    states.push({ by: head, at, form: once(() => buildTextForm(listDeclaredTexts(content))) });
  }
  return states;
}

const DECLARE: ReadonlySet<string | null> = new Set(['system', 'compaction', 'context_transform', 'context_edit']);
