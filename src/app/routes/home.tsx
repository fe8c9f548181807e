import type { ReactNode } from 'react'
import { type LoaderFunctionArgs, type MetaFunction, useLoaderData } from 'react-router'
import { browserApi } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { HomePage } from '#features/home/screens/home-page.tsx'
import { serverApi } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { type LoadedOffers, loadOffers } from '../load-offers.ts'

export const loader = ({ context }: LoaderFunctionArgs): Promise<LoadedOffers> =>
  loadOffers(serverApi(context))

export const clientLoader = ({ request }: { request: Request }): Promise<LoadedOffers> =>
  loadOffers(browserApi(), request.signal)

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'home', { path: paths.home(), isHome: true })

export default function Home(): ReactNode {
  const { offers } = useLoaderData<typeof loader>()
  return <HomePage offers={offers} />
}
