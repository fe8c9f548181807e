import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { LogoutPage } from '#features/accounts/screens/logout-page.tsx'
import { pageHead, shellOf } from '../head.ts'
import { NeedsScripts } from '../needs-scripts.tsx'

await needMessages('account')

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'logout', { path: paths.logout(), noindex: true })

export default function LogoutRoute(): ReactNode {
  return (
    <NeedsScripts>
      <LogoutPage />
    </NeedsScripts>
  )
}
