export declare const NODE_PACKAGE: string
