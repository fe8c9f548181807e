import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import type { OrdersDeps } from '#features/purchase/orders/server/index.ts'
import { AwaitingApproval } from '#features/staff/staff.contract.ts'
import { entryTicket } from '#features/tickets/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import type { Sql } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import {
  ObjectionAnswerBody,
  ObjectionBody,
  ObjectionParams,
  Objections,
  OfferParams,
  VoidBody,
  VoidPreview,
  VoidPreviewBody,
} from '../objections.contract.ts'
import { objectionsRepository, objectionsWrites } from './objections.repository.ts'
import { askVoid, isVoidable, previewVoid } from './void-entries.ts'

/** @throws Refusal 404 */
async function listOf(db: Sql, id: number): Promise<Objections> {
  const stored = objectionsRepository(db)
  const offer = await stored.offer(id)
  if (!offer) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
  const [items, voids] = await Promise.all([stored.all(id, offer.total), stored.voids(id)])
  return {
    items,
    open: items.filter(({ outcome }) => outcome === null).length,
    voids: voids.map(({ number, reason, at }) => ({
      number: padTicketNumber(number, offer.total),
      reason,
      at: at.toISOString(),
    })),
    can_void: isVoidable(offer),
  }
}

/** Objections to entries of a draw with their answers, and entries that two people void before the seal. */
export const objectionsRoutes =
  (deps: OrdersDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const { db } = deps
    const notes = { permits: 'draws.object' } as const
    const schema = { tags: ['staff'], params: OfferParams }

    app.get(
      '/api/staff/draws/:id/objections/',
      { config: notes, schema: { ...schema, response: { 200: Objections } } },
      ({ params }) => listOf(db, params.id),
    )

    app.post(
      '/api/staff/draws/:id/objections/',
      { config: notes, schema: { ...schema, body: ObjectionBody, response: { 200: Objections } } },
      async (request) => {
        const { params, body } = request
        const actor = staffOf(request)
        await transact(db, async (trx) => {
          const stored = objectionsRepository(trx)
          if (!(await stored.offer(params.id)))
            throw new Refusal('request.notFound', 404, 'errors.request.notFound')
          if (body.number !== null && !(await entryTicket(trx, params.id, body.number)))
            throw new InvalidFields({ number: ['consoleDrawActions.refusals.noSuchNumber'] })
          if (body.message_id !== null && !(await stored.hasMessage(body.message_id)))
            throw new InvalidFields({ message_id: ['consoleDrawActions.refusals.noSuchMessage'] })
          const objection = await objectionsWrites(trx).insert(params.id, body, actor.userId)
          // What it says may tell of people and can be erased there.
          await audit(trx, {
            actor,
            action: 'draws.noteObjection',
            subject: { kind: 'offer', id: params.id },
            after: { objection, number: body.number },
          })
        })
        return listOf(db, params.id)
      },
    )

    app.post(
      '/api/staff/draws/:id/objections/:objection/answer/',
      {
        config: notes,
        schema: {
          ...schema,
          params: ObjectionParams,
          body: ObjectionAnswerBody,
          response: { 200: Objections },
        },
      },
      async (request) => {
        const { params, body } = request
        const actor = staffOf(request)
        await transact(db, async (trx) => {
          if (!(await objectionsWrites(trx).answer(params.id, params.objection, body, actor.userId)))
            throw new Refusal('objection.answered', 409, 'consoleDrawActions.refusals.answered')
          await audit(trx, {
            actor,
            action: 'draws.answerObjection',
            subject: { kind: 'offer', id: params.id },
            after: { objection: params.objection, outcome: body.outcome },
          })
        })
        return listOf(db, params.id)
      },
    )

    app.post(
      '/api/staff/draws/:id/void/preview/',
      {
        config: { permits: 'draws.void', stepUp: false },
        schema: { ...schema, body: VoidPreviewBody, response: { 200: VoidPreview } },
      },
      ({ params, body }) => previewVoid(deps, params.id, body),
    )
    app.post(
      '/api/staff/draws/:id/void/',
      {
        config: { permits: 'draws.void' },
        schema: { ...schema, body: VoidBody, response: { 202: AwaitingApproval } },
      },
      async (request, reply) => {
        const approval = await askVoid(deps, request.params.id, request.body, staffOf(request))
        return reply.code(202).send({ approval })
      },
    )
  }
