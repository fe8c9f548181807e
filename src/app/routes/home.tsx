import homeMessages from 'virtual:messages/home'
import type { ReactNode } from 'react'
import { type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { browserApi, needMessages } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { firstOpen } from '#features/home/screens/open-contests.tsx'
import { HomePage } from '#features/home/screens/home-page.tsx'
import { serverApi, shellContext } from '../context.ts'
import { metaOf } from '../head.ts'
import { type LoadedOffers, asRendered, loadOffers } from '../load-offers.ts'

await needMessages(homeMessages)

export const loader = async ({ context }: LoaderFunctionArgs): Promise<LoadedOffers> => {
  const { offers, ...rest } = asRendered(context.get(shellContext), await loadOffers(serverApi(context)))
  return { ...rest, offers: firstOpen(offers) }
}

export const clientLoader = ({ request }: { request: Request }): Promise<LoadedOffers> =>
  loadOffers(browserApi(), request.signal)

export const meta = metaOf('home', { path: paths.home(), isHome: true })

export default function Home(): ReactNode {
  const { offers } = useLoaderData<typeof loader>()
  return <HomePage offers={offers} />
}
