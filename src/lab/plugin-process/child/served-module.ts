/** The methods of a module, by name. */
export interface ServedModule {
  /** Its description after loading: JSON. */
  readonly loaded: unknown;
  /** undefined if it has no method of this name. */
  method(name: string): ((...args: readonly unknown[]) => unknown) | undefined;
}
