import { offersApi } from '#features/offers/offers.api.ts'
import type { ReactNode } from 'react'
import { type LoaderFunctionArgs, type MetaFunction, Outlet, data } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import type { OfferDetail } from '#features/offers/offers.contract.ts'
import { serverCall } from '../context.ts'
import { shellOf } from '../head.ts'
import { offerHead } from '../offer-head.ts'

/** The public head of a contest's page, a separate route: the server renders no data of the guarded page below. */
export async function loader({ context, params }: LoaderFunctionArgs) {
  try {
    return data<OfferDetail | null>(await offersApi(serverCall(context)).offer(params['slug'] ?? ''))
  } catch (error) {
    // Any refusal of an impossible address counts as an unknown contest.
    const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500
    if (isRefused) return data<OfferDetail | null>(null, { status: 404 })
    throw error
  }
}

/** In the browser the page below loads the contest and sets the title. */
export const clientLoader = (): null => null

export const meta: MetaFunction<typeof loader> = ({ matches, loaderData, params }) =>
  offerHead(shellOf(matches), loaderData ?? null, params['slug'] ?? '')

export default function OfferHead(): ReactNode {
  return <Outlet />
}
