import type { EnvelopeContent } from './content.js';

/** Names of the tools that something implements; null where that is not known. */
export type Implemented = readonly string[] | null;

/** The names of the definitions that nothing implements: they are left out of the request. */
export function unimplementedIn(
  { tools }: Pick<EnvelopeContent, 'tools'>,
  implemented: Implemented,
): readonly string[] {
  if (implemented === null) return [];
  const names = new Set(implemented);
  return tools.map(({ name }) => name).filter((name) => !names.has(name));
}

/** Content as it is sent: without the tools of these names. The very same where there are none. */
export function withoutTools<Content extends Pick<EnvelopeContent, 'tools'>>(
  content: Content,
  names: readonly string[],
): Content {
  if (names.length === 0) return content;
  const omitted = new Set(names);
  return { ...content, tools: content.tools.filter(({ name }) => !omitted.has(name)) };
}
