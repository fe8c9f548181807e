import type { ReactNode } from 'react'
import { type LoaderFunctionArgs, type MetaFunction, Outlet, data } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import { serverApi } from '../context.ts'
import { shellOf } from '../head.ts'
import { offerHead } from '../offer-head.ts'

/**
 * The public part of a contest's page: what its head says to search engines and social sites. It is a route of its own
 * because the page below is guarded, and the server renders nothing of guarded data, not even for the head.
 */
export async function loader({ context, params }: LoaderFunctionArgs) {
  try {
    return data<Offer | null>(await serverApi(context).offer(params['slug'] ?? ''))
  } catch (error) {
    // Whatever an address that no contest can have is refused with, to a visitor it is a contest that does not exist.
    const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500
    if (isRefused) return data<Offer | null>(null, { status: 404 })
    throw error
  }
}

/** In the browser the page below loads the contest, and gives the head its title. */
export const clientLoader = (): null => null

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData, params }) =>
  offerHead(shellOf(matches), loaderData ?? null, params['slug'] ?? '')

export default function OfferHead(): ReactNode {
  return <Outlet />
}
