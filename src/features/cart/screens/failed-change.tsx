import type { ReactNode } from 'react'
import { Alert } from '#ui/alert.tsx'
import type { ChangeFailure, FailureTold } from './use-failure.ts'

/** What could not be done, beside what it was about. No live region: the toast has announced it. */
export function FailedChange({
  failures: { failure },
  about,
}: {
  failures: FailureTold
  about: ChangeFailure['about']
}): ReactNode {
  if (failure?.about !== about) return null
  return (
    <Alert tone="error" title={failure.text}>
      {failure.detail}
    </Alert>
  )
}
