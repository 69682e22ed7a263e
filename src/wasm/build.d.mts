export declare const generated: string;
export declare function compiled(): Promise<string>;
