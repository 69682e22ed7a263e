export declare function translated(source: string): {
  readonly pattern?: string;
  readonly anchors?: readonly string[];
  readonly names?: readonly string[];
  readonly value?: string;
  readonly example: string;
};
