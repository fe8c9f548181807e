export { type OfferRow, insertOffer, offersRepository } from './offers.repository.ts'
export { offersRoutes } from './offers.routes.ts'
export { offerEnded, toOffer, whyNotAvailable } from './offer-wire.ts'
export {
  type SoldOffer,
  type Wanted,
  holdTickets,
  releaseTickets,
  sellFree,
  sellHeld,
} from './capacity.repository.ts'
