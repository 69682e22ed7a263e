/** The methods of a module, by name. */
export interface ServedModule {
  /** The module's description of itself after loading: JSON. */
  readonly loaded: unknown;
  /** undefined if it has no method of this name. */
  method(name: string): ((...args: readonly unknown[]) => unknown) | undefined;
}
