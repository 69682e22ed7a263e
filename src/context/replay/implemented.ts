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

/** Which tools of what is declared are sent. */
export class SentTools {
  private last: {
    readonly declared: EnvelopeContent;
    readonly omitted: number;
    readonly sent: EnvelopeContent;
  } | null = null;

  /** `supplied`: names of the tools that something implements. */
  constructor(private readonly supplied: readonly string[] | undefined) {}

  /** Without names that are supplied, those that the session declares: Pi had them. null where it declares none. */
  implemented(recorded: ReadonlySet<string>): Implemented {
    return this.supplied ?? (recorded.size === 0 ? null : [...recorded]);
  }

  /** What is declared as it is sent: the same object until something changes. */
  asSent(declared: EnvelopeContent, recorded: ReadonlySet<string>): EnvelopeContent {
    const names = unimplementedIn(declared, this.implemented(recorded));
    if (this.last?.declared !== declared || this.last.omitted !== names.length)
      this.last = { declared, omitted: names.length, sent: withoutTools(declared, names) };
    return this.last.sent;
  }
}
