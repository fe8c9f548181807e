import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { staffOf } from '#platform/http/request.ts'
import { AwaitingApproval } from '#features/staff/staff.contract.ts'
import {
  AwardBody,
  ClaimContact,
  ClaimParams,
  ClaimSummary,
  ForfeitBody,
  ForfeitPreview,
  ForfeitPreviewBody,
  IdentityBody,
  RecordBody,
} from '../../claims.contract.ts'
import { type StaffClaimsDeps, askAward, readContact, recordClaim, seeIdentity } from './claims-staff.ts'
import { askForfeit, previewForfeit } from './forfeitures.ts'

/** What staff do with the claim of a prize. */
export const staffClaimsRoutes =
  (deps: StaffClaimsDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const claim = '/api/staff/draws/:id/claims/:attempt/'
    const schema = { tags: ['staff'], params: ClaimParams }
    const handles = { permits: 'draws.claims' } as const
    const of = ({ id: offerId, attempt }: { id: number; attempt: number }) => ({ offerId, attempt })

    app.get(claim, { config: handles, schema: { ...schema, response: { 200: ClaimContact } } }, (request) =>
      readContact(deps, of(request.params), staffOf(request)),
    )
    app.post(
      `${claim}record/`,
      { config: handles, schema: { ...schema, body: RecordBody, response: { 200: ClaimSummary } } },
      (request) => recordClaim(deps, of(request.params), request.body, staffOf(request)),
    )
    app.post(
      `${claim}identity/`,
      { config: handles, schema: { ...schema, body: IdentityBody, response: { 200: ClaimSummary } } },
      (request) => seeIdentity(deps, of(request.params), request.body.seen, staffOf(request)),
    )
    app.post(
      `${claim}award/`,
      {
        config: { permits: 'draws.award' },
        schema: { ...schema, body: AwardBody, response: { 202: AwaitingApproval } },
      },
      async (request, reply) => {
        const approval = await askAward(deps, of(request.params), request.body, staffOf(request))
        return reply.code(202).send({ approval })
      },
    )
    app.post(
      `${claim}forfeit/preview/`,
      {
        config: { permits: 'draws.decide', stepUp: false },
        schema: { ...schema, body: ForfeitPreviewBody, response: { 200: ForfeitPreview } },
      },
      ({ params, body }) => previewForfeit(deps, of(params), body),
    )
    app.post(
      `${claim}forfeit/`,
      {
        config: { permits: 'draws.decide' },
        schema: { ...schema, body: ForfeitBody, response: { 202: AwaitingApproval } },
      },
      async (request, reply) => {
        const approval = await askForfeit(deps, of(request.params), request.body, staffOf(request))
        return reply.code(202).send({ approval })
      },
    )
  }
