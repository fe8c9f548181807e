import { type ComponentType, type ReactNode, lazy, useEffect, useRef, useState } from 'react'
import { ServerPart } from '#client/server-part.tsx'
import type { BelowProps } from './below.tsx'

let ready: ComponentType<BelowProps> | undefined

async function load(): Promise<{ default: ComponentType<BelowProps> }> {
  ready = (await import('./below.tsx')).Below
  return { default: ready }
}

/** Without its code the page keeps what the server sent, whose links work. */
const Late = lazy(() => load().catch(() => new Promise<never>(() => undefined)))

// The server waits for nothing while it renders.
if (import.meta.env.SSR) await load()

/** For whoever comes to the page from another one: nothing of it is to appear late. */
export const belowIsHere = (): Promise<unknown> => load().catch(() => undefined)

/** What is below the first screens. Its code comes after that of the first screens, which nobody has to wait for. */
export function LateBelow(props: BelowProps): ReactNode {
  const [Below] = useState<ComponentType<BelowProps>>(() => ready ?? Late)
  const place = useRef<HTMLDivElement>(null)
  /** Buttons that were pressed before the code was there. */
  const pressed = useRef<HTMLElement[]>([])
  const isHere = useRef(false)

  useEffect(() => {
    const keep = ({ target }: MouseEvent): void => {
      const button = target instanceof Element && target.closest('button')
      if (button && !isHere.current && place.current?.contains(button)) pressed.current.push(button)
    }
    // Above the element in which React shows the shop: there it stops a press on what it has not yet taken over.
    document.addEventListener('click', keep, true)
    return () => document.removeEventListener('click', keep, true)
  }, [])

  // What was pressed before the code was there is done now, by the same button or one with the same words.
  const pressKept = (): void => {
    isHere.current = true
    const buttons = [...(place.current?.querySelectorAll('button') ?? [])]
    for (const kept of pressed.current.splice(0))
      buttons
        .find((one) => one === kept || (!kept.isConnected && one.textContent === kept.textContent))
        ?.click()
  }
  return (
    <ServerPart place={place} onHere={pressKept}>
      <Below {...props} />
    </ServerPart>
  )
}
