/** Emails to winners about their claims: what they are about, and when they are queued. */
import { enqueueEmail } from '#features/emails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Trx } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { type AttemptId, type ClaimRow, claimsRepository, claimsWrites } from './claims.repository.ts'

/** What happened to a claim, as its winner is told: `received` from the winner, `recorded` by staff from a letter. */
export type ClaimStep = 'received' | 'recorded' | 'checked' | 'awarding' | 'awarded'

/** An attempt as references and keys of emails name it. */
export const refOf = ({ offerId, attempt }: AttemptId): string => `${offerId}.${attempt}`

export const stepKey = (id: AttemptId, told: number): string => `draw-claim-step:${refOf(id)}:${told}`

export const valuesOf = (claim: ClaimRow, language: Language) => ({
  title: textIn(claim.titles, language).text,
  number: padTicketNumber(claim.number, claim.total),
})

/** Whether an email has the files of the receipt. */
export const hasReceipt = (step: ClaimStep): boolean => step === 'received' || step === 'recorded'

/** Tells the winner by email what happened; one without an address gets a letter with the prize. */
export async function tellWinner(trx: Trx, id: AttemptId, step: ClaimStep): Promise<void> {
  const claim = await claimsRepository(trx).find(id)
  if (!claim || claim.known_email === null) return
  const { user_id: userId, known_email: to, language } = claim
  await enqueueEmail(trx, {
    key: stepKey(id, await claimsWrites(trx).countTold(id)),
    kind: 'draw-claim-step',
    to,
    ...(userId !== null && { userId }),
    language,
    subject: translate(language, `drawClaims.emails.${step}.subject`, valuesOf(claim, language)),
    bodyRef: { kind: 'draw-claim-step', ref: `${refOf(id)}.${step}` },
    ...(hasReceipt(step) && { attachments: [{ kind: 'draw-claim', ref: refOf(id) }] }),
    secretLink: { kind: 'draw-claim', ref: refOf(id) },
  })
}
