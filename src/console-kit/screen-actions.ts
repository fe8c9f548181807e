import { useEffect, useState } from 'react'
import type { Messages } from '#i18n/keys.ts'

/** The actions that the command palette asks for from anywhere, which are those that it has words for. */
export type ActionName = keyof Messages['console']['keys']['actions']

/** What can be done on the screen that is open. */
export type ScreenAction = { run: () => void } & (
  | { label: string }
  /** The command palette has words for it, and asks for it from other screens. */
  | { name: ActionName }
)

const offered = new Map<symbol, readonly ScreenAction[]>()
let asked: { name: ActionName; path: string } | undefined

/** Offers the actions of a part of the screen in the command palette, as long as the part is shown. */
export function useScreenActions(actions: readonly ScreenAction[]): void {
  const [part] = useState(() => Symbol('part of a screen'))
  // Each time it is drawn: what can be done changes with the record.
  useEffect(() => {
    offered.set(part, actions)
    runAsked()
  })
  useEffect(() => () => void offered.delete(part), [part])
}

/** The actions of the screen, in the order of its parts. */
export const screenActions = (): ScreenAction[] => [...offered.values()].flat()

/**
 * Asks for an action of another screen, which runs it once it is there. Nothing of it is in the address: no link from
 * outside can start an action.
 * @param path of the screen, below /admin
 */
export function askScreenAction(name: ActionName, path: string): void {
  asked = { name, path }
  runAsked()
}

/** Another screen than the one that was asked has opened. */
export function dropAskedAction(path: string): void {
  if (asked && asked.path !== path) asked = undefined
}

function runAsked(): void {
  if (!asked || window.location.pathname.replace(/^\/admin/, '') !== asked.path) return
  const { name } = asked
  const action = screenActions().find((one) => 'name' in one && one.name === name)
  if (!action) return
  asked = undefined
  action.run()
}
