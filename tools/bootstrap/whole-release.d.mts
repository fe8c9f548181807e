export declare const LIST: string
export declare function isRelease(root: string): boolean
export declare function releaseFault(root: string): string | undefined
