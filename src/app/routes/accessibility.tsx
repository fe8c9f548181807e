import type { ReactNode } from 'react'
import { type ClientLoaderFunctionArgs, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { browserApi } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { AccessibilityPage } from '#features/policies/screens/policy-pages.tsx'
import { serverApi } from '../context.ts'
import { metaOf } from '../head.ts'

export const loader = ({ context }: LoaderFunctionArgs) => serverApi(context).accessibility()
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  browserApi().accessibility(request.signal)

export const meta = metaOf('accessibility', { path: paths.accessibility() })

export default function AccessibilityRoute(): ReactNode {
  return <AccessibilityPage statement={useLoaderData<typeof loader>()} />
}
