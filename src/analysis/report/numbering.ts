/** Numbers values from 0. Values with the same key have the same number. */
export class Numbering<Value> {
  readonly values: Value[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(key: string, make: () => Value): number {
    const existing = this.numbers.get(key);
    if (existing !== undefined) return existing;
    const number = this.values.push(make()) - 1;
    this.numbers.set(key, number);
    return number;
  }
}
