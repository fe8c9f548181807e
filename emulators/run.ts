interface Read<Options> {
  options: Options
  /** What is wrong with the settings. */
  wrong: readonly string[]
}

/**
 * Runs an emulator as a program: says where it listens, ends it on SIGINT and SIGTERM, and says what prevents a start.
 * @param port the one it uses when no setting names another
 */
export async function runEmulator<Options extends { port?: number }>(
  name: string,
  { options, wrong }: Read<Options>,
  port: number,
  start: (options: Options) => Promise<{ url: string; close: () => Promise<void> }>,
): Promise<void> {
  if (wrong.length > 0) {
    console.error(
      `${name}: ${wrong.length} setting(s) cannot be used\n${wrong.map((line) => `  ${line}`).join('\n')}`,
    )
    process.exit(1)
  }
  try {
    const started = start(options)
    // Whoever reads that it listens may end it in the same moment.
    const end = () => void started.then((emulator) => emulator.close()).then(() => process.exit(0))
    process.once('SIGINT', end)
    process.once('SIGTERM', end)
    console.log(`listening on ${(await started).url}`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const used = options.port ?? port
    if (code === 'EADDRINUSE')
      console.error(`${name}: port ${used} is taken. Set PORT (or --port) to a free one.`)
    else if (code === 'EACCES')
      console.error(`${name}: not allowed to use port ${used} or the file of STATE_FILE. ${String(error)}`)
    else console.error(`${name}:`, message)
    process.exit(1)
  }
}
