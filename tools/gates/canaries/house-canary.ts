/** The smallest tree that breaks one house rule, beside what is right, and what the rule must then say. */
export type HouseCanary = { files: Record<string, string>; findings: string[] }
