import { type ReactNode, type RefObject, Suspense, useEffect, useLayoutEffect, useRef } from 'react'

interface ServerPartProps {
  /** The element around the part. */
  place?: RefObject<HTMLDivElement | null>
  /** Called once the part's code is there and responds. */
  onHere?: () => void
  children: ReactNode
}

/**
 * A part of the server's page whose code comes later. React drops such a part at an update that comes before its code, as
 * a press on a link to a place of the page causes one: what the server sent stays in view all the same.
 */
export function ServerPart({ place, onHere, children }: ServerPartProps): ReactNode {
  const own = useRef<HTMLDivElement>(null)
  /** What the server sent, until the code is there. */
  const sent = useRef<readonly ChildNode[]>([])
  const around = place ?? own
  useLayoutEffect(() => {
    sent.current = [...(around.current?.childNodes ?? [])]
  }, [around])
  return (
    <div ref={around} className="contents">
      <Suspense fallback={<Kept sent={sent} />}>
        {children}
        <WhenHere
          act={() => {
            sent.current = []
            onHere?.()
          }}
        />
      </Suspense>
    </div>
  )
}

function Kept({ sent }: { sent: RefObject<readonly ChildNode[]> }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => place.current?.append(...sent.current), [sent])
  return <div ref={place} className="contents" />
}

/** Acts once what is beside it responds. */
function WhenHere({ act }: { act: () => void }): ReactNode {
  const acted = useRef(false)
  useEffect(() => {
    if (acted.current) return
    acted.current = true
    act()
  }, [act])
  return null
}
