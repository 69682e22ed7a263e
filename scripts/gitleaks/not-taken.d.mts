export declare const NOT_TAKEN: Readonly<Record<string, readonly string[]>>;
