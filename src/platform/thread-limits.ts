import v8 from 'node:v8'

/**
 * Gives worker threads the limits that each is started with. Options of Node for the memory of this process, which has
 * taken them by now, would replace those.
 */
export function leaveThreadsTheirLimits(): void {
  for (const option of ['--max-old-space-size=0', '--max-semi-space-size=0']) v8.setFlagsFromString(option)
}
