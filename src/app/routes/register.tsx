import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { RegisterPage } from '#features/accounts/screens/register-page.tsx'
import { pageHead, shellOf } from '../head.ts'
import { NeedsScripts } from '../needs-scripts.tsx'

await needMessages('account')

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'register', { path: paths.register(), noindex: true })

export default function RegisterRoute(): ReactNode {
  return (
    <NeedsScripts>
      <RegisterPage />
    </NeedsScripts>
  )
}
