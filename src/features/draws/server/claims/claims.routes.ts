import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { SlugParams } from '#features/offers/offers.contract.ts'
import { callerOf } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { LinkTokens } from '#platform/link-tokens.ts'
import {
  Claim,
  ClaimForm,
  ClaimTokenBody,
  ConsentForm,
  TokenClaimBody,
  TokenConsentBody,
} from '../../claims.contract.ts'
import type { DrawsDeps } from '../draws-deps.ts'
import { changeConsents, claimOfLink, readClaim, submitClaim } from './claims.ts'

export interface ClaimsRoutesOptions extends Pick<DrawsDeps, 'db' | 'key'> {
  tokens: LinkTokens
  limits: { claims: Limit }
}

/**
 * The claim of a prize, by the secret link of the winner's email, or by the account that has the number. The secret is in
 * bodies, which no log has.
 */
export const claimsRoutes =
  ({ db, key, tokens, limits }: ClaimsRoutesOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const response = { 200: Claim }
    const tags = ['draws']

    const byLink = { auth: 'ignored' } as const
    app.post(
      '/api/claims/read/',
      { config: byLink, schema: { tags, body: ClaimTokenBody, response } },
      async ({ body, ip }) => {
        await limits.claims.take({ address: ip })
        return readClaim(db, await claimOfLink(db, tokens, body.token))
      },
    )
    app.post(
      '/api/claims/submit/',
      { config: byLink, schema: { tags, body: TokenClaimBody, response } },
      async ({ body, ip }) => {
        await limits.claims.take({ address: ip })
        return submitClaim({ db, key }, await claimOfLink(db, tokens, body.token), body)
      },
    )
    app.post(
      '/api/claims/consent/',
      { config: byLink, schema: { tags, body: TokenConsentBody, response } },
      async ({ body, ip }) => {
        await limits.claims.take({ address: ip })
        return changeConsents(db, await claimOfLink(db, tokens, body.token), body)
      },
    )

    const ofAccount = { tags, params: SlugParams, response }
    app.get('/api/claims/own/:slug/', { schema: ofAccount }, (request) =>
      readClaim(db, { ...request.params, userId: callerOf(request).userId }),
    )
    app.put('/api/claims/own/:slug/', { schema: { ...ofAccount, body: ClaimForm } }, async (request) => {
      const { userId } = callerOf(request)
      await limits.claims.take({ account: userId, address: request.ip })
      return submitClaim({ db, key }, { ...request.params, userId }, request.body)
    })
    app.put(
      '/api/claims/own/:slug/consent/',
      { schema: { ...ofAccount, body: ConsentForm } },
      async (request) => {
        const { userId } = callerOf(request)
        await limits.claims.take({ account: userId, address: request.ip })
        return changeConsents(db, { ...request.params, userId }, request.body)
      },
    )
  }
