import verifyMessages from 'virtual:messages/verify'
import type { ReactNode } from 'react'
import { type ClientLoaderFunctionArgs, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { browserCall, needMessages } from '#client/browser.ts'
import { drawsApi } from '#features/draws/draws.api.ts'
import { paths } from '#client/paths.ts'
import { VerifyPage } from '#features/draws/screens/verify/verify-page.tsx'
import { serverCall } from '../context.ts'
import { metaOf } from '../head.ts'

await needMessages(verifyMessages)

export const loader = ({ context }: LoaderFunctionArgs) => drawsApi(serverCall(context)).verifiers()
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  drawsApi(browserCall()).verifiers(request.signal)

export const meta = metaOf('verifyDraw', { path: paths.verifyDraw() })

export default function VerifyDrawRoute(): ReactNode {
  return <VerifyPage verifiers={useLoaderData<typeof loader>()} />
}
