import path from 'node:path'

/** A path as the person meant it: npm runs tools in the project's folder. */
export const fromCaller = (file: string): string => path.resolve(process.env.INIT_CWD ?? process.cwd(), file)

/** Tells how many rows each table has. */
export function printCounts(counts: Record<string, number>): void {
  for (const [table, rows] of Object.entries(counts)) console.log(`  ${table.padEnd(24)} ${rows}`)
}

/** Runs a tool; a failure is told in one line and ends the process with 1. */
export async function runTool(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
}
