import { type ParseArgsConfig, parseArgs } from 'node:util'

export const say = (line = ''): void => void process.stdout.write(`${line}\n`)

/** An end that a person can understand without a stack trace. */
export class PlainError extends Error {
  override name = 'PlainError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

type Parsed<Config extends ParseArgsConfig> = ReturnType<typeof parseArgs<Config>>

/** Ends the tool as one that was called the wrong way. */
export function endWithUsage(usage: string): never {
  console.error(`Usage: ${usage}`)
  process.exit(2)
}

/** What the command line asks for. An option that the tool does not know ends it with its usage, before it does anything. */
export function readOptions<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): Parsed<Config> {
  try {
    return parseArgs(config)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error
    console.error(message.split('. ')[0])
    return endWithUsage(usage)
  }
}
