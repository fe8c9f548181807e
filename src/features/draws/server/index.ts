export { appendEntries } from './append-entries.ts'
export { drawAdvance, noteCancellation } from './advance-draws.ts'
export type { DrawsDeps } from './draws-deps.ts'
export { awaitedDraws } from './draw-page.ts'
export { drawFilesRoutes } from './public/draw-files.routes.ts'
export { drawsRoutes } from './draws.routes.ts'
export { type DrawEmailShop, posterKeys, sendDrawEmails, writeDrawEmail } from './draw-emails.ts'
export { verifiersRoutes } from './public/verifiers.routes.ts'
export { publicDrawsRepository } from './public/public-draws.repository.ts'
export { publicDrawsRoutes } from './public/public-draws.routes.ts'
export { logOfAnotherKey } from './draw-logs.ts'
export { type LogKey, logKeyOf } from './log-key.ts'
export { publishTerms, publishTermsOf } from './publish-terms.ts'
export { ticketCommitment } from './sha256.ts'
export { claimsPersonalData } from './claims/claims-personal-data.ts'
export { eraseOldClaims, hasOpenPrize } from './claims/claims.repository.ts'
export { claimsRoutes } from './claims/claims.routes.ts'
export { awardApproval } from './claims/claims-staff.ts'
export { staffClaimsRoutes } from './claims/claims-staff.routes.ts'
export { type ForfeituresDeps, forfeitApproval, forfeitPrizes } from './claims/forfeitures.ts'
export { leafText } from '../protocol/leaves.ts'
export { checkpointMailFile, sendCheckpoints } from './witnesses/checkpoint-mails.ts'
export { beaconRoutes } from './beacon.routes.ts'
export { type BeaconsDeps, beaconApproval } from './replace-beacon.ts'
export { witnessesRoutes } from './witnesses/witnesses.routes.ts'
export { letterPrinted, letterSent, winnerByLetter } from './claims/winner-letters.ts'
export {
  type ClaimTokens,
  claimTokens,
  openClaims,
  posterClaimKeys,
  writeClaimEmail,
  writeStepEmail,
} from './claims/claims.ts'
export { deleteOldRehearsals } from './rehearsals/rehearsals.repository.ts'
export { rehearsalFilesRoutes, staffRehearsalsRoutes } from './rehearsals/rehearsals.routes.ts'
