import type { ReactNode } from 'react'
import { type ClientLoaderFunctionArgs, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { browserCall } from '#client/browser.ts'
import { policiesApi } from '#features/policies/policies.api.ts'
import { paths } from '#client/paths.ts'
import { AccessibilityPage } from '#features/policies/screens/policy-pages.tsx'
import { serverCall } from '../context.ts'
import { metaOf } from '../head.ts'

export const loader = ({ context }: LoaderFunctionArgs) => policiesApi(serverCall(context)).accessibility()
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  policiesApi(browserCall()).accessibility(request.signal)

export const meta = metaOf('accessibility', { path: paths.accessibility() })

export default function AccessibilityRoute(): ReactNode {
  return <AccessibilityPage statement={useLoaderData<typeof loader>()} />
}
