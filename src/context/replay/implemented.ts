import type { EnvelopeContent } from './content.js';

/** Names of the implemented tools; null if unknown. */
export type Implemented = readonly string[] | null;

/** The names of the definitions without an implementation: they are omitted from the request. */
export function unimplementedIn(
  { tools }: Pick<EnvelopeContent, 'tools'>,
  implemented: Implemented,
): readonly string[] {
  if (implemented === null) return [];
  const names = new Set(implemented);
  return tools.map(({ name }) => name).filter((name) => !names.has(name));
}

/** The content as it is sent, without the tools of these names; the same object if there are none. */
export function withoutTools<Content extends Pick<EnvelopeContent, 'tools'>>(
  content: Content,
  names: readonly string[],
): Content {
  if (names.length === 0) return content;
  const omitted = new Set(names);
  return { ...content, tools: content.tools.filter(({ name }) => !omitted.has(name)) };
}

/** Selects the declared tools that are sent. */
export class SentTools {
  private last: {
    readonly declared: EnvelopeContent;
    readonly omitted: number;
    readonly sent: EnvelopeContent;
  } | null = null;

  /** `supplied`: names of the implemented tools. */
  constructor(private readonly supplied: readonly string[] | undefined) {}

  /** By default, the tools that the session declares, since Pi had them. null if it declares none. */
  implemented(recorded: ReadonlySet<string>): Implemented {
    return this.supplied ?? (recorded.size === 0 ? null : [...recorded]);
  }

  /** The declared content as it is sent: the same object until it changes. */
  asSent(declared: EnvelopeContent, recorded: ReadonlySet<string>): EnvelopeContent {
    const names = unimplementedIn(declared, this.implemented(recorded));
    if (this.last?.declared !== declared || this.last.omitted !== names.length)
      this.last = { declared, omitted: names.length, sent: withoutTools(declared, names) };
    return this.last.sent;
  }
}
