import type { ReactNode } from 'react'
import { type ClientLoaderFunctionArgs, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { browserCall } from '#client/browser.ts'
import { policyEndpoints } from '#client/page-endpoints.ts'
import { paths } from '#client/paths.ts'
import { TermsPage } from '#features/policies/screens/policy-pages.tsx'
import { serverCall } from '../context.ts'
import { metaOf } from '../head.ts'

export const loader = ({ context }: LoaderFunctionArgs) => policyEndpoints(serverCall(context)).terms()
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  policyEndpoints(browserCall()).terms(request.signal)

export const meta = metaOf('terms', { path: paths.terms() })

export default function TermsRoute(): ReactNode {
  return <TermsPage policy={useLoaderData<typeof loader>()} />
}
