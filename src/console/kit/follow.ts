import { useEffect, useSyncExternalStore } from 'react'
import { useMatches, useRevalidator } from 'react-router'

/** How often an open screen asks again while somebody can see it. */
const ASK_MS = 5_000

/** A screen that shows what happens meanwhile. */
interface Follower {
  follows?: true
}

/** A screen asks again by itself at the moment. */
let isAsking = false

/**
 * A loader whose answer stays when a repetition fails that nobody asked for: a break of the connection must not replace
 * the screen that somebody works in.
 */
export function following<Args extends { request: Request }, Data>(
  load: (args: Args) => Promise<Data>,
): (args: Args) => Promise<Data> {
  let last: { url: string; data: Data } | undefined
  return async (args) => {
    const { url } = args.request
    try {
      const data = await load(args)
      last = { url, data }
      return data
    } catch (error) {
      if (isAsking && last?.url === url) return last.data
      throw error
    }
  }
}

let turn = 0
const listeners = new Set<() => void>()

/**
 * Asks for the data of the screen again and again while it is visible, for every screen whose route says `follows`. What
 * somebody types, the focus and the scroll position stay: only the data of the loaders are replaced.
 */
export function useFollow(): void {
  const isFollowing = useMatches().some(({ handle }) => (handle as Follower | undefined)?.follows)
  const { revalidate, state } = useRevalidator()
  useEffect(() => {
    if (!isFollowing || state !== 'idle') return undefined
    const ask = (): void => {
      if (document.visibilityState !== 'visible') return
      turn += 1
      for (const listener of listeners) listener()
      isAsking = true
      void revalidate().finally(() => {
        isAsking = false
      })
    }
    const timer = setInterval(ask, ASK_MS)
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [isFollowing, state, revalidate])
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Changes each time that the screen asks again, for parts of it that ask by themselves. */
export const useTurn = (): number => useSyncExternalStore(subscribe, () => turn)
