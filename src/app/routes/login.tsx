import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { paths } from '#client/paths.ts'
import { LoginPage } from '#features/accounts/screens/login-page.tsx'
import { pageHead, shellOf } from '../head.ts'

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'login', { path: paths.login() })

export default function LoginRoute(): ReactNode {
  return <LoginPage />
}
