import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { useRevalidator } from 'react-router'
import { useDeclaration } from './console-context.tsx'
import type { FollowKind } from './screen-declaration.ts'

/** How often an open screen asks again while somebody can see it. */
const ASK_MS: Record<FollowKind, number> = { record: 5_000, list: 15_000, report: 60_000 }

/** A screen asks again by itself at the moment. */
let isAsking = false

/** Responses that nobody asked for, and their parts. */
const unasked = new WeakSet<object>()

const partsOf = (data: unknown): object[] =>
  [data, ...Object.values(data ?? {})].filter((part) => typeof part === 'object' && part !== null)

/** Whether a response came because the screen follows, not because its reader did something. */
export const isUnasked = (data: object): boolean => unasked.has(data)

/**
 * A loader whose response stays when a repetition fails that nobody asked for: a break of the connection must not
 * replace the screen that somebody works in.
 * @param load in such a repetition its last response is given, of which it may keep what need not be asked for again
 */
export function following<Args extends { request: Request }, Data>(
  load: (args: Args, kept?: Data) => Promise<Data>,
): (args: Args) => Promise<Data> {
  let last: { url: string; data: Data } | undefined
  return async (args) => {
    const { url } = args.request
    const kept = isAsking && last?.url === url ? last.data : undefined
    try {
      const data = await load(args, kept)
      last = { url, data }
      if (kept !== undefined) for (const part of partsOf(data)) unasked.add(part)
      return data
    } catch (error) {
      if (kept !== undefined) return kept
      throw error
    }
  }
}

let turn = 0
const listeners = new Set<() => void>()

/** Asks for the data of the screen again, unless nobody can see it. */
export function useAskAgain(): () => void {
  const { revalidate } = useRevalidator()
  return useCallback(() => {
    if (document.visibilityState !== 'visible') return
    turn += 1
    for (const listener of listeners) listener()
    isAsking = true
    void revalidate().finally(() => {
      isAsking = false
    })
  }, [revalidate])
}

/**
 * Asks for the data of the screen again and again while it is visible, for every screen that declares that it follows. What
 * somebody types, the focus and the scroll position stay: only the data of the loader are replaced.
 */
export function useFollow(): void {
  const kind = useDeclaration()?.follows
  const { state } = useRevalidator()
  const ask = useAskAgain()
  useEffect(() => {
    if (!kind || state !== 'idle') return undefined
    const timer = setInterval(ask, ASK_MS[kind])
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [kind, state, ask])
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Changes each time that the screen asks again, for parts of it that ask by themselves. */
export const useTurn = (): number => useSyncExternalStore(subscribe, () => turn)
