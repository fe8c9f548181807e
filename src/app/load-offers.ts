import { ApiError } from '#client/api-error.ts'
import type { Api } from '#client/endpoints.ts'
import type { Offer } from '#features/offers/offers.contract.ts'

export interface LoadedOffers {
  offers: Offer[]
  /** Why there are none: the page shows it above an empty list (spec section 2, "Offer list"). */
  error?: string
}

/** The list of offers for a page; a failure becomes its sentence instead of an error page. */
export async function loadOffers(api: Api, signal?: AbortSignal): Promise<LoadedOffers> {
  try {
    return { offers: await api.offers(signal) }
  } catch (error) {
    if (error instanceof ApiError) return { offers: [], error: error.message }
    throw error
  }
}
