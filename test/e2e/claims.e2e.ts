import { readFile } from 'node:fs/promises'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { canonicalPath, paths } from '#client/paths.ts'
import { toHex } from '#draw-protocol/bytes.ts'
import { claimTokens, openClaims } from '#features/draws/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { sidewaysScroll } from '../support/browser.ts'
import { consoleOf } from '../support/console.ts'
import { drawNumber, sealContest } from '../support/drawn-contests.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { field, press, seeTitle, seeToast } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'
import { isExtended } from '../support/tier.ts'

const stage = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const { shop, visit, member } = stage
const openConsole = consoleOf(stage)
const tokens = claimTokens(shop.secret)

/** A drawn contest with its claim. */
async function won(title: string) {
  const offerId = await shop.newOffer({
    draw_at: new Date(Date.now() + 90_000_000),
    title_nl: title,
    title_en: title,
  })
  const { customer } = await shop.paidOrder(1, undefined, offerId)
  const { rows } = await shop.pool.query(
    'SELECT t.number, o.slug FROM tickets t JOIN offers o ON o.id = t.offer_id WHERE o.id = $1',
    [offerId],
  )
  const { number, slug } = rows[0]
  await sealContest(shop.pool, offerId, { draws: shop.draws })
  await drawNumber(shop.pool, offerId, number, 'clock_timestamp()')
  await openClaims({ db: shop.db, tokens })
  return { offerId, customer, slug, number: padTicketNumber(number, 1_000), token: tokens.of(`${offerId}.0`) }
}

test('on a phone in Dutch a winner opens the link, claims the prize, changes the claim and decides what is published', async ({
  annotate,
}) => {
  const t = words('nl')
  const { token, offerId, number } = await won('Blauwe cabrio')
  const address = `${canonicalPath(paths.claim(), 'nl')}#${token}`

  await annotate('The winner opens the link')
  const { page, faults } = await visit(address, { language: 'nl', width: 360 })
  await seeTitle(page, t('drawClaims.title'))
  await page.getByText(t('drawClaims.numberLabel', { number })).waitFor()
  await page.getByText(t('drawClaims.states.open')).waitFor()
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)

  await annotate('The winner claims the prize')
  // Nothing is sent before the two confirmations and a phone number.
  await field(page, t('drawClaims.phone')).fill('12')
  await press(page, t('drawClaims.submit'))
  await page.getByText(t('formErrors.claim.phone')).waitFor()
  expect(await page.getByText(t('formErrors.claim.declare')).count()).toBe(2)
  await seeAccessible(page)
  await field(page, t('drawClaims.name')).fill('Ada Peeters')
  await field(page, t('drawClaims.street')).fill('Kerkstraat 12')
  await field(page, t('drawClaims.postcode')).fill('9000')
  await field(page, t('drawClaims.city')).fill('Gent')
  await field(page, t('drawClaims.phone')).fill('0471 23 45 67')
  await page.getByRole('checkbox', { name: t('drawClaims.isAdult') }).check()
  await page.getByRole('checkbox', { name: t('drawClaims.isEligible') }).check()
  for (const consent of ['publish', 'picture'] as const)
    expect(await page.getByRole('checkbox', { name: t(`drawClaims.${consent}`) }).isChecked()).toBe(false)
  await press(page, t('drawClaims.submit'))
  await seeToast(page, t('drawClaims.submitted'))
  await page.getByText(t('drawClaims.states.submitted'), { exact: true }).waitFor()
  const steps = () => page.locator('main ol > li').allInnerTexts()
  const [before = '', after = ''] = t('drawClaims.steps.identity', { proveUntil: '|' }).split('|')
  const proof = (await steps())[1]!
  expect([proof.startsWith(before), proof.endsWith(after)]).toEqual([true, true])
  expect(proof.slice(before.length, -after.length)).toMatch(/20\d\d.*\d:\d\d/)
  expect(await steps()).toEqual([t('drawClaims.steps.contact'), proof, t('drawClaims.steps.handover')])
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)

  await annotate('The winner saves the receipt')
  const saved = async (name: string): Promise<Buffer> => {
    const download = page.waitForEvent('download')
    await press(page, t('drawClaims.receipt.save', { name }))
    return await readFile(await (await download).path())
  }
  const hash = toHex(sha256(await saved('claim.txt')))
  await page.getByText(t('drawClaims.receipt.hash', { hash })).waitFor()
  expect(String(await saved('checkpoint.txt'))).toMatch(/^\S+\/draws\/\S+\n\d+\n[^]+\n— /)

  await annotate('The winner changes the claim')
  await press(page, t('drawClaims.edit'))
  await page.getByRole('checkbox', { name: t('drawClaims.publish') }).check()
  await field(page, t('drawClaims.firstName')).fill('Ada')
  await field(page, t('drawClaims.place')).fill('Gent')
  // The head of the page covers a part of the form otherwise.
  await page.evaluate(() => window.scrollTo(0, 0))
  await seeAccessible(page)
  await press(page, t('drawClaims.save'))
  await page.getByText('Ada, Gent').waitFor()

  await annotate('Staff see the identity, and the winner withdraws a consent')
  await shop.pool.query(
    `UPDATE draw_claims SET identity_seen_at = now(), identity_seen_by = (SELECT min(id) FROM users),
       identity_hash = draw_claim_hash(draw_claims) WHERE offer_id = $1`,
    [offerId],
  )
  await page.reload()
  await page.getByText(t('drawClaims.states.checked'), { exact: true }).waitFor()
  expect(await steps()).toEqual([t('drawClaims.steps.handover')])
  await page.getByRole('checkbox', { name: t('drawClaims.publish') }).uncheck()
  await press(page, t('drawClaims.saveConsents'))
  await seeToast(page, t('drawClaims.saved'))
  const { rows } = await shop.pool.query(
    'SELECT name, first_name, name_consent_at, phone FROM draw_claims WHERE offer_id = $1',
    [offerId],
  )
  expect(rows).toEqual([
    { name: 'Ada Peeters', first_name: null, name_consent_at: null, phone: '0471234567' },
  ])
  expect(faults).toEqual([])
})

test.runIf(isExtended)(
  'the account that has the number opens its claim; another one, and a wrong link, see that there is none',
  async () => {
    const t = words('en')
    const { slug, customer } = await won('Green estate')
    const { page } = await member(paths.claim({ contest: slug }), { customer })
    await seeTitle(page, t('drawClaims.title'))
    const stranger = await member(paths.claim({ contest: slug }))
    await seeTitle(stranger.page, t('drawClaims.failedTitle'))
    await stranger.page.getByText(t('drawClaims.refusals.notFound')).waitFor()
    await seeAccessible(stranger.page)
    const nobody = await visit(paths.claim({ contest: slug }))
    await nobody.page
      .getByRole('main')
      .getByRole('link', { name: t('drawClaims.login') })
      .click()
    await expect
      .poll(() => new URL(nobody.page.url()).searchParams.get('next'))
      .toBe(`/claim?contest=${slug}`)
    const lost = await visit(`${paths.claim()}#nothing`)
    await seeTitle(lost.page, t('drawClaims.failedTitle'))
  },
)

test('on a phone in Dutch staff see where a draw stands, who won, write a claim down, note the identity, and ask to let the winner forfeit', async ({
  annotate,
}) => {
  const t = words('nl')
  const { offerId, number } = await won('Rode bestelwagen')
  await shop.newStaff('support')

  await annotate('Staff see which draws there are')
  const { page, faults, staff } = await openConsole('/draws', { role: 'manager', language: 'nl', width: 360 })
  await page.getByRole('heading', { name: t('consoleDraws.calendar') }).waitFor()
  await page.getByRole('link', { name: 'Rode bestelwagen' }).last().waitFor()
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)

  await annotate('Staff see where the draw stands and who won')
  await page.getByRole('link', { name: 'Rode bestelwagen' }).last().click()
  await seeTitle(page, t('consoleDraws.page.title', { title: 'Rode bestelwagen' }))
  await page.getByText(t('consoleDraws.waits.claim')).waitFor()
  await page.getByText(t('consoleDraws.attempt.number', { number })).waitFor()
  expect(await sidewaysScroll(page)).toBe(0)
  await seeAccessible(page)
  await press(page, t('consoleDraws.claim.show'))
  await page.getByText(t('consoleDraws.claim.none')).waitFor()

  await annotate('Staff write the claim down')
  await press(page, t('consoleDraws.claim.record'))
  const dialog = page.getByRole('dialog')
  for (const [name, text] of [
    ['name', 'Ada Peeters'],
    ['street', 'Kerkstraat 12'],
    ['postcode', '9000'],
    ['city', 'Gent'],
  ] as const)
    await dialog.getByLabel(t(`consoleDraws.claim.${name}`), { exact: true }).fill(text)
  await dialog.getByRole('checkbox', { name: t('consoleDraws.claim.declared') }).check()
  await seeAccessible(page)
  await dialog.getByRole('button', { name: t('consoleDraws.claim.record') }).click()
  await seeToast(page, t('consoleDraws.claim.recordDone'))

  await annotate('Staff note the identity')
  // Whoever wrote it down does not see the proof as well, while somebody else could; alone they may.
  await press(page, t('consoleDraws.claim.identity'))
  await page.getByText(t('consoleDraws.claim.identityText')).waitFor()
  await page.getByRole('dialog').getByText('Ada Peeters').waitFor()
  await seeAccessible(page)
  await press(page, t('consoleDraws.claim.identityConfirm'))
  await page.getByText(t('consoleDraws.refusals.seenByAnother')).waitFor()
  expect(await page.getByText(t('consoleDraws.claim.identityAlone')).count()).toBe(0)
  await page.keyboard.press('Escape')
  await shop.pool.query(`UPDATE users SET is_active = false WHERE role IS NOT NULL AND id <> $1`, [staff.id])
  await press(page, t('consoleDraws.claim.identity'))
  await page.getByText(t('consoleDraws.claim.identityAlone')).waitFor()
  await seeAccessible(page)
  await press(page, t('consoleDraws.claim.identityConfirm'))
  await seeToast(page, t('consoleDraws.claim.identityDone'))
  await page.getByText(t('consoleDraws.waits.award')).waitFor()
  const { rows } = await shop.pool.query(
    'SELECT name, identity_seen_by IS NOT NULL AS seen FROM draw_claims WHERE offer_id = $1',
    [offerId],
  )
  expect(rows).toEqual([{ name: 'Ada Peeters', seen: true }])

  await annotate('Staff look at the award, and ask to let the winner forfeit')
  await press(page, t('consoleDraws.claim.award'))
  await page.getByText(`volant-award-v1`).waitFor()
  await page.getByRole('dialog').getByText('Ada Peeters').waitFor()
  await seeAccessible(page)
  await page.keyboard.press('Escape')
  await press(page, t('consoleDraws.claim.forfeit'))
  await page.getByLabel(t('consoleDraws.claim.statement', { language: 'Frans' })).fill('Un')
  await seeAccessible(page)
  await press(page, t('consoleDraws.claim.preview'))
  await page.getByText(t('errors.field.required')).first().waitFor()
  // Of the second act by one person, and of the preview without all statements.
  expect(faults).toEqual([expect.stringContaining('409'), expect.stringContaining('400')])
})
