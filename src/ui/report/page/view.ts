/** A place in a view, from a link. Each navigation has a place of its own. */
export interface LinkTarget {
  /** The part of the link after the name; null for a link to the view itself. */
  readonly target: string | null;
}

export interface ViewProps {
  readonly place: LinkTarget;
  readonly isShown: boolean;
}
