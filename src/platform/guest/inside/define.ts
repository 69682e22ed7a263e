/** What a module is asked to do, by name. */
export interface Served {
  /** What is said of it once it is loaded: JSON. */
  readonly loaded: unknown;
  /** undefined: it does nothing of this name. */
  method(name: string): ((...args: readonly unknown[]) => unknown) | undefined;
}
