import type { Store } from './store.js';

/** A part of the page that is shown by itself. */
export interface PageView {
  readonly element: HTMLElement;
  /** Shows what a link names; null where it names nothing but the view. */
  open?(target: string | null): void;
  /** It is about to be printed, or was. */
  redraw?(): void;
}

/** How a view is made, once, when it is first looked at. */
export interface ViewDefinition {
  readonly name: string;
  readonly title: string;
  /** Printed with the rest; of the others only what is open when somebody prints. */
  readonly isPrinted: boolean;
  readonly make: (store: Store) => PageView;
}
