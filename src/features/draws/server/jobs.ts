import { type Jobs, type Leftovers, MINUTE, SECOND } from '#platform/jobs.ts'
import { drawAdvance } from './advance-draws.ts'
import { appendEntries } from './append-entries.ts'
import { claimTokens, openClaims } from './claims/claims.ts'
import { logWaitingClaims } from './claims/receipts.ts'
import { type ForfeituresDeps, forfeitPrizes } from './claims/forfeitures.ts'
import { sendDrawEmails } from './draw-emails.ts'
import type { DrawsDeps } from './draws-deps.ts'
import { servedVerifiers } from './public/verifiers.routes.ts'
import { publishTerms } from './publish-terms.ts'
import { witnessAsking } from './register/ask-witnesses.ts'
import { verifierRegistration } from './register/verifiers.ts'
import { stampAsking } from './stamps/ask-stamps.ts'
import { deleteOldRehearsals } from './rehearsals/rehearsals.repository.ts'
import { type CheckpointsShop, sendCheckpoints } from './checkpoint-mails.ts'

interface Deps extends Pick<DrawsDeps, 'db'> {
  draws: DrawsDeps
  secret: string
  shop: ForfeituresDeps['shop'] & CheckpointsShop
}

export const drawsJobs = {
  'publish terms of draws': { everyMs: 2 * SECOND, run: ({ draws }) => publishTerms(draws) },
  'append entries': { everyMs: SECOND, run: ({ draws }) => appendEntries(draws) },
  'ask witnesses': { everyMs: SECOND, make: ({ draws }) => witnessAsking(draws) },
  'ask for time stamps': { everyMs: SECOND, make: ({ draws }) => stampAsking(draws) },
  'register verifiers': {
    everyMs: 10 * SECOND,
    make: ({ draws }) => verifierRegistration(draws, servedVerifiers),
  },
  'advance draws': { everyMs: SECOND, make: ({ draws }) => drawAdvance(draws) },
  'send draw emails': { everyMs: 10 * SECOND, run: ({ db }) => sendDrawEmails(db) },
  'handle claims': {
    everyMs: 5 * SECOND,
    async run({ db, secret, draws, shop }) {
      try {
        await openClaims({ db, tokens: claimTokens(secret) })
      } finally {
        try {
          await logWaitingClaims(draws)
        } finally {
          await forfeitPrizes({ ...draws, shop })
        }
      }
    },
  },
  'send draw checkpoints': { everyMs: 10 * MINUTE, run: ({ db, shop }) => sendCheckpoints(db, shop) },
} satisfies Jobs<Deps>

const REHEARSAL_DAYS = 30

export const drawsLeftovers = {
  rehearsals: (db) => deleteOldRehearsals(db, REHEARSAL_DAYS),
} satisfies Leftovers
