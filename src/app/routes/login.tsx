import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { LoginPage } from '#features/accounts/screens/login-page.tsx'
import { pageHead, shellOf } from '../head.ts'
import { NeedsScripts } from '../needs-scripts.tsx'

await needMessages('account')

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'login', { path: paths.login(), noindex: true })

export default function LoginRoute(): ReactNode {
  return (
    <NeedsScripts>
      <LoginPage />
    </NeedsScripts>
  )
}
