import { useEffect, useState } from 'react'
import type { NewNumbers } from './new-numbers.tsx'

/** A rare part of two pages, loaded once it is wanted; undefined until then, and where it cannot be loaded. */
export function useNewNumbers(wanted: boolean): typeof NewNumbers | undefined {
  const [Part, setPart] = useState<typeof NewNumbers>()
  useEffect(() => {
    if (!wanted) return
    import('./new-numbers.tsx').then(
      (module) => setPart(() => module.NewNumbers),
      () => undefined,
    )
  }, [wanted])
  return Part
}
