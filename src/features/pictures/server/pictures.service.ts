import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Approval } from '#features/staff/staff.contract.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database, Sql } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import { type StaffRole, permits } from '#shared/staff-permissions.ts'
import type {
  OfferPicture,
  OfferPictures,
  OfferPicturesBody,
  PictureState,
  UploadedPicture,
} from '../pictures.contract.ts'
import {
  type Size,
  HEIGHT_MIN,
  PIXELS_MAX,
  WIDTH_MIN,
  centreOf,
  cropFault,
  defaultCrop,
  keepInside,
  previewWidth,
} from '../pictures.rules.ts'
import { type AskForPictures, decidedOf } from './described-pictures.ts'
import type { CleanPicture, PictureFault } from './picture-process.ts'
import { type PictureProcesses, PictureProcessError } from './picture-processes.ts'
import {
  type NewOfferPicture,
  type OfferPictureRow,
  type Rendition,
  picturesRepository,
  previewOf,
  renditionOf,
  shownAs,
  toWork,
} from './pictures.repository.ts'
import { storedText, translation } from '#shared/localized-text.ts'
import { inEachLanguage } from '#shared/text-fields.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'

interface Deps {
  db: Database
  processes: PictureProcesses
}

/** Checks and stores a picture. @throws Refusal that says what is wrong with it */
export async function uploadPicture(
  { db, processes }: Deps,
  bytes: Uint8Array,
  actor: StaffCaller,
): Promise<UploadedPicture> {
  const picture = await checked(processes, bytes)
  const id = createHash('sha256').update(picture.bytes).digest('hex')
  const { width, height, color } = picture
  await transact(db, async (trx) => {
    if (!(await picturesRepository(trx).insert(id, picture, actor.userId))) return
    const after = { width, height, bytes: picture.bytes.length }
    await audit(trx, { actor, action: 'offers.edit', subject: { kind: 'picture', id }, after })
  })
  return { id, preview: previewOf(id), width, height, color }
}

async function checked(processes: PictureProcesses, bytes: Uint8Array): Promise<CleanPicture> {
  const result = await processes.clean(bytes).catch((error: unknown): PictureFault => {
    if (!(error instanceof PictureProcessError)) throw error
    return { fault: error.reason === 'timeout' ? 'tooSlow' : 'damaged' }
  })
  if ('fault' in result) throw faultRefusal(result)
  return result
}

const FAULT_STATUS = {
  empty: 400,
  svg: 415,
  animated: 415,
  heic: 415,
  unsupported: 415,
  damaged: 422,
  tooSlow: 422,
  tooManyPixels: 422,
  tooSmall: 422,
} as const satisfies Record<PictureFault['fault'], number>

const MEGAPIXEL = 1_000_000

function faultRefusal(found: PictureFault): Refusal {
  const { fault } = found
  const values = {
    ...('width' in found && {
      width: found.width,
      height: found.height,
      megapixels: Math.ceil((found.width * found.height) / MEGAPIXEL),
    }),
    most: PIXELS_MAX / MEGAPIXEL,
    least: WIDTH_MIN,
    leastHeight: HEIGHT_MIN,
  }
  const key = `consolePictures.refusals.${fault}` as const
  return new Refusal(`pictures.${fault}`, FAULT_STATUS[fault], key, { values })
}

const notFound = (): Refusal => new Refusal('pictures.notFound', 404, 'consolePictures.refusals.notFound')

/** A picture and how far its sizes have come. */
export async function pictureState(db: Sql, id: string): Promise<PictureState> {
  const pictures = picturesRepository(db)
  const found = await pictures.byId(id)
  if (!found) throw notFound()
  const renditions = (await pictures.renditionsOf(id)).map(({ x, y, width, height, ...work }) => ({
    crop: { x, y, width, height },
    ...toWork(work),
  }))
  return { ...found, preview: previewOf(id), renditions }
}

export async function picturePreview(db: Sql, id: string): Promise<Buffer> {
  const preview = await picturesRepository(db).preview(id)
  if (!preview) throw notFound()
  return preview
}

/** The pictures of an offer as staff want them; who edits none sees those of published ones. @throws Refusal 404 */
export async function offerPictures(db: Sql, offerId: number, role: StaffRole): Promise<OfferPictures> {
  const pictures = picturesRepository(db)
  const found = await pictures.versionOf(offerId)
  if (!found || (found.published_at === null && !permits(role, 'offers.edit')))
    throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
  return { version: found.version, pictures: (await pictures.ofOffer(offerId)).map(toOfferPicture) }
}

function toOfferPicture(row: OfferPictureRow): OfferPicture {
  const alt = inEachLanguage(row.alts)
  const { picture_id: id, src, color } = row
  if (id === null) {
    const preview = `${src}-${previewWidth(row.widths)}.webp`
    return { kind: 'file', src, preview, width: row.shown_width, height: row.shown_height, color, alt }
  }
  // The database keeps these together (offer_pictures_uploaded_or_file).
  const whole = row as { [Column in keyof OfferPictureRow]: NonNullable<OfferPictureRow[Column]> }
  return {
    kind: 'uploaded',
    id,
    preview: previewOf(id),
    width: whole.picture_width,
    height: whole.picture_height,
    color,
    alt,
    crop: { x: whole.x, y: whole.y, width: whole.width, height: whole.height },
    focal: { x: whole.focal_x, y: whole.focal_y },
    work: toWork(row),
  }
}

/** A contest that people see, or will see without another look at it. */
const PUBLIC_STATES = ['scheduled', 'open']

type Wanted = OfferPicturesBody['pictures'][number]
type WantedUpload = Extract<Wanted, { kind: 'uploaded' }>

/**
 * Replaces the pictures of an offer; of one that has entries a second person is asked.
 * @throws Refusal 409 with the present ones when somebody else has changed them
 */
export function saveOfferPictures(
  { db, ask }: Pick<Deps, 'db'> & { ask: AskForPictures },
  offerId: number,
  { version, pictures: wanted, reason }: OfferPicturesBody,
  actor: StaffCaller,
): Promise<OfferPictures | { approval: Approval }> {
  return transact(db, async (trx) => {
    const pictures = picturesRepository(trx)
    const offer = await pictures.lockOffer(offerId)
    if (!offer) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
    const rows = await pictures.ofOffer(offerId)
    const before = rows.map(toOfferPicture)
    const uploads = wanted.filter((one): one is WantedUpload => one.kind === 'uploaded')
    const formerIds = rows.flatMap(({ picture_id }) => picture_id ?? [])
    const known = await pictures.touch([...new Set([...uploads.map(({ id }) => id), ...formerIds])])
    const sizes = new Map(known.map((one) => [one.id, one]))
    const isOutdated = offer.pictures_version !== version
    const changed = (): Refusal => {
      const current: OfferPictures = { version: offer.pictures_version, pictures: before }
      return new Refusal('pictures.changed', 409, 'consolePictures.refusals.changed', { body: { current } })
    }
    if (isOutdated && uploads.some(({ id }) => !sizes.has(id))) throw changed()
    const cuts = new Map(uploads.map((one) => [one, cutOf(one, sizes.get(one.id))]))
    const isSame = areStored(wanted, rows, cuts)
    if (isOutdated && !isSame) throw changed()

    const isPublic = PUBLIC_STATES.includes(offer.state) || offer.entered_at !== null
    if (wanted.length === 0 && rows.length > 0 && isPublic)
      throw new Refusal('pictures.lastOne', 409, 'consolePictures.refusals.lastOne')

    // In the order of their ids, which prevents deadlocks.
    const renditions = [...cuts.values()].map(({ rendition }) => rendition)
    const ready = new Map<string, boolean>()
    for (const one of renditions.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      if (!ready.has(one.id)) ready.set(one.id, await pictures.want(one))

    // Nothing is stored anew; sizes that could not be made are tried again.
    if (isSame) return offerPictures(trx, offerId, actor.role)

    const next = wanted.map((one): NewOfferPicture => {
      const alts = storedText(one.alt)
      if (one.kind === 'file') return { ...fileRow(one.src, rows), alts }
      const { rendition, focal } = cuts.get(one) as Cut
      return {
        ...(ready.get(rendition.id) ? shownAs(rendition) : (shownUntilThen(one.id, rows) ?? NOTHING_SHOWN)),
        color: sizes.get(one.id)?.color ?? '',
        alts,
        picture_id: one.id,
        rendition_id: rendition.id,
        focal_x: focal.x,
        focal_y: focal.y,
      }
    })
    if (offer.entered_at !== null) {
      const decided = next.map(decidedOf)
      requireNoLess(rows, next, { mayWait: true })
      return { approval: await ask(trx, offerId, decided, { reason, actor }) }
    }
    if (PUBLIC_STATES.includes(offer.state)) requireNoLess(rows, next)
    await pictures.replace(offerId, next)
    await pictures.touchRenditions(rows.flatMap(({ rendition_id }) => rendition_id ?? []))
    const saved = await offerPictures(trx, offerId, actor.role)
    await audit(trx, {
      actor,
      action: 'offers.edit',
      subject: { kind: 'offer', id: offerId },
      before: { pictures: before.map(auditedPicture) },
      after: { pictures: saved.pictures.map(auditedPicture) },
    })
    return saved
  })
}

/** Whether the pictures are these already: whoever saves them again changes nothing. */
const areStored = (
  wanted: readonly Wanted[],
  rows: readonly OfferPictureRow[],
  cuts: ReadonlyMap<WantedUpload, Cut>,
): boolean =>
  wanted.length === rows.length &&
  wanted.every((one, index) => {
    const row = rows[index]
    if (!row || !isDeepStrictEqual(storedText(one.alt), row.alts)) return false
    if (one.kind === 'file') return row.picture_id === null && row.src === one.src
    const cut = cuts.get(one)
    return (
      row.picture_id === one.id &&
      row.rendition_id === cut?.rendition.id &&
      isDeepStrictEqual({ x: row.focal_x, y: row.focal_y }, cut?.focal)
    )
  })

type Described = Pick<NewOfferPicture, 'widths' | 'alts'>

/**
 * What visitors see stays there: a picture at least, and every description.
 * @param mayWait their sizes are made before they are shown @throws Refusal 409
 */
function requireNoLess(
  before: readonly Described[],
  after: readonly Described[],
  { mayWait = false } = {},
): void {
  const isShown = ({ widths }: Described): boolean => widths.length > 0
  if (!mayWait && before.some(isShown) && !after.some(isShown))
    throw new Refusal('pictures.noneReady', 409, 'consolePictures.refusals.noneReady')
  const lacks = (pictures: readonly Described[], language: Language): boolean =>
    pictures.some(({ alts }) => translation(alts, language) === '')
  const isLost = LANGUAGES.some((language) => lacks(after, language) && !lacks(before, language))
  if (before.length > 0 && isLost)
    throw new Refusal('pictures.altMissing', 409, 'consolePictures.refusals.altMissing')
}

interface Cut {
  rendition: Rendition
  focal: { x: number; y: number }
}

/** @throws InvalidFields when the picture does not exist, or the part of it is no part that can be shown */
function cutOf({ id, crop: wantedCrop, focal: point }: WantedUpload, size: Size | undefined): Cut {
  if (!size) throw new InvalidFields({ pictures: ['consolePictures.refusals.notFound'] })
  const crop = wantedCrop ?? defaultCrop(size, point)
  const fault = cropFault(crop, size)
  if (fault) throw new InvalidFields({ pictures: [`consolePictures.refusals.crop.${fault}`] })
  const focal = keepInside(point ?? centreOf(crop), crop)
  return { rendition: renditionOf(id, crop, focal), focal }
}

type Shown = Pick<NewOfferPicture, 'src' | 'widths' | 'width' | 'height'>

const NOTHING_SHOWN: Shown = { src: '', widths: [], width: 0, height: 0 }

/** What the shop shows of a picture until its new sizes are made. */
function shownUntilThen(id: string, rows: readonly OfferPictureRow[]): Shown | undefined {
  const former = rows.find((row) => row.picture_id === id && row.widths.length > 0)
  return (
    former && {
      src: former.src,
      widths: former.widths,
      width: former.shown_width,
      height: former.shown_height,
    }
  )
}

function fileRow(src: string, rows: readonly OfferPictureRow[]): NewOfferPicture {
  const row = rows.find((one) => one.picture_id === null && one.src === src)
  if (!row) throw new InvalidFields({ pictures: ['consolePictures.refusals.notFound'] })
  const { widths, shown_width: width, shown_height: height, color, alts } = row
  const uploaded = { picture_id: null, rendition_id: null, focal_x: null, focal_y: null }
  return { src, widths, width, height, color, alts, ...uploaded }
}

const auditedPicture = (picture: OfferPicture): unknown =>
  picture.kind === 'file'
    ? { file: picture.src, alt: picture.alt }
    : { id: picture.id, crop: picture.crop, focal: picture.focal, alt: picture.alt }
