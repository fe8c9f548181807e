import { identify, isSameAlive, type ProcessIdentity } from './identity.ts'

const LOOK_MS = 1_000

/** npm and the bootstrap program, when they started us: see tools/bootstrap.mjs. */
export const findLaunchers = (): ProcessIdentity[] =>
  (process.env.VOLANT_LAUNCHERS ?? '')
    .split(',')
    .filter(Boolean)
    .map((pid) => identify(Number(pid)))

/** Calls `onGone` when npm or the bootstrap program was killed, which leaves nobody to press Ctrl-C. */
export function watchLaunchers(onGone: () => void): void {
  const launchers = findLaunchers()
  const look = setInterval(() => {
    if (launchers.every(isSameAlive)) return
    clearInterval(look)
    onGone()
  }, LOOK_MS)
  look.unref()
}
