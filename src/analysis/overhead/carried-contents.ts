import { contentKey } from '#context/contents/contents.js';
import type { ContentKind, ContentLabel } from '#context/contents/kinds.js';
import type { PlacedContent } from '#context/size/growing-contents.js';
import { addCarried, type CarriedSums, NOTHING_CARRIED, priceCarried } from './carried-sums.js';
import type { PromptPrice } from './prompt-price.js';

/** The kinds of contents that an agent sends by itself, and that a setting removes. */
export const CARRIED_KINDS = [
  'memory files',
  'tools',
  'skills',
  'agents',
  'hooks',
] as const satisfies readonly ContentKind[];
export type CarriedKind = (typeof CARRIED_KINDS)[number];

/** One content in the requests of a session. */
export interface CarriedContent extends ContentLabel {
  readonly kind: CarriedKind;
  readonly sums: CarriedSums;
  /** The sums by skill, agent or tool. The key null has the sums of what belongs to none. */
  readonly items: ReadonlyMap<string | null, CarriedSums>;
  /** The texts that came into the context: one for each run of a hook. */
  readonly texts: number;
}

interface GrowingContent extends ContentLabel {
  readonly kind: CarriedKind;
  sums: CarriedSums;
  readonly items: Map<string | null, CarriedSums>;
  texts: number;
}

/** Sums up the contents of the requests of a session. */
export class CarriedContents {
  private readonly contents = new Map<string, GrowingContent>();
  /**
   * The texts of each content in the newest request. One that left the context counts its texts again when it returns.
   */
  private newestTexts: ReadonlyMap<string, number> = new Map();

  list(): readonly CarriedContent[] {
    return [...this.contents.values()];
  }

  /** Takes the contents of the next request, each once. */
  take(contents: readonly PlacedContent<CarriedKind>[], price: PromptPrice): void {
    for (const content of contents) this.add(content, price);
    this.newestTexts = new Map(contents.map((content) => [contentKey(content), content.texts]));
  }

  private add({ kind, name, tokens, items, texts, cachedOf }: PlacedContent<CarriedKind>, price: PromptPrice): void {
    const key = contentKey({ kind, name });
    const content = this.contents.get(key) ?? { kind, name, sums: NOTHING_CARRIED, items: new Map(), texts: 0 };
    this.contents.set(key, content);
    const cached = cachedOf(price.read);
    content.sums = addCarried(content.sums, priceCarried(tokens, cached, price));
    for (const [item, own] of items) {
      if (own === 0) continue;
      const carried = priceCarried(own, (cached * own) / tokens, price);
      content.items.set(item, addCarried(content.items.get(item) ?? NOTHING_CARRIED, carried));
    }
    content.texts += Math.max(0, texts - (this.newestTexts.get(key) ?? 0));
  }
}
