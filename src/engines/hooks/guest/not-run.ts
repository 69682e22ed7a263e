/** The names of what an extension registered or called that has no effect without an agent, each once. */
export class NotRun {
  private readonly names = new Set<string>();
  private isLoaded = false;

  add(name: string): void {
    this.names.add(name);
  }

  /** Notes a call of a stand-in, which has an effect on a handler only: while a module loads, it builds schemas and classes. */
  called(name: string): void {
    if (this.isLoaded) this.names.add(name);
  }

  endLoading(): void {
    this.isLoaded = true;
  }

  list(): readonly string[] {
    return [...this.names];
  }
}
