import type { ReactNode } from 'react'
import { type ClientLoaderFunctionArgs, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { browserCall } from '#client/browser.ts'
import { policiesApi } from '#features/policies/policies.api.ts'
import { paths } from '#client/paths.ts'
import { TermsPage } from '#features/policies/screens/policy-pages.tsx'
import { serverCall } from '../context.ts'
import { metaOf } from '../head.ts'

export const loader = ({ context }: LoaderFunctionArgs) => policiesApi(serverCall(context)).terms()
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  policiesApi(browserCall()).terms(request.signal)

export const meta = metaOf('terms', { path: paths.terms() })

export default function TermsRoute(): ReactNode {
  return <TermsPage policy={useLoaderData<typeof loader>()} />
}
