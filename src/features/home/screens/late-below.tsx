import {
  type ComponentType,
  type ReactNode,
  Suspense,
  lazy,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
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
  const pressed = useRef<HTMLElement[]>([])
  const isHere = useRef(false)

  useEffect(() => {
    const keep = ({ target }: MouseEvent): void => {
      const button = target instanceof Element && target.closest('button')
      if (button && !isHere.current) pressed.current.push(button)
    }
    const section = place.current
    section?.addEventListener('click', keep, true)
    return () => section?.removeEventListener('click', keep, true)
  }, [])

  // What was pressed before the code was there is done now.
  const pressKept = useCallback(() => {
    isHere.current = true
    for (const button of pressed.current.splice(0)) button.click()
  }, [])
  return (
    <div ref={place} className="contents">
      <Suspense>
        <Below {...props} />
        <WhenHere act={pressKept} />
      </Suspense>
    </div>
  )
}

/** Acts once what is beside it responds. */
function WhenHere({ act }: { act: () => void }): ReactNode {
  useEffect(act, [act])
  return null
}
