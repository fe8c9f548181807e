/** Tells the person at the terminal what happens. */
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
