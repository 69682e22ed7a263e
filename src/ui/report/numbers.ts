/** Gives each value that is met a number, from 0, and the same number to one of the same key. */
export class Numbers<Value> {
  readonly values: Value[] = [];
  private readonly known = new Map<string, number>();

  numberOf(key: string, make: () => Value): number {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const number = this.values.push(make()) - 1;
    this.known.set(key, number);
    return number;
  }
}
