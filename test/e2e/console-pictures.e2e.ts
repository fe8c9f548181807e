import pino from 'pino'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { OfferPictures } from '#features/pictures/pictures.contract.ts'
import { makeRenditions } from '#features/pictures/server/index.ts'
import { PictureProcessError } from '#features/pictures/server/picture-processes.ts'
import type { Language } from '#shared/languages.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { type Visitor, sidewaysScroll } from '../support/browser.ts'
import { seeAccessible, smallTargets } from '../support/page-checks.ts'
import type { Staff } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'
import { isExtended } from '../support/tier.ts'
import { languageName } from '#i18n/language-name.ts'

const { shop, visit } = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const log = pino({ level: 'silent' })
/** What a worker does in the background. */
const makeSizes = (
  encode = async ({ formats }: { formats: readonly unknown[] }) => formats.map(() => FILE),
) => makeRenditions({ db: shop.db, log, processes: { encode } })
const FILE = Buffer.from('a picture')

interface PictureFile {
  name: string
  mimeType: string
  buffer: Buffer
}

let shade = 0
/** Two halves, so that one sees which part of it is shown; each picture is another one. */
async function photo(name: string, width = 900, height = 700): Promise<PictureFile> {
  const half = { width: Math.floor(width / 2), height, channels: 3 } as const
  const buffer = await sharp({
    create: { width, height, channels: 3, background: `#2740${(shade += 16).toString(16)}` },
  })
    .composite([{ input: { create: { ...half, background: '#c8553d' } }, left: 0, top: 0 }])
    .jpeg()
    .toBuffer()
  return { name, mimeType: 'image/jpeg', buffer }
}
const red = await photo('red.jpg')
const tall = await photo('tall.jpg', 700, 1_000)
const note = { name: 'note.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('Dear customer, a letter.') }

const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')
/** Above two megabytes. */
const heavy = () =>
  sharp({
    create: {
      width: 3_000,
      height: 2_000,
      channels: 3,
      background: '#555',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .jpeg()
    .toBuffer()

interface Seen extends Visitor {
  staff: Staff
  offerId: number
  t: ReturnType<typeof words>
}

interface Options {
  role?: StaffRole
  width?: number
  language?: Language
  offerId?: number
}

/** Their part of the contest's editor. */
const PICTURES = '#contest-pictures'

/** Opens the pictures of an offer for somebody who is signed in. */
async function open({ role = 'manager', language = 'en', offerId, ...options }: Options = {}): Promise<Seen> {
  const staff = await shop.newStaff(role)
  const id = offerId ?? (await shop.newOffer({ state: 'draft' }))
  const visitor = await visit(undefined, { language, ...options })
  const [name = '', value = ''] = staff.cookie.split('=')
  await visitor.context.addCookies([
    { name, value, domain: 'localhost', path: '/api/staff/', httpOnly: true, sameSite: 'Strict' },
  ])
  await visitor.page.goto(`/admin/offers/${id}`)
  const t = words(language)
  await visitor.page.locator(PICTURES).getByText(/\d/).first().waitFor()
  return { ...visitor, staff, offerId: id, t }
}

const stored = async ({ staff, offerId }: Seen): Promise<OfferPictures> =>
  (await staff.get(`/api/staff/offers/${offerId}/pictures/`)).body as OfferPictures
const items = (page: Page) => page.locator(`${PICTURES} ol > li`)
const choose = (page: Page, files: PictureFile[]) =>
  page.locator('input[type=file][multiple]').setInputFiles(files)

describe('The pictures of a contest', () => {
  test('are uploaded, described, ordered, cut and removed on a phone in Dutch', async ({ annotate }) => {
    await annotate('Staff upload three files, of which one is no picture')
    const seen = await open({ width: 360, language: 'nl' })
    const { page, faults, t } = seen
    await seeAccessible(page)
    // The other button opens the camera.
    expect(await page.locator('input[type=file][capture=environment]').count()).toBe(1)

    // The first of them arrives last.
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(
      '**/api/staff/pictures/',
      async (route) => {
        await held
        await route.continue()
      },
      { times: 1 },
    )
    await choose(page, [red, note, tall])
    await expect.poll(() => items(page).count()).toBe(1)
    release()
    await expect.poll(() => items(page).count()).toBe(2)
    await expect
      .poll(async () => (await stored(seen)).pictures.map((one) => 'height' in one && one.height))
      .toEqual([700, 1_000])
    await page
      .getByRole('alert')
      .getByText(`note.jpg: ${t('consolePictures.refusals.unsupported')}`)
      .waitFor()
    await page.getByText(t('consolePictures.missing', { count: 6 })).waitFor()
    expect(await sidewaysScroll(page)).toBe(0)
    await seeAccessible(page)
    expect(await smallTargets(page)).toEqual([])
    await page
      .getByRole('button', { name: t('consolePictures.upload.dismiss', { name: 'note.jpg' }) })
      .click()

    await annotate('Staff describe a picture in three languages')
    const description = (place: number, of: Language) =>
      items(page)
        .nth(place - 1)
        .getByRole('textbox', { name: languageName(of, 'nl') })
    for (const language of ['fr', 'nl', 'en'] as const)
      await description(2, language).fill(`Rood ${language}`)
    await description(2, 'en').blur()
    await page.getByText(t('consolePictures.missing', { count: 3 })).waitFor()
    const alts = async () => (await stored(seen)).pictures.map(({ alt }) => alt.nl)
    await expect.poll(alts).toEqual(['', 'Rood nl'])

    await annotate('Staff move a picture up')
    await page.getByRole('button', { name: t('consolePictures.item.up', { place: 2 }) }).click()
    await expect.poll(alts).toEqual(['Rood nl', ''])
    await page.getByText(t('consolePictures.item.moved', { place: 1, count: 2 })).waitFor()
    // At the top of the list the other button has the focus.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-move')))
      .toBe('down')

    await annotate('Staff remove a picture and undo it')
    await page.getByRole('button', { name: t('consolePictures.item.removeNamed', { place: 2 }) }).click()
    await expect.poll(alts).toEqual(['Rood nl'])
    await page.getByRole('button', { name: t('consolePictures.item.undo') }).click()
    await expect.poll(alts).toEqual(['Rood nl', ''])

    await annotate('The worker makes the sizes')
    await page.getByText(t('consolePictures.work.queued')).first().waitFor()
    await makeSizes()
    await expect
      .poll(() => items(page).getByText(t('consolePictures.work.done'), { exact: true }).count())
      .toBe(2)
    expect(faults.filter((one) => !one.includes('status of 415'))).toEqual([])

    await annotate('Staff cut a picture with the keyboard')
    await page.getByRole('button', { name: t('consolePictures.item.editNamed', { place: 1 }) }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('consolePictures.crop.frame')).waitFor()
    await seeAccessible(page)
    expect(await smallTargets(page)).toEqual([])
    expect(await sidewaysScroll(page)).toBe(0)
    await dialog.getByLabel(t('consolePictures.crop.frame')).focus()
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('Shift+ArrowUp')
    await dialog.getByLabel(t('consolePictures.crop.down')).focus()
    await page.keyboard.press('Home')
    await dialog.getByRole('button', { name: t('consolePictures.crop.apply') }).click()
    await expect
      .poll(async () => (await stored(seen)).pictures[0])
      .toMatchObject({
        crop: { x: 0, y: 0, width: 700, height: 438 },
        focal: { x: 350, y: 0 },
        work: { state: 'queued' },
      })
    expect(faults.filter((one) => !one.includes('status of 415'))).toEqual([])
  })

  test.runIf(isExtended)('are dropped, pasted and marked by a click on a desk in French', async () => {
    const seen = await open({ language: 'fr' })
    const { page, faults, t } = seen
    const transferOf = ({ name, mimeType, buffer }: PictureFile) =>
      page.evaluateHandle(
        ([fileName, type, base64]) => {
          const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
          const transfer = new DataTransfer()
          transfer.items.add(new File([bytes], fileName, { type }))
          return transfer
        },
        [name, mimeType, buffer.toString('base64')] as const,
      )
    const paste = async (file: PictureFile) =>
      page.evaluate(
        (clipboardData) => void window.dispatchEvent(new ClipboardEvent('paste', { clipboardData })),
        await transferOf(file),
      )
    await paste(red)
    await expect.poll(() => items(page).count()).toBe(1)
    await paste(red)
    await page.getByText(t('consolePictures.upload.known')).waitFor()
    await page
      .getByText(t('consolePictures.add.drop'))
      .dispatchEvent('drop', { dataTransfer: await transferOf(tall) })
    await expect.poll(() => items(page).count()).toBe(2)

    await page.getByRole('button', { name: t('consolePictures.item.editNamed', { place: 2 }) }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('consolePictures.crop.width')).fill('600')
    const box = (await dialog.locator('[data-focal]').boundingBox())!
    await page.mouse.click(box.x + box.width / 4, box.y + box.height / 4)
    await seeAccessible(page)
    await dialog.getByRole('button', { name: t('consolePictures.crop.apply') }).click()
    await expect
      .poll(async () => (await stored(seen)).pictures[1])
      .toMatchObject({
        crop: { x: 50, width: 600, height: 375 },
        focal: { x: expect.closeTo(200, -1), y: expect.closeTo(406, -1) },
      })
    await seeAccessible(page)
    expect(faults).toEqual([])
  })

  test.runIf(isExtended)('show what went wrong in place, and what can be done about it', async () => {
    const seen = await open()
    const { page, t } = seen
    const red = await photo('red.jpg')
    await page.route('**/api/staff/pictures/', (route) => route.abort(), { times: 1 })
    await choose(page, [red])
    await page.getByText(`red.jpg: ${t('consolePictures.upload.network')}`).waitFor()
    await page.getByRole('button', { name: t('consolePictures.upload.retry', { name: 'red.jpg' }) }).click()
    await expect.poll(() => items(page).count()).toBe(1)

    // This browser cannot read what an iPhone makes, and neither can the server.
    await choose(page, [{ ...note, name: 'phone.heic', buffer: HEIC }])
    await page.getByText(`phone.heic: ${t('consolePictures.refusals.heic')}`).waitFor()
    // A server that waited too long for a picture gets a lighter copy of it, when there can be one.
    const respondTooSlowly = () =>
      page.route('**/api/staff/pictures/', (route) => route.fulfill({ status: 408, json: {} }), { times: 1 })
    await respondTooSlowly()
    await choose(page, [await photo('slow.jpg')])
    await page.getByText(`slow.jpg: ${t('consolePictures.upload.tooSlow')}`).waitFor()
    await respondTooSlowly()
    await choose(page, [{ ...red, name: 'heavy.jpg', buffer: await heavy() }])
    await expect
      .poll(async () => (await stored(seen)).pictures.map(({ width }) => width))
      .toEqual([900, 2_400])
    await page.getByRole('button', { name: t('consolePictures.item.removeNamed', { place: 2 }) }).click()

    // What the page shows may not be stored yet.
    await expect.poll(async () => (await stored(seen)).pictures.length).toBe(1)
    const fail = () => Promise.reject(new PictureProcessError('timeout', 'test'))
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await makeSizes(fail)
      await shop.pool.query(`UPDATE picture_renditions SET due_at = now() WHERE state = 'queued'`)
    }
    await page.getByText(t('consolePictures.work.failed.timeout')).waitFor()
    await seeAccessible(page)
    await page.getByRole('button', { name: t('consolePictures.retry') }).click()
    await page.getByText(t('consolePictures.work.queued')).waitFor()

    await page.route('**/api/staff/offers/*/pictures/', (route) => route.abort(), { times: 1 })
    await page.getByRole('button', { name: t('consolePictures.item.removeNamed', { place: 1 }) }).click()
    await page.getByText(t('consolePictures.status.unsaved')).waitFor()
    await page
      .getByRole('alert')
      .getByRole('button', { name: t('consolePictures.retry') })
      .click()
    await expect.poll(async () => (await stored(seen)).pictures).toEqual([])
  })

  test.runIf(isExtended)(
    'that somebody else has changed are kept or taken, and nothing is lost',
    async () => {
      const seen = await open()
      const { page, t, staff, offerId } = seen
      await choose(page, [red])
      await expect.poll(async () => (await stored(seen)).pictures.length).toBe(1)
      const address = `/api/staff/offers/${offerId}/pictures/`
      const changeMeanwhile = async () =>
        staff.put(address, { version: (await stored(seen)).version, pictures: [] })
      const description = items(page).getByRole('textbox', { name: languageName('en', 'en') })
      for (const choice of ['takeTheirs', 'keepMine'] as const) {
        if (choice === 'keepMine') await choose(page, [red])
        await expect.poll(async () => (await stored(seen)).pictures.length).toBe(1)
        await changeMeanwhile()
        await description.fill('A red car')
        await description.blur()
        await page.getByText(t('consolePictures.conflict.title')).waitFor()
        await seeAccessible(page)
        // What is typed now is not lost either.
        await description.fill('A red car, seen from the left')
        await page.getByRole('button', { name: t(`consolePictures.conflict.${choice}`) }).click()
        const left = choice === 'keepMine' ? ['A red car, seen from the left'] : []
        await expect.poll(async () => (await stored(seen)).pictures.map(({ alt }) => alt.en)).toEqual(left)
        await expect.poll(() => items(page).count()).toBe(left.length)
      }
    },
  )

  test.runIf(isExtended)('are only shown to somebody who may not change contests', async () => {
    // A draft is for its editors alone.
    const offerId = await shop.newOffer()
    const { page: editing } = await open({ offerId })
    await choose(editing, [red])
    await expect.poll(() => items(editing).count()).toBe(1)
    const { page } = await open({ role: 'accountant', offerId })
    await items(page).first().waitFor()
    expect(await page.locator(`${PICTURES} :is(button, input:not([readonly]))`).count()).toBe(0)
    await seeAccessible(page)
  })
})
