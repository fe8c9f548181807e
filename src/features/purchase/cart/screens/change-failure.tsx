import { type ReactNode, useState } from 'react'
import type { ApiFailure } from '#client/api-error.ts'
import { toast } from '#client/toast.ts'
import { Alert } from '#ui/alert.tsx'

interface ChangeFailure {
  about: number | 'cart'
  text: string
  detail: string | undefined
}

export type ChangeFailures = ReturnType<typeof useChangeFailure>

/** The last failed change: a toast, and in the page until the next change (WCAG 4.1.3). */
export function useChangeFailure() {
  const [failure, setFailure] = useState<ChangeFailure>()

  function show(about: ChangeFailure['about'], text: string, cause?: ApiFailure): void {
    toast.error(text, cause && { description: cause.message })
    setFailure({ about, text, detail: cause?.message })
  }

  return { failure, show, clear: () => setFailure(undefined) }
}

/** Not a live region, since the toast has announced it. */
export function FailedChange({
  failures: { failure },
  about,
}: {
  failures: ChangeFailures
  about: ChangeFailure['about']
}): ReactNode {
  if (failure?.about !== about) return null
  return (
    <Alert tone="error" title={failure.text}>
      {failure.detail}
    </Alert>
  )
}
