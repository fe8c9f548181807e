export {
  type OfferRow,
  cancelOffer,
  insertOffer,
  lockedOffersOf,
  offersRepository,
} from './offers.repository.ts'
export { offersRoutes } from './offers.routes.ts'
export { toOffer, whyNotAvailable } from './offer-wire.ts'
export {
  type SoldOffer,
  type Wanted,
  anyLocked,
  holdTickets,
  holding,
  lockedElsewhere,
  releaseTickets,
  sellFree,
  sellHeld,
  sellToPost,
} from './capacity.repository.ts'
