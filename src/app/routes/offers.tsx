import type { ReactNode } from 'react'
import { type LoaderFunctionArgs, type MetaFunction, useLoaderData } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { browserApi } from '#client/browser.ts'
import type { Api } from '#client/endpoints.ts'
import { paths } from '#client/paths.ts'
import { OffersPage } from '#features/offers/screens/offers-page.tsx'
import type { Offer } from '#features/offers/offers.contract.ts'
import { serverApi } from '../context.ts'
import { pageHead, shellOf } from '../head.ts'
import { offerListData } from '../structured-data.ts'

interface Loaded {
  offers: Offer[]
  /** Why there are none: the page shows it above an empty list (spec section 2, "Offer list"). */
  error?: string
}

export const loader = ({ context }: LoaderFunctionArgs): Promise<Loaded> => load(serverApi(context))

export const clientLoader = ({ request }: { request: Request }): Promise<Loaded> =>
  load(browserApi(), request.signal)

async function load(api: Api, signal?: AbortSignal): Promise<Loaded> {
  try {
    return { offers: await api.offers(signal) }
  } catch (error) {
    if (error instanceof ApiError) return { offers: [], error: error.message }
    throw error
  }
}

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData }) => {
  const shell = shellOf(matches)
  return pageHead(shell, 'offers', {
    path: paths.offers(),
    jsonLd: [offerListData(shell, loaderData?.offers ?? [])],
  })
}

export default function Offers(): ReactNode {
  return <OffersPage {...useLoaderData<typeof loader>()} />
}
