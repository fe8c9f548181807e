import { spawn } from 'node:child_process'
import { SETTINGS } from '#server/settings.ts'

const SAID_CHARACTERS = 500

/** What a program of the operator gets: everything but the settings of the shop. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  const own = new Set<string>(Object.values(SETTINGS).flatMap(({ name }) => [name, `${name}_FILE`]))
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.has(name)))
}

/**
 * Runs the operator's command, without a shell: words are separated by spaces, and `{}` stands for the folder.
 * @throws Error with what the program said last
 */
export async function copyElsewhere(command: string, folder: string): Promise<void> {
  const [program = '', ...args] = command
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll('{}', folder))
  const child = spawn(program, args, { env: foreignEnvironment(), stdio: ['ignore', 'inherit', 'pipe'] })
  let said = ''
  child.stderr.on('data', (part) => {
    process.stderr.write(part as Buffer)
    said = (said + String(part)).slice(-SAID_CHARACTERS)
  })
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${program} cannot be run: ${error.message}`)))
    child.once('close', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`${program} ended with ${signal ?? code}: ${said.trim() || 'it said nothing'}`)),
    )
  })
}
