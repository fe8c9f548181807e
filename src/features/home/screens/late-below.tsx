import { type ComponentType, type ReactNode, Suspense, lazy, useState } from 'react'
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
  return (
    <Suspense>
      <Below {...props} />
    </Suspense>
  )
}
