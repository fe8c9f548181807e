import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { ResetPasswordPage } from '#features/accounts/screens/reset-password-page.tsx'
import { pageHead, shellOf } from '../head.ts'
import { NeedsScripts } from '../needs-scripts.tsx'

await needMessages('account')

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'resetPassword', { path: paths.resetPassword(), noindex: true })

export default function ResetPasswordRoute(): ReactNode {
  return (
    <NeedsScripts>
      <ResetPasswordPage />
    </NeedsScripts>
  )
}
