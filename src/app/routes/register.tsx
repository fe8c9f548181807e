import type { ReactNode } from 'react'
import type { MetaFunction } from 'react-router'
import { paths } from '#client/paths.ts'
import { RegisterPage } from '#features/accounts/screens/register-page.tsx'
import { pageHead, shellOf } from '../head.ts'

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'register', { path: paths.register() })

export default function RegisterRoute(): ReactNode {
  return <RegisterPage />
}
