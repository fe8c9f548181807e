import type { ReactNode } from 'react'
import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  useLoaderData,
} from 'react-router'
import { browserApi } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { OffersPage } from '#features/offers/screens/offers-page.tsx'
import { serverApi } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { loadOffers } from '../load-offers.ts'
import { offerListData } from '../structured-data.ts'

export const loader = ({ context }: LoaderFunctionArgs) => loadOffers(serverApi(context))
export const clientLoader = ({ request }: ClientLoaderFunctionArgs) =>
  loadOffers(browserApi(), request.signal)

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData }) => {
  const shell = shellOf(matches)
  const jsonLd = [offerListData(shell, loaderData?.offers ?? [])]
  return pageHead(shell, 'offers', { path: paths.offers(), jsonLd })
}

export default function OffersRoute(): ReactNode {
  return <OffersPage {...useLoaderData<typeof loader>()} />
}
