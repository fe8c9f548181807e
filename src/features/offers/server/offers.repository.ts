import { type Insertable, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Sql, Trx } from '#platform/database.ts'
import type { OfferPictures, Offers } from '#platform/database-types.ts'

/** Offers as the database holds them, with their pictures and whether they still run by the database's clock. */
const offers = (db: Sql) =>
  db
    .selectFrom('offers')
    .select((eb) => [
      'offers.id',
      'slug',
      'title',
      'title_nl',
      'title_en',
      'description',
      'description_nl',
      'description_en',
      'price_cents',
      'total_tickets',
      'tickets_sold',
      'tickets_held',
      'end_date',
      'question',
      'question_nl',
      'question_en',
      'choices',
      'correct_choice',
      sql<boolean>`(offers.active AND offers.end_date > now())`.as('is_active'),
      jsonArrayFrom(
        eb
          .selectFrom('offer_pictures as p')
          .select(['p.src', 'p.widths', 'p.width', 'p.height', 'p.color', 'p.alt_fr', 'p.alt_nl', 'p.alt_en'])
          .whereRef('p.offer_id', '=', 'offers.id')
          .orderBy('p.position'),
      ).as('pictures'),
    ])

export type OfferRow = Awaited<ReturnType<ReturnType<typeof offers>['execute']>>[number]

/** The questions the shop asks about offers. */
export const offersRepository = (db: Sql) => ({
  /** All offers: those that can be bought first, the next to end in front; then the ended ones, the latest in front. */
  list: (): Promise<OfferRow[]> =>
    offers(db)
      .orderBy(sql`offers.active AND offers.end_date > now()`, 'desc')
      .orderBy(sql`CASE WHEN offers.active AND offers.end_date > now() THEN offers.end_date END`)
      .orderBy('end_date', 'desc')
      .orderBy('offers.id')
      .execute(),

  bySlug: (slug: string): Promise<OfferRow | undefined> =>
    offers(db).where('slug', '=', slug).executeTakeFirst(),

  /** Offers by id, in no order; ids without an offer are left out. */
  byIds: (ids: readonly number[]): Promise<OfferRow[]> =>
    ids.length === 0
      ? Promise.resolve([])
      : offers(db)
          .where('offers.id', 'in', [...ids])
          .execute(),
})

/** A new offer with its pictures; `sold` only where a demonstration begins with tickets sold. */
interface NewOffer {
  offer: Insertable<Offers>
  pictures: readonly Omit<Insertable<OfferPictures>, 'offer_id' | 'position'>[]
}

/** Stores a new offer. @returns its id */
export async function insertOffer(trx: Trx, { offer, pictures }: NewOffer): Promise<number> {
  const { id } = await trx.insertInto('offers').values(offer).returning('id').executeTakeFirstOrThrow()
  if (pictures.length > 0) {
    const rows = pictures.map((picture, position) => ({ ...picture, offer_id: id, position }))
    await trx.insertInto('offer_pictures').values(rows).execute()
  }
  return id
}
