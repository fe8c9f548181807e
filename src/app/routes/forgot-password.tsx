import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { ForgotPasswordPage } from '#features/accounts/screens/forgot-password-page.tsx'
import { pageHead, shellOf } from '../head.ts'
import { NeedsScripts } from '../needs-scripts.tsx'

await needMessages('account')

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'forgotPassword', { path: paths.forgotPassword(), noindex: true })

export default function ForgotPasswordRoute(): ReactNode {
  return (
    <NeedsScripts>
      <ForgotPasswordPage />
    </NeedsScripts>
  )
}
