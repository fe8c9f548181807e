import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ClaimParams, ClaimSummary } from '#features/draws/claims.contract.ts'
import { letterPrinted, letterSent } from '#features/draws/server/index.ts'
import { formatDay } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database } from '#platform/database.ts'
import { inThread } from '#platform/documents/documents.ts'
import { staffOf } from '#platform/http/request.ts'
import type { LinkTokens } from '#platform/link-tokens.ts'
import type { Clock } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import { dayOf } from '../postal.rules.ts'
import type { LetterShop, lettersPdf as draw } from './letter.ts'
import { type WinnerLetterShop, winnerLetter } from './winner-letters.ts'

export interface WinnerLettersOptions {
  db: Database
  clock: Clock
  tokens: LinkTokens
  shop: WinnerLetterShop & LetterShop
}

const lettersPdf = inThread<typeof draw>(new URL('./letter.ts', import.meta.url), 'lettersPdf')

/** The letter that tells somebody without an email address of a prize, and that it was sent. */
export const winnerLettersRoutes =
  ({ db, clock, tokens, shop }: WinnerLettersOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const letter = '/api/staff/draws/:id/claims/:attempt/letter/'
    const config = { permits: 'draws.claims' } as const
    const schema = { tags: ['staff'], params: ClaimParams }

    app.post(letter, { config, schema }, async (request, reply) => {
      const actor = staffOf(request)
      const winner = { offerId: request.params.id, attempt: request.params.attempt }
      const now = clock()
      const date = formatDay(dayOf(now, shop.timeZone))
      const one = await winnerLetter(db, winner, { shop, tokens, date })
      if (!one) throw new Refusal('claim.noLetter', 409, 'consoleDraws.refusals.noLetter')
      const { brand, companyName, companyAddress, letterWindow } = shop
      const title = translate(request.language, 'postal.letters.title', {
        count: 1,
        number: one.message.number ?? '',
      })
      const settings = { brand, companyName, companyAddress, letterWindow }
      const pdf = await lettersPdf(`staff ${actor.userId}`, [one], title, request.language, now, settings)
      await letterPrinted(db, winner, actor)
      return reply
        .type('application/pdf')
        .header(
          'content-disposition',
          `inline; filename="${translate(request.language, 'postal.letters.fileName')}.pdf"`,
        )
        .header('content-language', request.language)
        .send(pdf)
    })

    app.post(
      `${letter}sent/`,
      { config, schema: { ...schema, response: { 200: ClaimSummary } } },
      (request) =>
        letterSent(db, { offerId: request.params.id, attempt: request.params.attempt }, staffOf(request)),
    )
  }
