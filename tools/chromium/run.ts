import { spawn } from 'node:child_process'

/** Runs a program with its output shown; rejects when it fails. */
export function run(program: string, args: string[], env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${program}: ${error.message}`)))
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ${args.join(' ')} failed with code ${code}`)),
    )
  })
}

/** Tries again after 2 and 4 seconds: mirrors hiccup, and another apt may hold its lock. */
export async function withRetries(work: () => Promise<void>): Promise<void> {
  for (const pause of [2_000, 4_000]) {
    try {
      return await work()
    } catch (error) {
      console.log(`${error instanceof Error ? error.message : String(error)}; trying again …`)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return work()
}
