import { useState } from 'react'
import type { ApiFailure } from '#client/api-error.ts'
import { toast } from '#client/toast.ts'

/** A change of the cart that was not made, and what it was about: a line by its id, or the whole cart. */
export interface ChangeFailure {
  about: number | 'cart'
  text: string
  detail: string | undefined
}

export interface FailureTold {
  failure: ChangeFailure | undefined
  tell: (about: ChangeFailure['about'], text: string, cause?: ApiFailure) => void
  forget: () => void
}

/** The last change that failed: told by a toast, and kept in the page until something else is tried (WCAG 4.1.3). */
export function useFailure(): FailureTold {
  const [failure, setFailure] = useState<ChangeFailure>()

  function tell(about: ChangeFailure['about'], text: string, cause?: ApiFailure): void {
    toast.error(text, cause && { description: cause.message })
    setFailure({ about, text, detail: cause?.message })
  }

  return { failure, tell, forget: () => setFailure(undefined) }
}
