import accountMessages from 'virtual:messages/account'
import type { ReactNode } from 'react'
import { needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { LoginPage } from '#features/accounts/screens/login-page.tsx'
import { metaOf } from '../head.ts'
import { loadWanted } from '../load-wanted.ts'
import { NeedsScripts } from '../needs-scripts.tsx'
import { loadWantedInBrowser, useWanted } from '../wanted.tsx'

await needMessages(accountMessages)

export const loader = loadWanted
export const clientLoader = loadWantedInBrowser

export const meta = metaOf('login', { path: paths.login(), noindex: true })

export default function Login(): ReactNode {
  return (
    <NeedsScripts>
      <LoginPage wanted={useWanted()} />
    </NeedsScripts>
  )
}
