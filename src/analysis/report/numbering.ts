/** Numbers values from 0. Values with the same key have the same number. */
export class Numbering<Value> {
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
