import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { browserApi } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { TermsPage } from '#features/policies/screens/policy-pages.tsx'
import { serverApi } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'

export const loader = ({ context }: LoaderFunctionArgs) => serverApi(context).terms()
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) => browserApi().terms(request.signal)

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'terms', { path: paths.terms() })

export default function TermsRoute(): ReactNode {
  return <TermsPage policy={useLoaderData<typeof loader>()} />
}
