import { createHash } from 'node:crypto'
import { type Insertable, type UpdateObject, sql } from 'kysely'
import { anyOf } from '#platform/any-of.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import type { DB, OfferPictures } from '#platform/database-types.ts'
import { transact } from '#platform/transaction.ts'
import type { PictureWork, RenditionFailure } from '../pictures.contract.ts'
import { type Crop, type Point, filesOf, heightOf, sharedPart, widthsOf } from '../pictures.rules.ts'
import type { CleanPicture } from './picture-process.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

const now = sql<Date>`clock_timestamp()`

/** Longer than the longest step of the work, so that only a crash lets another process take it over. */
const LEASE_SECONDS = 120

/** Attempts at a rendition; those that a crash ended count. */
export const ATTEMPTS_MAX = 5

/** Increase it when the files of a rendition are made in another way: their addresses are cached for a year. */
const RECIPE = 2

export interface Rendition {
  id: string
  pictureId: string
  crop: Crop
  shareTop: number
  widths: number[]
}

/** What the shop shows of a picture. */
export function renditionOf(pictureId: string, crop: Crop, focal: Point): Rendition {
  const { y: shareTop } = sharedPart(crop, focal)
  const { x, y, width, height } = crop
  const decides = JSON.stringify([RECIPE, pictureId, x, y, width, height, shareTop])
  const id = createHash('sha256').update(decides).digest('hex').slice(0, 32)
  return { id, pictureId, crop, shareTop, widths: widthsOf(crop) }
}

/** The address of a rendition in the shop, without width and format. */
export const addressOf = (renditionId: string): string => `/media/p/${renditionId}`

/** Address of a small one, for staff. */
export const previewOf = (id: string): string => `/api/staff/pictures/${id}/preview/`

/** What the shop shows of a rendition whose files are made. */
export function shownAs({ id, widths }: Pick<Rendition, 'id' | 'widths'>) {
  const width = Math.max(...widths)
  return { src: addressOf(id), widths, width, height: heightOf(width) }
}

export interface PictureFile {
  width: number
  format: 'avif' | 'webp' | 'jpeg'
  bytes: Uint8Array
}

/** A rendition that this process works on; `attempts` tells it from one that took it over. */
export interface ClaimedRendition extends Rendition {
  attempts: number
}

const cropColumns = [
  'r.crop_x as x',
  'r.crop_y as y',
  'r.crop_width as width',
  'r.crop_height as height',
] as const

/** Columns about the work on a rendition `r`. */
const workColumns = [
  'r.state',
  'r.failure',
  'r.widths as wanted_widths',
  sql<number>`(SELECT count(*)::int FROM picture_files f WHERE f.rendition_id = r.id)`.as('made'),
] as const

interface WorkRow {
  state: string | null
  failure: string | null
  wanted_widths: number[] | null
  made: number
}

export const toWork = ({ state, failure, wanted_widths, made }: WorkRow): PictureWork => ({
  state: (state ?? 'done') as PictureWork['state'],
  made,
  files: filesOf(wanted_widths ?? []),
  failure: failure as RenditionFailure | null,
})

export const picturesRepository = (db: Sql) => ({
  /** Stores a picture once. @returns whether it is new */
  async insert(id: string, picture: CleanPicture, userId: number): Promise<boolean> {
    const { bytes, preview, width, height, color } = picture
    const { isNew } = await db
      .insertInto('pictures')
      .values({
        id,
        bytes: Buffer.from(bytes),
        preview: Buffer.from(preview),
        mime: 'image/jpeg',
        width,
        height,
        color,
        uploaded_by: userId,
      })
      .onConflict((one) => one.column('id').doUpdateSet({ used_at: now }))
      .returning(sql<boolean>`xmax = 0`.as('isNew'))
      .executeTakeFirstOrThrow()
    return isNew
  },

  byId: (id: string) =>
    db
      .selectFrom('pictures')
      .select(['id', 'width', 'height', 'color'])
      .where('id', '=', id)
      .executeTakeFirst(),

  preview: async (id: string): Promise<Buffer | undefined> =>
    (await db.selectFrom('pictures').select('preview').where('id', '=', id).executeTakeFirst())?.preview,

  bytes: async (id: string): Promise<Buffer> =>
    (await db.selectFrom('pictures').select('bytes').where('id', '=', id).executeTakeFirstOrThrow()).bytes,

  renditionsOf: (pictureId: string) =>
    db
      .selectFrom('picture_renditions as r')
      .select([...cropColumns, ...workColumns])
      .where('r.picture_id', '=', pictureId)
      .orderBy('r.queued_at')
      .execute(),

  /** Locks an offer against concurrent changes of its pictures. */
  lockOffer: (offerId: number) =>
    db
      .selectFrom('offers')
      .select(['pictures_version', 'state', 'entered_at'])
      .where('id', '=', offerId)
      .forNoKeyUpdate()
      .executeTakeFirst(),

  versionOf: (offerId: number) =>
    db
      .selectFrom('offers')
      .select(['pictures_version as version', 'published_at'])
      .where('id', '=', offerId)
      .executeTakeFirst(),

  ofOffer: (offerId: number) =>
    db
      .selectFrom('offer_pictures as o')
      .leftJoin('pictures as p', 'p.id', 'o.picture_id')
      .leftJoin('picture_renditions as r', 'r.id', 'o.rendition_id')
      .select(['o.src', 'o.widths', 'o.width as shown_width', 'o.height as shown_height', 'o.color'])
      .select(['o.alts', 'o.picture_id', 'o.rendition_id', 'o.focal_x', 'o.focal_y'])
      .select(['p.width as picture_width', 'p.height as picture_height'])
      .select(cropColumns)
      .select(workColumns)
      .where('o.offer_id', '=', offerId)
      .orderBy('o.position')
      .execute(),

  /** Notes that pictures are used, or were until now. @returns those that exist */
  async touch(ids: readonly string[]) {
    const { rows } = await sql<{ id: string; width: number; height: number; color: string }>`
      UPDATE pictures p SET used_at = clock_timestamp()
      FROM (SELECT id FROM pictures WHERE id = ${anyOf(ids, 'text')} ORDER BY id FOR NO KEY UPDATE) AS locked
      WHERE p.id = locked.id
      RETURNING p.id, p.width, p.height, p.color`.execute(db)
    return rows
  },

  /** Queues a rendition unless it is there; one that failed is tried again. @returns whether its files are ready */
  async want({ id, pictureId, crop, shareTop, widths }: Rendition): Promise<boolean> {
    const { state } = await db
      .insertInto('picture_renditions')
      .values({
        id,
        picture_id: pictureId,
        crop_x: crop.x,
        crop_y: crop.y,
        crop_width: crop.width,
        crop_height: crop.height,
        share_top: shareTop,
        widths,
      })
      .onConflict((one) =>
        one.column('id').doUpdateSet({
          used_at: now,
          state: sql`CASE picture_renditions.state WHEN 'failed' THEN 'queued' ELSE picture_renditions.state END`,
          attempts: sql`CASE picture_renditions.state WHEN 'failed' THEN 0 ELSE picture_renditions.attempts END`,
          due_at: sql`CASE picture_renditions.state WHEN 'failed' THEN clock_timestamp() ELSE picture_renditions.due_at END`,
          failure: null,
        }),
      )
      .returning('state')
      .executeTakeFirstOrThrow()
    return state === 'done'
  },

  /** Widths of those of these renditions whose files are all made. */
  async madeRenditions(ids: readonly string[]): Promise<Map<string, number[]>> {
    const rows = await db
      .selectFrom('picture_renditions')
      .select(['id', 'widths'])
      .where('id', '=', anyOf(ids, 'text'))
      .where('state', '=', 'done')
      .execute()
    return new Map(rows.map(({ id, widths }) => [id, widths]))
  },

  /** Notes that renditions were used until now. */
  touchRenditions: (ids: readonly string[]) =>
    db.updateTable('picture_renditions').set({ used_at: now }).where('id', '=', anyOf(ids, 'text')).execute(),

  /** Replaces the pictures of an offer. @returns their new version */
  async replace(offerId: number, rows: readonly NewOfferPicture[]): Promise<number> {
    await db.deleteFrom('offer_pictures').where('offer_id', '=', offerId).execute()
    await addOfferPictures(db, offerId, rows)
    const { pictures_version } = await db
      .updateTable('offers')
      .set((set) => ({ pictures_version: set('pictures_version', '+', 1) }))
      .where('id', '=', offerId)
      .returning('pictures_version')
      .executeTakeFirstOrThrow()
    return pictures_version
  },
})

export type OfferPictureRow = Awaited<ReturnType<ReturnType<typeof picturesRepository>['ofOffer']>>[number]

export interface NewOfferPicture {
  src: string
  widths: number[]
  width: number
  height: number
  color: string
  alts: LocalizedText
  picture_id: string | null
  rendition_id: string | null
  focal_x: number | null
  focal_y: number | null
}

/** Gives an offer that has none its pictures, in their order. */
export async function addOfferPictures(
  db: Sql,
  offerId: number,
  rows: readonly Omit<Insertable<OfferPictures>, 'offer_id' | 'position'>[],
): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map((row, position) => ({ ...row, offer_id: offerId, position }))
  await db.insertInto('offer_pictures').values(values).execute()
}

/** Copies the pictures of an offer to another one that has none. */
export async function copyOfferPictures(trx: Trx, fromOfferId: number, toOfferId: number): Promise<void> {
  await sql`
    INSERT INTO offer_pictures (offer_id, position, src, widths, width, height, color, alts,
                               picture_id, rendition_id, focal_x, focal_y)
    SELECT ${toOfferId}, position, src, widths, width, height, color, alts,
           picture_id, rendition_id, focal_x, focal_y
    FROM offer_pictures WHERE offer_id = ${fromOfferId}`.execute(trx)
}

export interface PicturesReadiness {
  count: number
  /** Pictures whose sizes are still being made. */
  waiting: number
  /** Pictures whose sizes could not be made. */
  failed: number
  /** There is a picture, and every size of every picture exists, that for shared links among them. */
  isReady: boolean
}

/** What a contest's pictures lack before it can be published. */
export async function picturesReady(db: Sql, offerId: number): Promise<PicturesReadiness> {
  const { rows } = await sql<Omit<PicturesReadiness, 'isReady'>>`
    SELECT count(*)::int AS count,
      count(*) FILTER (WHERE r.state IN ('queued', 'working'))::int AS waiting,
      count(*) FILTER (WHERE r.state = 'failed')::int AS failed
    FROM offer_pictures o LEFT JOIN picture_renditions r ON r.id = o.rendition_id
    WHERE o.offer_id = ${offerId}`.execute(db)
  const { count = 0, waiting = 0, failed = 0 } = rows[0] ?? {}
  return { count, waiting, failed, isReady: count > 0 && waiting === 0 && failed === 0 }
}

/** The work of the background job, which any number of processes share. */
export const renditionWork = (db: Database) => ({
  /** Claims the rendition that waits longest, or one whose process crashed. What no offer uses any more waits on. */
  async claim(): Promise<ClaimedRendition | undefined> {
    const row = await db
      .updateTable('picture_renditions')
      .set((set) => ({
        state: 'working',
        attempts: set('attempts', '+', 1),
        due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
      }))
      .where('id', '=', (one) =>
        one
          .selectFrom('picture_renditions')
          .select('id')
          .where('state', 'in', ['queued', 'working'])
          .where('due_at', '<=', now)
          .where(
            sql<boolean>`(EXISTS (SELECT FROM offer_pictures WHERE rendition_id = picture_renditions.id)
              OR description_shows('rendition', picture_renditions.id))`,
          )
          .orderBy('due_at')
          .limit(1)
          .forUpdate()
          .skipLocked(),
      )
      .returningAll()
      .executeTakeFirst()
    return (
      row && {
        id: row.id,
        pictureId: row.picture_id,
        crop: { x: row.crop_x, y: row.crop_y, width: row.crop_width, height: row.crop_height },
        shareTop: row.share_top,
        widths: row.widths,
        attempts: row.attempts,
      }
    )
  },

  made: async (id: string): Promise<Pick<PictureFile, 'width' | 'format'>[]> =>
    (await db
      .selectFrom('picture_files')
      .select(['width', 'format'])
      .where('rendition_id', '=', id)
      .execute()) as Pick<PictureFile, 'width' | 'format'>[],

  /** Stores files and extends the claim. @returns false when another process has taken the work over */
  store: (claimed: ClaimedRendition, files: readonly PictureFile[]): Promise<boolean> =>
    transact(db, async (trx) => {
      const isOurs = await change(trx, claimed, {
        due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`,
      })
      if (!isOurs) return false
      const values = files.map(({ width, format, bytes }) => ({
        rendition_id: claimed.id,
        width,
        format,
        bytes: Buffer.from(bytes),
        hash: createHash('sha256').update(bytes).digest(),
      }))
      await trx.insertInto('picture_files').values(values).execute()
      return true
    }),

  /** Ends the work: from now on the shop shows it where staff wanted it. @returns false when another process has it */
  finish: (claimed: ClaimedRendition, size: { width: number; height: number }): Promise<boolean> =>
    transact(db, async (trx) => {
      if (!(await change(trx, claimed, { state: 'done', done_at: now }))) return false
      await trx
        .updateTable('offer_pictures')
        .set({ src: addressOf(claimed.id), widths: claimed.widths, ...size })
        .where('rendition_id', '=', claimed.id)
        .execute()
      return true
    }),

  /** Leaves the work to a later attempt. */
  postpone: (claimed: ClaimedRendition, seconds: number): Promise<boolean> =>
    change(db, claimed, {
      state: 'queued',
      due_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`,
    }),

  /** Leaves the work to another process, without counting the attempt. */
  release: (claimed: ClaimedRendition): Promise<boolean> =>
    change(db, claimed, { state: 'queued', due_at: now, attempts: claimed.attempts - 1 }),

  fail: (claimed: ClaimedRendition, failure: RenditionFailure): Promise<boolean> =>
    change(db, claimed, { state: 'failed', failure }),
})

async function change(
  db: Sql,
  { id, attempts }: ClaimedRendition,
  values: UpdateObject<DB, 'picture_renditions'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('picture_renditions')
    .set(values)
    .where('id', '=', id)
    .where('state', '=', 'working')
    .where('attempts', '=', attempts)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export interface StoredFile {
  bytes: Buffer
  /** Hexadecimal SHA-256. */
  hash: string
}

/** A file of a rendition. */
export async function pictureFile(
  db: Sql,
  { renditionId, width, format }: { renditionId: string; width: number; format: PictureFile['format'] },
): Promise<StoredFile | undefined> {
  const found = await db
    .selectFrom('picture_files')
    .select(['bytes', 'hash'])
    .where('rendition_id', '=', renditionId)
    .where('format', '=', format)
    .where('width', '=', width)
    .executeTakeFirst()
  return found && { bytes: found.bytes, hash: found.hash.toString('hex') }
}

/** Deletes renditions and originals that no offer has used for some days. @returns how many */
export async function deleteUnusedPictures(db: Database, days: number, limit: number): Promise<number> {
  const renditions = await sql`
    DELETE FROM picture_renditions r WHERE id IN (
      SELECT id FROM picture_renditions o
      WHERE used_at < clock_timestamp() - make_interval(days => ${days})
        AND NOT EXISTS (SELECT FROM offer_pictures WHERE rendition_id = o.id)
        AND NOT description_shows('rendition', o.id)
      ORDER BY used_at LIMIT ${limit}
    ) AND used_at < clock_timestamp() - make_interval(days => ${days})
    RETURNING 1`.execute(db)
  const pictures = await sql`
    DELETE FROM pictures p WHERE id IN (
      SELECT id FROM pictures o
      WHERE used_at < clock_timestamp() - make_interval(days => ${days})
        AND NOT EXISTS (SELECT FROM offer_pictures WHERE picture_id = o.id)
        AND NOT description_shows('picture', o.id)
      ORDER BY used_at LIMIT ${limit}
    ) AND used_at < clock_timestamp() - make_interval(days => ${days})
    RETURNING 1`.execute(db)
  return Math.max(renditions.rows.length, pictures.rows.length)
}
