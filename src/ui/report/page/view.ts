import type { Store } from './store.js';

/** A tab of the page. */
export interface PageView {
  readonly element: HTMLElement;
  /** Shows the target of a link; null for a link to the view itself. */
  open?(target: string | null): void;
  /** Called before and after printing. */
  redraw?(): void;
}

/** Builds a view, once, when it is first shown. */
export interface ViewDefinition {
  readonly name: string;
  readonly title: string;
  /** Whether the view is always printed. Other views are printed only while they are open. */
  readonly isPrinted: boolean;
  readonly make: (store: Store) => PageView;
}
