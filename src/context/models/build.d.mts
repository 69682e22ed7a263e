/** The generated file. */
export declare const dataFile: string;
export declare function dataText(): Promise<string>;
