import type { Head } from '#session/table/head.js';
import type { Tone } from '../doc/doc.js';

type Named = Pick<Head, 'type' | 'role'>;

/** How the name of an entry stands out: what changes the context beyond adding a message does, what does not belong to it steps back. */
export function nameTone(entry: Named): Tone {
  const name = entry.role ?? entry.type ?? '';
  return (Object.hasOwn(TONES, name) ? TONES[name] : undefined) ?? previewTone(entry);
}

/** The same for what an entry holds. */
export function previewTone({ type }: Pick<Head, 'type'>): Tone {
  return type === 'message' || type === 'custom_message' ? 'plain' : 'faint';
}

const TONES: Readonly<Record<string, Tone>> = {
  user: 'messages',
  system: 'system',
  assistant: 'strong',
  toolResult: 'tools',
  compaction: 'warning',
  branch_summary: 'warning',
  context_transform: 'warning',
  context_edit: 'warning',
};
