import { type ReactNode, Suspense, lazy, useEffect, useState } from 'react'
import { whenIdle } from '#client/browser-parts.ts'

const RegisterWatch = lazy(async () => ({
  default: (await import('./verify/register-watch.tsx')).RegisterWatch,
}))

/** What this browser remembers of the shop's register, once the page has nothing else to do. */
export function WatchLate(props: { contest?: string | undefined }): ReactNode {
  const [isIdle, setIdle] = useState(false)
  useEffect(() => whenIdle(() => setIdle(true)), [])
  return (
    isIdle && (
      <Suspense>
        <RegisterWatch {...props} />
      </Suspense>
    )
  )
}
