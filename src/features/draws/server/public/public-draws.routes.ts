import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { SlugParams } from '#features/offers/offers.contract.ts'
import { type OfferRow, offersRepository, publishedChanges } from '#features/offers/server/index.ts'
import type { Database, ReadDatabase } from '#platform/database.ts'
import type { PublicReads } from '#platform/http/public-reads.ts'
import {
  SHARED,
  type SharedResponse,
  isKnown,
  sendShared,
  sharedResponse,
  weakTag,
} from '#platform/http/shared-responses.ts'
import { RESPONSE_MS } from '#shared/freshness.ts'
import { DEFAULT_LANGUAGE, LANGUAGES } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import { ShortCache } from '#shared/short-cache.ts'
import { DrawPage, PublicDraw } from '../../public-draws.contract.ts'
import { WinnerPage } from '../../winners.contract.ts'
import { drawCalendar } from './draw-calendar.ts'
import { toListedDraw, toPublicDraw, toWinner } from './public-draws.ts'
import { type WholeDrawRow, publicDrawsRepository } from './public-draws.repository.ts'
import { attestedAt, policyOfDraw } from '../register/policies.ts'
import { rehearsalAt } from '../../rehearsals.rules.ts'
import { isRehearsalId } from '../rehearsals/rehearsals.routes.ts'
import { rehearsalsRepository } from '../rehearsals/rehearsals.repository.ts'

const Slug = SlugParams.shape.slug

const Query = z.object({
  /** Slug of the contest that ended the page before. */
  after: z.optional(Slug),
  limit: z.coerce.number().int().min(1).max(50).default(24),
})

/** With the id of a rehearsal that gets a response instead, and not kept: few pages ask for one. */
const OneQuery = z.object({ rehearsal: z.optional(z.string().max(100)) })

/** As the address of the page has it, so that caches keep one file of each language. */
const CalendarQuery = z.object({ lang: z.enum(LANGUAGES).catch(DEFAULT_LANGUAGE) })

function notFound(): never {
  throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
}

/** When witnesses had confirmed the terms, the sealed list and the last claim; null where the terms name none. */
async function attestedOf(
  db: ReadDatabase,
  { slug, lists, attempts }: WholeDrawRow,
  offerId: number,
): Promise<PublicDraw['attested']> {
  const policy = await policyOfDraw(db, offerId)
  if (!policy) return null
  const leaves = [
    0,
    lists.find(({ name }) => name === 'list.txt')?.log_size ?? null,
    attempts.at(-1)?.claim_leaf ?? null,
  ]
  const there = leaves.filter((leaf) => leaf !== null)
  const times = await attestedAt(db, policy, slug, there)
  const [opened = null, sealed = null, claimed = null] = leaves.map((leaf) => {
    const time = leaf === null ? null : times[there.indexOf(leaf)]!
    return time === null ? null : new Date(time * 1000).toISOString()
  })
  return { opened, sealed, claimed }
}

/** Responses kept at once. */
const CAPACITY = 200

/**
 * The draws as everybody sees them. Each response is kept for half a second: during a draw many pages ask each second.
 */
export const publicDrawsRoutes =
  ({ db, reads, shop }: { db: Database; reads: PublicReads; shop: { brand: string; publicUrl: string } }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const pages = new ShortCache<SharedResponse>({ ttlMs: RESPONSE_MS, capacity: CAPACITY })
    const calendars = new ShortCache<string | undefined>({ ttlMs: RESPONSE_MS, capacity: CAPACITY })
    const walls = new ShortCache<SharedResponse>({ ttlMs: RESPONSE_MS, capacity: CAPACITY })
    const single = new ShortCache<SharedResponse | undefined>({ ttlMs: RESPONSE_MS, capacity: CAPACITY })

    /** @param rows one more than are shown, where there are more */
    async function pageOf<Row extends { offer_id: number; slug: string }, Item>(
      rows: readonly Row[],
      limit: number,
      toItem: (row: Row, offer: OfferRow) => Item,
    ): Promise<{ items: Item[]; next: string | null }> {
      const shown = rows.slice(0, limit)
      const offers = await offersRepository(reads.db).byIds(shown.map((row) => row.offer_id))
      const contests = new Map(offers.map((offer) => [offer.id, offer]))
      return {
        items: shown.flatMap((row) => {
          const offer = contests.get(row.offer_id)
          return offer ? [toItem(row, offer)] : []
        }),
        next: rows.length > limit ? (shown.at(-1)?.slug ?? null) : null,
      }
    }

    async function page(after: string | undefined, limit: number): Promise<SharedResponse> {
      const rows = await publicDrawsRepository(reads.db).page(after, limit + 1)
      return sharedResponse((await pageOf(rows, limit, toListedDraw)) satisfies DrawPage)
    }

    async function winners(after: string | undefined, limit: number): Promise<SharedResponse> {
      const rows = await publicDrawsRepository(reads.db).winners(after, limit + 1)
      return sharedResponse((await pageOf(rows, limit, toWinner)) satisfies WinnerPage)
    }

    async function draw(from: ReadDatabase, slug: string): Promise<PublicDraw | undefined> {
      const [row, offer] = await Promise.all([
        publicDrawsRepository(from).bySlug(slug),
        offersRepository(from).bySlug(slug),
      ])
      if (!row || !offer) return undefined
      const [attested, changes] = await Promise.all([
        attestedOf(from, row, offer.id),
        publishedChanges(from, offer.id),
      ])
      return toPublicDraw(row, offer, { attested, changes })
    }

    async function rehearsal(slug: string, id: string): Promise<PublicDraw | undefined> {
      const found = isRehearsalId(id) ? await rehearsalsRepository(db).shown(id, slug) : undefined
      // One of an earlier version has neither.
      return (
        found &&
        rehearsalAt({ ...found.facts, attested: null, stamped: null, changes: [] }, found.plays_at, found.now)
      )
    }

    app.get(
      '/api/draws/',
      { config: { auth: 'ignored' }, schema: { querystring: Query, response: { 200: DrawPage } } },
      async (request, reply) => {
        const { after, limit } = request.query
        const found = await pages.get(`${limit} ${after ?? ''}`, () => page(after, limit))
        return sendShared(request, reply, found)
      },
    )

    app.get(
      '/api/winners/',
      { config: { auth: 'ignored' }, schema: { querystring: Query, response: { 200: WinnerPage } } },
      async (request, reply) => {
        const { after, limit } = request.query
        const found = await walls.get(`${limit} ${after ?? ''}`, () => winners(after, limit))
        return sendShared(request, reply, found)
      },
    )

    app.get(
      '/api/draws/:slug/',
      {
        config: { auth: 'ignored' },
        schema: { params: z.object({ slug: Slug }), querystring: OneQuery, response: { 200: PublicDraw } },
      },
      async (request, reply) => {
        const { slug } = request.params
        const { rehearsal: id } = request.query
        if (id !== undefined) return (await rehearsal(slug, id)) ?? notFound()
        const kept = await single.get(
          slug,
          async () => {
            // A copy that is behind would call a step late that was made in time.
            const found = await reads.find(
              (from) => draw(from, slug),
              ({ delay }) => delay === null,
            )
            return found && sharedResponse(found)
          },
          (one) => one !== undefined,
        )
        return sendShared(request, reply, kept ?? notFound())
      },
    )

    app.get(
      '/draws/:slug/draw.ics',
      {
        config: { auth: 'ignored' },
        schema: { hide: true, params: z.object({ slug: Slug }), querystring: CalendarQuery },
      },
      async (request, reply) => {
        const { slug } = request.params
        const { lang } = request.query
        const text = await calendars.get(`${lang} ${slug}`, async () => {
          const found = await reads.find((from) => draw(from, slug))
          return found && drawCalendar(found, lang, shop)
        })
        const calendar = text ?? notFound()
        const tag = weakTag(calendar)
        reply.type('text/calendar; charset=utf-8').headers({
          'cache-control': SHARED,
          etag: tag,
          'content-disposition': `inline; filename="${slug}.ics"`,
        })
        return isKnown(request, tag) ? reply.code(304).send() : reply.send(calendar)
      },
    )
  }
