export {
  type AnyOfferRow,
  type OfferRow,
  isCancellable,
  lockedOffersOf,
  offersRepository,
  wasUnsealed,
} from './offers.repository.ts'
export { everyDay, paceOf } from '../offer-drafts.rules.ts'
export {
  type PublishTerms,
  cancelOffer,
  cancellationTooLate,
  endDraw,
  insertOffer,
  moveDueOffers,
  moveOffer,
  noteRefunded,
  saleStates,
  sellAgain,
  stopSelling,
} from './offer-moves.repository.ts'
export { offersJobs } from './jobs.ts'
export { askPictures, descriptionApproval, publishedChanges } from './descriptions.ts'
export { offerSearch } from './staff-offers.ts'
export { staffOffersRoutes } from './staff-offers.routes.ts'
export { offersRoutes } from './offers.routes.ts'
export { overPersonLimit, toOffer, whyNotAvailable } from './offer-wire.ts'
export {
  ListIsPublished,
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
