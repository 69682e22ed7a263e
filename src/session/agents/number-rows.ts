/** Rows of numbers, which grow. */
export class NumberRows {
  /** The number of rows. */
  length = 0;
  private numbers: Int32Array;

  constructor(
    private readonly columns: number,
    room: number,
  ) {
    this.numbers = new Int32Array(room * columns);
  }

  /** Adds a row, and returns its place. */
  add(row: readonly number[]): number {
    const place = this.length;
    if ((place + 1) * this.columns > this.numbers.length) {
      const { numbers } = this;
      this.numbers = new Int32Array((numbers.length + this.columns) * 2);
      this.numbers.set(numbers);
    }
    this.numbers.set(row, place * this.columns);
    this.length = place + 1;
    return place;
  }

  at(row: number, column: number): number {
    return this.numbers[row * this.columns + column] ?? 0;
  }

  set(row: number, column: number, number: number): void {
    this.numbers[row * this.columns + column] = number;
  }
}
