import type { ReactNode } from 'react';
import { chooseColor } from './colors.js';
import { useStore } from './store-context.js';

/** The CSS classes of entry names. */
const COLORS: ReadonlyMap<string, string> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['toolResult', 'tool-results'],
  ['system', 'prompt'],
  ['compaction', 'compaction'],
  ['branch_summary', 'compaction'],
  ['context_transform', 'compaction'],
  ['context_edit', 'compaction'],
]);

export function NameTag({ name }: { name: string }): ReactNode {
  return (
    <span className="name" style={chooseColor(COLORS.get(name) ?? 'custom')}>
      {name}
    </span>
  );
}

export function EntryLink({ entry }: { entry: number }): ReactNode {
  const store = useStore();
  if (entry < 0) return <span>no entry</span>;
  return (
    <a className="id" href={store.link(entry)}>
      {store.id(entry)}
    </a>
  );
}

/** A link to what changed before a request; to the request itself if it is the first. */
export function ChangeLink({ request, children }: { request: number; children: ReactNode }): ReactNode {
  return <a href={request === 0 ? '#envelope=1' : `#diff=${request}..${request + 1}`}>{children}</a>;
}
