import { didYouMean } from '#base/suggestion.js';
import { PI_VERSION } from '../events.js';

/** The names of what an extension registered or called that has no effect without an agent, each once. */
export class UnsupportedCalls {
  private readonly names = new Set<string>();
  /** Names that the module read and Pi does not have, with those of the same object that it has. */
  private readonly missing = new Map<string, readonly string[]>();
  private isLoaded = false;

  add(name: string): void {
    this.names.add(name);
  }

  /**
   * Notes a call of a stand-in, which has an effect on a handler only: while a module loads, it builds schemas and
   * classes.
   */
  noteCall(name: string): void {
    if (this.isLoaded) this.names.add(name);
  }

  noteMissing(name: string, names: readonly string[]): void {
    this.missing.set(name, names);
  }

  /**
   * Wraps a function of the module: the error for a call of what Pi does not have ends with the name that was meant.
   */
  explainErrorsOf<Args extends readonly unknown[]>(
    act: (...args: Args) => unknown,
  ): (...args: Args) => Promise<unknown> {
    return async (...args) => {
      try {
        return await act(...args);
      } catch (error) {
        throw this.explainError(error);
      }
    };
  }

  private explainError(error: unknown): unknown {
    if (!(error instanceof TypeError)) return error;
    const [, name = ''] = /(\w+) is not a function$/.exec(error.message) ?? [];
    const names = this.missing.get(name);
    if (names) error.message += `; ${didYouMean(name, names, `Pi ${PI_VERSION} does not have it`)}`;
    return error;
  }

  endLoading(): void {
    this.isLoaded = true;
  }

  list(): readonly string[] {
    return [...this.names];
  }
}
