import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { applyRetention } from '#server/maintenance.ts'
import { byLanguage } from '#shared/text-fields.ts'
import { openShop } from '../../../../test/support/shop.ts'
import type { OfferPictures, OfferPicturesBody, UploadedPicture } from '../pictures.contract.ts'
import { UPLOAD_MAX_BYTES } from '../pictures.rules.ts'
import { makeRenditions } from './make-renditions.ts'
import type { EncodeTask } from './picture-process.ts'
import { PictureProcessError, pictureProcesses } from './picture-processes.ts'
import { ATTEMPTS_MAX } from './pictures.repository.ts'
import { blackPng, compressedZeros, grainy, plain, pngComment, sha256 } from './pictures.test-support.ts'

const shop = await openShop()
const log = pino({ level: 'silent' })
const staff = await shop.newStaff('manager')
const [real, { db }] = [pictureProcesses(), shop]

const run = async (statement: string, values: unknown[] = []) =>
  (await shop.pool.query(statement, values)).rows

async function upload(bytes: Buffer, { by = staff, type = 'image/jpeg', language = 'en' } = {}) {
  const response = await shop.app.inject({
    method: 'POST',
    url: '/api/staff/pictures/',
    headers: {
      cookie: by.cookie,
      origin: shop.config.publicUrl,
      'content-type': type,
      'accept-language': language,
    },
    payload: bytes,
  })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}

/** Uploads a photo that must be accepted. */
async function uploaded(bytes?: Buffer): Promise<UploadedPicture> {
  const { status, body } = await upload(bytes ?? (await plain().jpeg().toBuffer()))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body as UploadedPicture
}

const ALT = { ...byLanguage(() => 'Car'), fr: 'Une voiture', nl: 'Een auto', en: 'A car' }
type Wanted = OfferPicturesBody['pictures'][number]
const wanted = ({ id }: { id: string }, more: object = {}): Wanted => ({
  kind: 'uploaded',
  id,
  alt: ALT,
  ...more,
})

const address = (offerId: number) => `/api/staff/offers/${offerId}/pictures/`
const ofOffer = async (offerId: number) => (await staff.get(address(offerId))).body as OfferPictures
async function save(offerId: number, pictures: Wanted[], call: { isWithoutEffect?: true } = {}) {
  const { version } = await ofOffer(offerId)
  return staff.put(address(offerId), { version, pictures }, call)
}

/** How many pictures of an offer there are, wait, and failed. */
async function progress(offerId: number) {
  const { pictures } = await ofOffer(offerId)
  const states = pictures.map((one) => (one.kind === 'file' ? 'done' : one.work.state))
  const count = (...wanted: string[]) => states.filter((one) => wanted.includes(one)).length
  return { done: count('done'), waiting: count('queued', 'working'), failed: count('failed') }
}
const isPublishable = async (offerId: number): Promise<boolean> => {
  const { body } = await staff.get(`/api/staff/offers/${offerId}/checklist/`)
  return body['items'].find(({ check }: { check: string }) => check === 'pictures').is_done
}

let offers = 0
/** An offer and what the shop says of it. */
async function newOffer(change: Parameters<typeof shop.newOffer>[0] = {}) {
  const slug = `pictured-${(offers += 1)}`
  const id = await shop.newOffer({ slug, ...change })
  return { id, slug, shown: async () => (await shop.anonymous('GET', `/api/offers/${slug}/`)).body }
}

/** Makes files of a few bytes. */
const quick: Processes = {
  encode: async ({ formats }) => formats.map(() => randomBytes(8)),
}
type Processes = NonNullable<Parameters<typeof makeRenditions>[0]['processes']>
const work = (processes: Processes = quick) => makeRenditions({ db, log, processes })
const workForReal = () => work(real)

/** An offer with pictures whose sizes are made. */
async function ready({ count = 1, processes = quick, state = 'open' } = {}) {
  const offer = await newOffer({ state: state === 'open' ? state : 'draft' })
  const pictures = await Promise.all(Array.from({ length: count }, () => uploaded()))
  await save(
    offer.id,
    pictures.map((one) => wanted(one)),
  )
  await work(processes)
  if (state === 'scheduled')
    await run(
      `UPDATE offers SET state = 'scheduled', opens_at = now() + interval '1 day' WHERE id = ${offer.id}`,
    )
  return { ...offer, pictures }
}

const file = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  shop.app.inject({ method, url, headers })

describe('A file that is uploaded', () => {
  const html = Buffer.from('<html><script>alert(1)</script></html>')
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600"><script>alert(1)</script></svg>',
  )
  const gif = () => plain().gif().toBuffer()
  const animation = async () =>
    sharp([await plain().jpeg().toBuffer(), await plain().jpeg().toBuffer()], { join: { animated: true } })
      .webp()
      .toBuffer()
  const cut = async (bytes: Promise<Buffer>) => (await bytes).subarray(0, -2_000)
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')

  test.each([
    ['empty', 400, 'is empty', () => Buffer.alloc(0)],
    ['svg', 415, 'can contain code', () => svg],
    ['animated', 415, 'GIF', gif],
    ['animated', 415, 'Animated', animation],
    ['heic', 415, 'HEIC', () => heic],
    ['unsupported', 415, 'not a picture', () => Buffer.from('Dear customer, this is a letter.')],
    ['unsupported', 415, 'not a picture', () => html],
    ['damaged', 422, 'incomplete', () => cut(grainy().jpeg().toBuffer())],
    ['damaged', 422, 'incomplete', () => cut(grainy().png().toBuffer())],
    ['damaged', 422, 'incomplete', () => cut(grainy().webp().toBuffer())],
    ['damaged', 422, 'incomplete', () => cut(grainy().avif({ effort: 0 }).toBuffer())],
    ['damaged', 422, 'incomplete', () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), html])],
    ['tooManyPixels', 422, '900 megapixels', () => blackPng(30_000, 30_000)],
    ['tooManyPixels', 422, '80 megapixels', () => blackPng(10_000, 8_000)],
    ['tooSmall', 422, '599 × 900 pixels', () => blackPng(599, 900)],
    ['tooSmall', 422, '600 × 375', () => blackPng(900, 374)],
  ] as const)('is refused as %s with %i: “… %s …”', async (code, status, words, bytes) => {
    const [{ count }] = await run('SELECT count(*)::int FROM pictures')
    // What it is called does not matter.
    const response = await upload(await bytes(), { type: 'image/jpeg' })
    expect(response).toMatchObject({ status, body: { code: `pictures.${code}` } })
    expect(response.body.detail).toContain(words)
    expect(await run('SELECT count(*)::int FROM pictures')).toEqual([{ count }])
  })

  test('is refused in the language of whoever sends it', async () => {
    const details = ['fr', 'nl', 'en'].map(
      async (language) => (await upload(Buffer.alloc(0), { language })).body.detail,
    )
    expect(await Promise.all(details)).toEqual([
      'Ce fichier est vide. Choisissez une photo.',
      'Dit bestand is leeg. Kies een foto.',
      'This file is empty. Choose a picture.',
    ])
  })

  test('is refused above 25 MB, and other calls keep their own limit', async () => {
    const response = await upload(Buffer.alloc(UPLOAD_MAX_BYTES + 1))
    expect(response).toMatchObject({ status: 413, body: { code: 'pictures.tooLarge' } })
    expect(response.body.detail).toContain('25 MB')
    const alt = { ...ALT, fr: 'x'.repeat(300_000) }
    expect((await staff.put(address(1), { version: 0, pictures: [{ kind: 'file', alt }] })).status).toBe(413)
    expect((await upload(Buffer.from('{}'), { type: 'application/json' })).status).toBe(415)
  })

  test('may hold a bomb beside its pixels, which nothing inflates', async () => {
    const pixels = compressedZeros(641 * 400)
    const comment = blackPng(640, 400, pixels, [pngComment(2_000_000_000)])
    expect((await upload(comment)).status).toBe(200)
    const longer = blackPng(640, 401, compressedZeros(2_000_000_000))
    expect([200, 422]).toContain((await upload(longer)).status)
  })

  test('is taken as JPEG, PNG, WebP and AVIF whatever it is called, upright and in sRGB', async () => {
    const sideways = await plain(400, 640).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const wide = await plain().withIccProfile('p3').png().toBuffer()
    const inks = await plain().toColourspace('cmyk').jpeg().toBuffer()
    const clear = sharp({ create: { width: 640, height: 400, channels: 4, background: '#00000000' } })
    const files = [
      sideways,
      wide,
      inks,
      await clear.webp().toBuffer(),
      await plain().avif({ effort: 0 }).toBuffer(),
    ]
    for (const bytes of files) {
      const picture = await uploaded(bytes)
      expect(picture).toMatchObject({
        width: 640,
        height: 400,
        color: expect.stringMatching(/^#[\da-f]{6}$/),
      })
      const [{ bytes: stored }] = await run('SELECT bytes FROM pictures WHERE id = $1', [picture.id])
      expect(await sharp(stored).metadata()).toMatchObject({
        format: 'jpeg',
        space: 'srgb',
        hasProfile: false,
      })
      expect((await sharp(stored).metadata()).orientation).toBeUndefined()
      expect(sha256(stored)).toBe(picture.id)
    }
    // What was transparent is white.
    const white = await uploaded(await clear.png().toBuffer())
    expect(white.color).toBe('#ffffff')
  })

  test('is stored at most 4,096 pixels wide', async () => {
    expect(await uploaded(blackPng(6_000, 3_000))).toMatchObject({ width: 4_096, height: 2_048 })
  })

  test('loses where and with what it was taken, and whatever was hidden in it', async () => {
    const bytes = await plain()
      .withExif({
        IFD0: { Make: 'SecretCamera', Copyright: 'Somebody' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 12/1 30/1' },
      })
      .jpeg()
      .toBuffer()
    expect(bytes.includes('SecretCamera')).toBe(true)
    const polyglot = Buffer.concat([bytes, Buffer.from('<script>alert(1)</script>PK\x03\x04')])
    const { id } = await uploaded(polyglot)
    const offer = await newOffer()
    await save(offer.id, [wanted({ id })])
    await workForReal()
    const stored = await run(
      `SELECT bytes FROM pictures WHERE id = $1 UNION ALL SELECT preview FROM pictures WHERE id = $1
       UNION ALL SELECT f.bytes FROM picture_files f JOIN picture_renditions r ON r.id = rendition_id WHERE picture_id = $1`,
      [id],
    )
    expect(stored).toHaveLength(2 + 7)
    for (const { bytes: one } of stored) {
      expect((await sharp(one).metadata()).exif).toBeUndefined()
      for (const word of ['SecretCamera', 'Exif\0', 'script', 'PK\x03\x04'])
        expect(one.includes(word)).toBe(false)
    }
  })

  test('is one picture however often, in whatever file and by whomever it is uploaded', async () => {
    const bytes = await plain().png().toBuffer()
    const other = await sharp(bytes)
      .withExif({ IFD0: { Make: 'Other' } })
      .png({ compressionLevel: 1 })
      .toBuffer()
    expect(other).not.toEqual(bytes)
    const responses = await Promise.all([bytes, other, bytes].map((one) => uploaded(one)))
    expect(new Set(responses.map(({ id }) => id)).size).toBe(1)
    const [{ id }] = responses as [UploadedPicture, ...UploadedPicture[]]
    expect(await run('SELECT uploaded_by::int FROM pictures WHERE id = $1', [id])).toEqual([
      { uploaded_by: staff.id },
    ])
    expect(await run('SELECT action, actor_id::int FROM audit_log WHERE subject = $1', [id])).toEqual([
      { action: 'offers.edit', actor_id: staff.id },
    ])
    await expect(run(`UPDATE pictures SET bytes = 'x' WHERE id = $1`, [id])).rejects.toThrow('refused')
    await expect(
      run(
        `INSERT INTO pictures SELECT repeat('0', 64), bytes, preview, mime, width, height, color FROM pictures`,
      ),
    ).rejects.toThrow('hash')
  })

  test('waits outside when eight others are in memory, until those that are too slow are cut off', async () => {
    const { server } = shop.app
    const { requestTimeout, headersTimeout } = server
    const responses = Array.from({ length: 9 }, async () => {
      const one = httpRequest({
        port: shop.port,
        method: 'POST',
        path: '/api/staff/pictures/',
        headers: {
          cookie: staff.cookie,
          origin: shop.config.publicUrl,
          'content-type': 'image/png',
          'content-length': 1_000,
        },
      })
      one.write('first bytes')
      const [response] = (await once(one, 'response')) as [IncomingMessage]
      // Once it is cut off, its last bytes cannot be sent.
      one.on('error', () => undefined)
      return { status: response.statusCode, body: JSON.parse(await text(response)) as { code: string } }
    })
    expect(await Promise.race(responses)).toMatchObject({ status: 503, body: { code: 'pictures.busy' } })
    Object.assign(server, { requestTimeout: 1, headersTimeout: 1 })
    const others = (await Promise.all(responses)).filter(({ status }) => status !== 503)
    Object.assign(server, { requestTimeout, headersTimeout })
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 408))
    await uploaded()
  })

  test('is refused from somebody who may not edit contests, who may see it', async () => {
    const support = await shop.newStaff('support')
    expect((await upload(await plain().jpeg().toBuffer(), { by: support })).status).toBe(403)
    const { id, preview } = await uploaded()
    expect((await support.get(`/api/staff/pictures/${id}/`)).body).toMatchObject({ id, renditions: [] })
    const seen = await support.get(preview)
    expect(seen.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=31536000, immutable',
    })
    expect((await shop.anonymous('GET', preview)).status).toBe(401)
    expect((await staff.get(`/api/staff/pictures/${'0'.repeat(64)}/`)).body.code).toBe('pictures.notFound')
  })
})

describe('The pictures of an offer', () => {
  test('are shown once their sizes are made, in the fields and at addresses as before', async () => {
    const offer = await newOffer()
    const picture = await uploaded(await plain(900, 800).jpeg().toBuffer())
    const saved = await save(offer.id, [wanted(picture, { focal: { x: 450, y: 100 } })])
    expect(saved.body).toMatchObject({
      version: 1,
      pictures: [
        {
          kind: 'uploaded',
          crop: { x: 0, y: 0, width: 900, height: 563 },
          focal: { x: 450, y: 100 },
          work: { state: 'queued', made: 0, files: 9 },
        },
      ],
    })
    expect(await offer.shown()).toMatchObject({ image: null, carousel_images: [], pictures: [] })
    expect(await isPublishable(offer.id)).toBe(false)
    await workForReal()
    const shown = await offer.shown()
    const { src } = shown.pictures[0]
    expect(src).toMatch(/^\/media\/p\/[\da-f]{32}$/)
    expect(shown).toMatchObject({
      image: `${src}-696.webp`,
      carousel_images: [`${src}-900.webp`],
      pictures: [{ widths: [240, 480, 696, 900], width: 900, height: 563, color: picture.color, alt: ALT }],
    })
    for (const width of [240, 480, 696, 900]) {
      for (const [ending, format] of [
        ['webp', 'webp'],
        ['avif', 'heif'],
      ]) {
        const { rawPayload } = await file(`${src}-${width}.${ending}`)
        expect(await sharp(rawPayload).metadata()).toMatchObject({
          width,
          height: Math.round(width * 0.625),
          format,
        })
      }
    }
    expect(await isPublishable(offer.id)).toBe(true)
    expect((await staff.get(`/api/staff/pictures/${picture.id}/`)).body['renditions']).toEqual([
      {
        crop: { x: 0, y: 0, width: 900, height: 563 },
        state: 'done',
        made: 9,
        files: 9,
        failure: null,
      },
    ])
  })

  test('stay as they are in the shop until a new crop of them is made', async () => {
    const offer = await ready()
    const [picture] = offer.pictures as [UploadedPicture]
    const before = await offer.shown()
    await save(offer.id, [
      wanted(picture, { crop: { x: 16, y: 10, width: 608, height: 380 }, alt: { ...ALT, fr: 'Autre' } }),
    ])
    const between = await offer.shown()
    expect(between.pictures[0].src).toBe(before.pictures[0].src)
    expect(between.pictures[0].alt.fr).toBe('Autre')
    expect(await isPublishable(offer.id)).toBe(false)
    await work()
    expect((await offer.shown()).pictures[0]).toMatchObject({
      src: expect.not.stringContaining(before.pictures[0].src),
      widths: [240, 480, 608],
    })
  })

  test('keep their order, and the files that a contest has besides', async () => {
    const offer = await newOffer({ pictures: ['fastback-front', 'fastback-rear'] })
    const [one, two] = [await uploaded(), await uploaded()]
    const [front] = (await ofOffer(offer.id)).pictures
    expect(front).toMatchObject({
      kind: 'file',
      src: '/media/fastback-front',
      preview: '/media/fastback-front-480.webp',
    })
    const kept: Wanted = { kind: 'file', src: '/media/fastback-front', alt: { ...ALT, en: 'From the front' } }
    expect((await save(offer.id, [wanted(two), kept, wanted(one)])).status).toBe(200)
    await work()
    const { pictures } = await offer.shown()
    expect(pictures.map(({ alt }: { alt: typeof ALT }) => alt.en)).toEqual([
      'A car',
      'From the front',
      'A car',
    ])
    expect((await save(offer.id, [wanted(one), wanted(two)])).body['pictures']).toHaveLength(2)
    expect((await save(offer.id, [kept])).status).toBe(400)
    expect((await save(offer.id, [])).body['code']).toBe('pictures.lastOne')
    const draft = await newOffer({ state: 'draft' })
    await save(draft.id, [wanted(one)])
    expect((await save(draft.id, [])).body).toMatchObject({ version: 2, pictures: [] })
  })

  test.each(['scheduled', 'open'])('of a contest that is %s stay visible and described', async (state) => {
    const offer = await ready({ state })
    const [picture] = offer.pictures as [UploadedPicture]
    const before = await ofOffer(offer.id)
    const undescribed = await save(offer.id, [wanted(picture, { alt: { ...ALT, nl: ' ' } })])
    expect([undescribed.status, undescribed.body['code']]).toEqual([409, 'pictures.altMissing'])
    const next = await uploaded()
    const replaced = await save(offer.id, [wanted(next)])
    expect([replaced.status, replaced.body['code']]).toEqual([409, 'pictures.noneReady'])
    expect(await ofOffer(offer.id)).toEqual(before)
    expect((await save(offer.id, [wanted(next), wanted(picture)])).status).toBe(200)
    await work()
    expect((await save(offer.id, [wanted(next)])).status).toBe(200)
  })

  test('that are saved again as they are change nothing, in whichever version they were seen', async () => {
    const offer = await newOffer()
    const picture = await uploaded()
    const body = { version: 0, pictures: [wanted(picture)] }
    const saved = await staff.put(address(offer.id), body)
    const entries = () =>
      run(`SELECT id FROM audit_log WHERE subject_kind = 'offer' AND subject = $1`, [String(offer.id)])
    const before = await entries()
    for (const version of [0, 1])
      expect(
        await staff.put(address(offer.id), { ...body, version }, { isWithoutEffect: true }),
      ).toMatchObject({ status: 200, body: saved.body })
    expect(await entries()).toEqual(before)
    const other = [wanted(picture, { alt: { ...ALT, nl: 'Een andere' } })]
    expect((await staff.put(address(offer.id), { version: 0, pictures: other })).status).toBe(409)
  })

  test('are saved by one of two people; the other is told what is there', async () => {
    const offer = await newOffer()
    const [one, two] = [await uploaded(), await uploaded()]
    const put = (picture: UploadedPicture) =>
      staff.put(address(offer.id), { version: 0, pictures: [wanted(picture)] })
    const responses = await Promise.all([put(one), put(two)])
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const [winner, loser] = responses[0]?.status === 200 ? responses : responses.toReversed()
    expect(loser?.body).toMatchObject({ code: 'pictures.changed', current: winner?.body })
    const entries = await run(
      `SELECT entry::jsonb -> 'before' AS before, entry::jsonb -> 'after' AS after FROM audit_log
       WHERE subject_kind = 'offer' AND subject = $1`,
      [String(offer.id)],
    )
    expect(entries).toEqual([
      { before: { pictures: [] }, after: { pictures: [expect.objectContaining({ alt: ALT })] } },
    ])
  })

  test('are refused with a crop that cannot be shown, unknown, too many, or with a novel as description', async () => {
    const offer = await newOffer()
    const picture = await uploaded()
    const detail = async (...pictures: Wanted[]) => {
      const { status, body } = await save(offer.id, pictures)
      return [status, body['detail']]
    }
    const crop = (width: number, height: number, x = 0) =>
      wanted(picture, { crop: { x, y: 0, width, height } })
    expect(await detail(crop(640, 400, 1))).toEqual([400, expect.stringContaining('beyond')])
    expect(await detail(crop(560, 350))).toEqual([400, expect.stringContaining('too small')])
    expect(await detail(crop(640, 380))).toEqual([400, expect.stringContaining('shape')])
    expect(await detail(wanted({ id: 'f'.repeat(64) }))).toEqual([
      400,
      expect.stringContaining('no longer exists'),
    ])
    expect(await detail(...Array.from({ length: 21 }, () => wanted(picture)))).toEqual([
      400,
      expect.stringContaining('20 pictures'),
    ])
    const alt = { ...ALT, nl: 'x'.repeat(301) }
    expect(await detail(wanted(picture, { alt }))).toEqual([400, expect.stringContaining('300 characters')])
    expect((await staff.get('/api/staff/offers/999999/pictures/')).status).toBe(404)
    expect((await ofOffer(offer.id)).version).toBe(0)
  })

  test('are copied to another contest', async () => {
    const offer = await ready({ count: 2 })
    const copy = await staff.post('/api/staff/offers/', { copy_of: offer.id })
    const idsOf = async (id: number) =>
      (await ofOffer(id)).pictures.map((one) => one.kind === 'uploaded' && [one.id, one.work.state])
    expect(await idsOf(copy.body['id'])).toEqual(await idsOf(offer.id))
    expect(await isPublishable(copy.body['id'])).toBe(true)
  })
})

describe('The sizes of pictures', () => {
  /** Counts what is encoded. */
  const counting = (encoded: EncodeTask[]): Processes => ({
    encode: (task) => {
      encoded.push(task)
      return quick.encode(task)
    },
  })
  const letTimePass = () =>
    run(`UPDATE picture_renditions SET due_at = now() - interval '1 second' WHERE state <> 'done'`)

  test('are made once by three workers', async () => {
    const offer = await newOffer()
    const pictures = await Promise.all(Array.from({ length: 4 }, () => uploaded()))
    await save(
      offer.id,
      pictures.map((one) => wanted(one)),
    )
    const encoded: EncodeTask[] = []
    await Promise.all([1, 2, 3].map(() => work(counting(encoded))))
    // Three widths, and one for shared links.
    expect(encoded).toHaveLength(4 * 4)
    expect(await progress(offer.id)).toEqual({ done: 4, waiting: 0, failed: 0 })
  })

  test('go on after kill -9 with the file that was being made', async () => {
    const offer = await newOffer()
    const picture = await uploaded()
    await save(offer.id, [wanted(picture)])
    const program = fileURLToPath(new URL('./make-renditions.test-support.ts', import.meta.url))
    const child = spawn(process.execPath, [program, shop.url], { stdio: ['ignore', 'pipe', 'inherit'] })
    // It has stored the first step and hangs in the second.
    await once(child.stdout, 'data')
    const workOf = async () => (await staff.get(`/api/staff/pictures/${picture.id}/`)).body['renditions'][0]
    expect(await workOf()).toMatchObject({ state: 'working', made: 2, files: 7 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    const encoded: EncodeTask[] = []
    await work(counting(encoded))
    // The claim of the killed process still runs.
    expect(encoded).toEqual([])
    await letTimePass()
    await work(counting(encoded))
    expect(encoded.map(({ formats }) => formats)).toEqual([['avif', 'webp'], ['avif', 'webp'], ['jpeg']])
    expect(await workOf()).toMatchObject({ state: 'done', made: 7 })
  })

  test('of a process that was only slow are not stored twice', async () => {
    const offer = await newOffer()
    await save(offer.id, [wanted(await uploaded())])
    let isFirst = true
    const slow: Processes = {
      async encode(task) {
        const files = await quick.encode(task)
        if (isFirst) {
          isFirst = false
          await letTimePass()
          await work()
        }
        return files
      },
    }
    await work(slow)
    expect(await isPublishable(offer.id)).toBe(true)
    expect(await run(`SELECT attempts FROM picture_renditions ORDER BY queued_at DESC LIMIT 1`)).toEqual([
      { attempts: 2 },
    ])
  })

  test('are given up after some failures with a reason, and tried again when staff save', async () => {
    const offer = await newOffer()
    const picture = await uploaded()
    await save(offer.id, [wanted(picture)])
    const broken: Processes = { encode: () => Promise.reject(new PictureProcessError('timeout', 'test')) }
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      expect(await progress(offer.id)).toEqual({ done: 0, waiting: 1, failed: 0 })
      await work(broken)
      await letTimePass()
    }
    expect(await isPublishable(offer.id)).toBe(false)
    const workOf = async () =>
      (await ofOffer(offer.id)).pictures.map((one) => one.kind === 'uploaded' && one.work)
    expect(await workOf()).toEqual([{ state: 'failed', made: 0, files: 7, failure: 'timeout' }])
    // The same again: nothing is stored, and the work begins anew.
    await save(offer.id, [wanted(picture)], { isWithoutEffect: true })
    await work()
    expect(await isPublishable(offer.id)).toBe(true)
  })

  test('are given up when every attempt ended the process', async () => {
    const offer = await newOffer()
    await save(offer.id, [wanted(await uploaded())])
    await run(
      `UPDATE picture_renditions SET state = 'working', attempts = ${ATTEMPTS_MAX} WHERE state = 'queued'`,
    )
    await letTimePass()
    await work()
    expect((await ofOffer(offer.id)).pictures).toMatchObject([
      { work: { state: 'failed', failure: 'crashed' } },
    ])
  })

  test('are left to another process by one that stops', async () => {
    const offer = await newOffer()
    await save(offer.id, [wanted(await uploaded())])
    let isStopping = false
    const processes: Processes = {
      encode: (task) => {
        isStopping = true
        return quick.encode(task)
      },
    }
    await makeRenditions({ db, log, processes, isStopping: () => isStopping })
    expect((await ofOffer(offer.id)).pictures).toMatchObject([{ work: { state: 'queued', made: 2 } }])
    await work()
    expect(await isPublishable(offer.id)).toBe(true)
  })

  test('are made only of what an offer still uses', async () => {
    const offer = await newOffer()
    const picture = await uploaded()
    for (const x of [0, 8, 16])
      await save(offer.id, [wanted(picture, { crop: { x, y: 0, width: 608, height: 380 } })])
    const encoded: EncodeTask[] = []
    await work(counting(encoded))
    expect(new Set(encoded.map(({ part }) => part.x))).toEqual(new Set([16]))
  })
})

describe('A picture of the database', () => {
  test('is served for a year, once to whoever has it, and runs nothing', async () => {
    const offer = await ready()
    const { src } = (await offer.shown()).pictures[0]
    const url = `${src}-480.avif`
    const { statusCode, headers, rawPayload } = await file(url)
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'image/avif',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': String(rawPayload.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${sha256(rawPayload)}"`,
    })
    const head = await file(url, {}, 'HEAD')
    expect([head.statusCode, head.rawPayload.length, head.headers['content-length']]).toEqual([
      200,
      0,
      String(rawPayload.length),
    ])
    const known = await file(url, { 'if-none-match': `W/"x", ${headers.etag}` })
    expect([known.statusCode, known.rawPayload.length, known.headers['cache-control']]).toEqual([
      304,
      0,
      'public, max-age=31536000, immutable',
    ])
    expect((await file(url, { 'if-none-match': '"x"' })).statusCode).toBe(200)
    expect((await file(`${src}-480.webp`)).headers['content-type']).toBe('image/webp')
  })

  test('is not found by another name', async () => {
    const offer = await ready()
    const { src } = (await offer.shown()).pictures[0]
    for (const url of [
      `${src}-481.avif`,
      `${src}-480.png`,
      `${src}-99999.avif`,
      src,
      '/media/p/',
      `/media/p/${'0'.repeat(32)}-480.avif`,
      '/media/p/..%2f..%2fpackage.json',
    ])
      expect((await file(url)).statusCode, url).toBe(404)
  })

  test('is shared on networks in their shape, from the database alone', async () => {
    const offer = await ready({ processes: real })
    const [{ src }] = (await offer.shown()).pictures
    const shared = await file(`/media/og-${offer.slug}.jpg?v=${src.split('/').at(-1)}`)
    expect(shared.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=604800',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(await sharp(shared.rawPayload).metadata()).toMatchObject({ width: 1_200, height: 630 })
    expect(
      (await file(`/media/og-${offer.slug}.jpg`, { 'if-none-match': String(shared.headers.etag) }))
        .statusCode,
    ).toBe(304)
    const waiting = await newOffer()
    await save(waiting.id, [wanted(await uploaded())])
    expect((await file(`/media/og-${waiting.slug}.jpg`)).statusCode).toBe(302)
  })

  test('is deleted a month after its last use, with its sizes', async () => {
    const used = await ready()
    const former = await ready()
    const lonely = await uploaded()
    await run(`UPDATE pictures SET used_at = now() - interval '31 days'`)
    await run(`UPDATE picture_renditions SET used_at = now() - interval '31 days'`)
    // Taken away today: its month begins.
    const next = wanted(await uploaded())
    await save(former.id, [next, ...former.pictures.map((one) => wanted(one))])
    await work()
    expect((await save(former.id, [next])).status).toBe(200)
    const { pictures } = await applyRetention(db, log, shop.config)
    expect(pictures).toBeGreaterThan(0)
    const status = async ({ id }: { id: string }) => (await staff.get(`/api/staff/pictures/${id}/`)).status
    expect(await status(lonely)).toBe(404)
    for (const picture of [...used.pictures, ...former.pictures]) expect(await status(picture)).toBe(200)
    expect((await used.shown()).pictures).toHaveLength(1)
    await run(`UPDATE pictures SET used_at = now() - interval '31 days'`)
    await run(`UPDATE picture_renditions SET used_at = now() - interval '31 days'`)
    await applyRetention(db, log, shop.config)
    for (const picture of former.pictures) expect(await status(picture)).toBe(404)
    expect(await isPublishable(used.id)).toBe(true)
  })
})
