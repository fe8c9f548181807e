import { type Jobs, type Leftovers, SECOND } from '#platform/jobs.ts'
import { makeRenditions } from './make-renditions.ts'
import { deleteUnusedPictures } from './pictures.repository.ts'

export const picturesJobs = {
  'make picture sizes': { everyMs: 2 * SECOND, run: makeRenditions },
} satisfies Jobs

/** For pictures that no offer uses. */
const UNUSED_DAYS = 30

export const picturesLeftovers = {
  pictures: (db, limit) => deleteUnusedPictures(db, UNUSED_DAYS, limit),
} satisfies Leftovers
