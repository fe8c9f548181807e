export { type OfferRow, offersRepository } from './offers.repository.ts'
export { offersRoutes } from './offers.routes.ts'
export { offerEnded, toOffer, whyNotAvailable } from './offer-wire.ts'
