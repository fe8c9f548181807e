import type { ReactNode } from 'react'
import { type ClientLoaderFunctionArgs, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { browserApi } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { TermsPage } from '#features/policies/screens/policy-pages.tsx'
import { serverApi } from '../context.ts'
import { metaOf } from '../head.ts'

export const loader = ({ context }: LoaderFunctionArgs) => serverApi(context).terms()
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) => browserApi().terms(request.signal)

export const meta = metaOf('terms', { path: paths.terms() })

export default function TermsRoute(): ReactNode {
  return <TermsPage policy={useLoaderData<typeof loader>()} />
}
