import type { ApiCall } from '#client/api-call.ts'
import type { Offer, OfferDetail } from './offers.contract.ts'

export const offersApi = (call: ApiCall) => ({
  /** Anything but an array counts as no offers (spec section 7). */
  offers: async (signal?: AbortSignal): Promise<Offer[]> => {
    const offers = await call<Offer[]>('GET', '/api/offers/', signal && { signal })
    return Array.isArray(offers) ? offers : []
  },
  offer: (slug: string, signal?: AbortSignal) =>
    call<OfferDetail>('GET', `/api/offers/${encodeURIComponent(slug)}/`, signal && { signal }),
})
