import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { QUICKNET } from '../../src/draw-protocol/beacon.ts'
import { CHEATS } from '../../src/draw-protocol/cheats.test-support.ts'
import { checkPack } from '../../src/draw-protocol/check.ts'
import {
  LIVE,
  POLICY,
  TERMS,
  fragmentOf,
  sealedDraw,
  wholeDraw,
} from '../../src/draw-protocol/draw.test-support.ts'
import { authorityOf } from '../../src/draw-protocol/stamps.test-support.ts'
import { STEPS } from '../../src/draw-protocol/steps.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { insertDraw } from '../support/draws.ts'
import { seeAccessible, smallTargets } from '../support/page-checks.ts'
import { sharedStage } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'
import { evidenceZip } from '../support/zip.ts'

const { shop, visit } = await sharedStage()
const t = words('en')

type Pack = ReadonlyMap<string, Uint8Array>
const PAGE = '/draws/verify'
const VERIFY_FILE = path.resolve(import.meta.dirname, '../../build/verify/index.html')
const AUTHORITY = 'Temps Sûr'
const whole = wholeDraw({}, { policy: POLICY, authority: { name: AUTHORITY } })
/** That draw, which three of its four witnesses have confirmed in time, and an authority has stamped. */
const PASSED = t('verifyReport.verdict.passed.stamped', { count: 3, of: 4, name: AUTHORITY })
const [first, second] = whole.results.map(({ number }) => number) as [number, number]

const base64url = (hash: string): string => Buffer.from(hash, 'hex').toString('base64url')

/** As it stands on a ticket. */
const shown = (number: number): string => String(number).padStart(String(TERMS.tickets).length, '0')

const archive = (files: Pack, name = 'evidence.zip') => ({
  name,
  mimeType: 'application/zip',
  buffer: evidenceZip(files, TERMS.contest),
})

/** Chooses files and waits for the verdict, which it returns. */
async function check(page: Page, files: Parameters<Page['setInputFiles']>[1]): Promise<string | null> {
  // The verdict of the files before goes away at once.
  await page.locator('input[type=file]').setInputFiles(files)
  const verdict = page.locator('[data-verdict]')
  await verdict.waitFor()
  return await verdict.getAttribute('data-verdict')
}

const states = (page: Page): Promise<(string | null)[]> =>
  page.locator('[data-step]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-state')))

/** The first step that the page shows as failed, with what it says of it. */
async function firstFailed(page: Page): Promise<{ step: string | null; text: string } | null> {
  const row = page.locator('[data-state=failed]').first()
  if ((await row.count()) === 0) return null
  return { step: await row.getAttribute('data-step'), text: await row.innerText() }
}

test('a draw that is dropped passes, and the page says who won and how to check without it', async () => {
  const { page, faults } = await visit(PAGE)
  await page.getByRole('heading', { level: 1, name: t('verify.page.title') }).waitFor()
  const data = await page.evaluateHandle(
    (bytes) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([new Uint8Array(bytes)], 'evidence.zip', { type: 'application/zip' }))
      return transfer
    },
    [...evidenceZip(whole.pack(), TERMS.contest)],
  )
  await page
    .locator('h2', { hasText: t('verify.choose.title') })
    .dispatchEvent('drop', { dataTransfer: data })
  await page.locator('[data-verdict=passed]').waitFor()
  expect(await states(page)).toEqual(STEPS.map(() => 'passed'))
  const said = await page.locator('[data-verdict]').innerText()
  // The test's beacon is not the public one: only a demonstration may have it.
  expect(said).toContain(`${t('verifyReport.remarks.demonstration')} ${PASSED}`)
  expect(said).toContain(t('verifyReport.verdict.winner', { number: shown(second) }))
  expect(said).toContain(t('verifyReport.verdict.forfeited', { number: shown(first) }))
  expect(said).toContain('python3 verify-draw.py evidence.zip')
  expect(await page.getByRole('status').filter({ hasText: PASSED }).count()).toBe(1)
  await seeAccessible(page, {}, ['light', 'dark'])
  expect(faults).toEqual([])
})

test('stamps alone are said with what they do not show, and what checks them comes with the first one', async () => {
  const { page, faults } = await visit(PAGE)
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('stamp-tokens') && asked.push(request.url()))
  const verdict = page.locator('[data-verdict]')
  expect(await check(page, archive(wholeDraw().pack()))).toBe('passed')
  await verdict.getByText(t('verifyReport.verdict.passed.shop')).waitFor()
  await page.locator('[data-step=stamps]').getByText(t('verify.why.noAuthority')).waitFor()
  expect(asked).toEqual([])
  const stamped = wholeDraw({}, { authority: { name: AUTHORITY } })
  expect(await check(page, archive(stamped.pack()))).toBe('passed')
  expect(asked).toHaveLength(1)
  const said = await verdict.innerText()
  expect(said).toContain(t('verifyReport.verdict.passed.stamps', { name: AUTHORITY }))
  expect(said).toContain(t('verifyReport.voucher.stamps'))
  expect(said).toContain(t('verifyReport.facts.chosen'))
  const { stamp } = authorityOf({ name: 'Somebody else' })
  const foreign = new Map(stamped.pack()).set('seal.tsr', stamp(stamped.listHash, TERMS.closes))
  expect(await check(page, archive(foreign))).toBe('failed')
  expect(await firstFailed(page)).toMatchObject({
    step: 'stamps',
    text: expect.stringContaining(t('verifyFaults.faults.stamp-foreign')),
  })
  expect(faults).toEqual([])
})

test.runIf(isExtended).each(sized({ short: [360], extended: [320, 360, 1440] }))(
  'what a keyboard and a narrow window need, %i pixels wide',
  async (width) => {
    const { page, faults } = await visit(PAGE, { width, reducedMotion: 'reduce' })
    expect(await check(page, archive(CHEATS[0]![1]()))).toBe('failed')
    await page.locator('summary', { hasText: t('verify.kept.title') }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel(t('verify.kept.listHash')).fill('not a hash')
    await page.getByRole('button', { name: t('verify.kept.check') }).press('Enter')
    await page.getByText(t('verify.kept.hashWrong')).waitFor()
    expect(await sidewaysScroll(page)).toBe(0)
    expect(await smallTargets(page)).toEqual([])
    await seeAccessible(page, {}, ['light', 'dark'])
    expect(faults).toEqual([])
  },
)

/** A few cheats, or all. */
const SHOWN = sized({ short: CHEATS.filter((_, at) => at % 16 === 0), extended: CHEATS })

test.runIf(isExtended)('each cheat is shown at the step that the core names, in its sentence', async () => {
  expect(SHOWN.length).toBeGreaterThanOrEqual(4)
  const { page, faults } = await visit(PAGE)
  const found: unknown[] = []
  const expected: unknown[] = []
  for (const [what, files] of SHOWN) {
    const zip = archive(files(), `${what}.zip`)
    const question = {
      files: [{ name: zip.name, content: new Blob([Uint8Array.from(zip.buffer)]) }],
      kept: { termsHash: '', listHash: '', checkpoints: '', policy: '' },
      proof: '',
    }
    const { steps } = await checkPack(question, sha256, {
      onProgress: () => undefined,
      onStep: () => undefined,
    })
    const failed = steps.find((step) => step.outcome === 'failed')
    if (failed?.outcome !== 'failed') throw new Error(`${what} does not fail`)
    expected.push([what, failed.step, true, true])
    await check(page, zip)
    const shown = await firstFailed(page)
    const sentence = t(`verifyFaults.faults.${failed.code}`)
    found.push([what, shown?.step, shown?.text.includes(sentence), shown?.text.includes(failed.file)])
  }
  expect(found).toEqual(expected)
  expect(faults).toEqual([])
})

test.runIf(isExtended)(
  'a pack of another version and a file that is no pack are refused by name',
  async () => {
    const { page } = await visit(PAGE)
    const other = new Map(whole.pack()).set('README.txt', new TextEncoder().encode('volant-evidence-v2\n'))
    expect(await check(page, archive(other))).toBe('failed')
    expect(await firstFailed(page)).toMatchObject({
      step: 'pack',
      text: expect.stringContaining('volant-evidence-v2'),
    })
    const text = { name: 'evidence.zip', mimeType: 'text/plain', buffer: Buffer.from('PK, says the file') }
    expect(await check(page, text)).toBe('failed')
    expect(await firstFailed(page)).toMatchObject({
      step: 'pack',
      text: expect.stringContaining(t('verifyFaults.faults.archive')),
    })
  },
)

test.runIf(isExtended)(
  'single files go as far as they go, and what was kept is stronger than the files',
  async () => {
    const { page } = await visit(PAGE)
    const files = [...sealedDraw().pack()].map(([name, bytes]) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(bytes),
    }))
    expect(
      await check(
        page,
        files.filter(({ name }) => name !== 'log.txt'),
      ),
    ).toBe('incomplete')
    const log = page.locator('[data-step=log]')
    expect(await log.innerText()).toContain(t('verify.why.notGiven', { file: 'log.txt' }))
    expect(await check(page, files)).toBe('incomplete')
    await page.locator('summary', { hasText: t('verify.kept.title') }).click()
    await page.getByLabel(t('verify.kept.listHash')).fill(` ${'AB'.repeat(32)} `)
    await page.getByLabel(t('verify.kept.proof')).fill(fragmentOf(sealedDraw(), 7))
    await page.getByRole('button', { name: t('verify.kept.check') }).click()
    await page.locator('[data-verdict=failed]').waitFor()
    expect(await firstFailed(page)).toMatchObject({
      step: 'list',
      text: expect.stringContaining(t('verifyFaults.faults.kept-hash')),
    })
    await page.locator('[data-head=in]').waitFor()
  },
)

test('verify.html checks a draw and a ticket from the disk, without a network', async () => {
  const { page, context, faults } = await visit()
  await context.setOffline(true)
  const asked: string[] = []
  page.on('request', (request) => {
    if (!/^(?:file|blob|data):/.test(request.url())) asked.push(request.url())
  })
  const address = `${pathToFileURL(VERIFY_FILE).href}${fragmentOf(whole, second)}`
  await page.goto(address)
  await page.getByRole('combobox').selectOption('en')
  expect(await check(page, archive(whole.pack()))).toBe('passed')
  await page.locator('[data-step=stamps][data-state=passed]').waitFor()
  await page.locator('[data-head=awarded]').getByText(t('drawTicket.vouch.computed')).waitFor()
  const [, forged] = CHEATS.find(([what]) => what === 'an entry that is added to the past')!
  expect(await check(page, archive(forged()))).toBe('failed')
  expect(await firstFailed(page)).toMatchObject({ step: 'checkpoints' })
  const cancelled = sealedDraw().add({ type: 'cancel', reason: 'shop' })
  cancelled.checkpoint(TERMS.draw - TERMS.notice)
  expect(await check(page, archive(cancelled.pack()))).toBe('cancelled')
  expect(await page.locator('[data-verdict]').innerText()).toContain(t('verifyReport.verdict.cancelled.shop'))
  const silent = sealedDraw(LIVE).add({ type: 'cancel', reason: 'beacon-silent' })
  silent.checkpoint(LIVE.draw! + TERMS.beaconPatience)
  expect(await check(page, archive(silent.pack()))).toBe('cancelled')
  expect(await page.getByRole('link', { name: 'public/1000' }).getAttribute('href')).toContain(QUICKNET.chain)
  await seeAccessible(page, {}, ['light', 'dark'])
  await page.getByRole('combobox').selectOption('fr')
  await page.getByText(words('fr')('verify.file.lead')).waitFor()
  expect(asked).toEqual([])
  expect(faults).toEqual([])
})

test('the link of an email compares at once, and says so first', async () => {
  const { draw, termsHash, listHash } = await insertDraw(shop, { slug: 'compared', stage: 'sealed' })
  const link = (list: string): string =>
    `${PAGE}?contest=${draw.terms.contest}#kept.${base64url(termsHash)}.${base64url(list)}`
  const { page, faults } = await visit(link(listHash()), { width: 360 })
  await page.locator('[data-verdict=incomplete]').getByText(t('verify.compared.same')).waitFor()
  expect(await page.getByLabel(t('verify.kept.listHash')).inputValue()).toBe(listHash())
  await page.goto(link('ab'.repeat(32)))
  await page.locator('[data-verdict=failed]').getByText(t('verify.compared.differs')).waitFor()
  await page.goto(link(listHash()).slice(0, -9))
  await page.getByText(t('verify.compared.malformed')).waitFor()
  expect(await page.locator('[data-verdict]').count()).toBe(0)
  expect(faults).toEqual([])
})

test.runIf(isExtended)(
  'verify.html is served with its own policy and the hash that the page names',
  async () => {
    const { page, faults } = await visit(PAGE)
    const link = page.getByRole('link', { name: 'verify.html' })
    const named = await link.locator('xpath=following-sibling::p').innerText()
    const served = await fetch(`${shop.config.publicUrl}/verify.html`)
    const bytes = new Uint8Array(await served.arrayBuffer())
    expect(named).toContain(Buffer.from(sha256(bytes)).toString('hex'))
    expect(served.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'sha256-/)
    await page.goto('/verify.html')
    expect(await check(page, archive(whole.pack()))).toBe('passed')
    const program = await fetch(`${shop.config.publicUrl}/verify-draw.py`)
    expect((await program.text()).startsWith('#!')).toBe(true)
    expect(faults).toEqual([])
  },
)
