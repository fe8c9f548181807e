/** Where Node finds `name` for the package in `folder`: there or in a folder above. */
export declare function findPackage(packages: object, folder: string, name: string): string | undefined
/** Whether a package of the lock file is for this machine. */
export declare function fits(entry: object): boolean
