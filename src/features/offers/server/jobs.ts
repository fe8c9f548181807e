import { type Jobs, SECOND } from '#platform/jobs.ts'
import { moveDueOffers } from './offer-moves.repository.ts'

export const offersJobs = {
  'open and close contests': { everyMs: 2 * SECOND, run: moveDueOffers },
} satisfies Jobs
