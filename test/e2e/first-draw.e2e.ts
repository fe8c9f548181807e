import { readFileSync } from 'node:fs'
import pino from 'pino'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { paths } from '#client/paths.ts'
import { claimTokens, openClaims } from '#features/draws/server/index.ts'
import { drawLab } from '#features/draws/server/draw-lab.test-support.ts'
import { forfeitPrizes } from '../../src/features/draws/server/claims/forfeitures.ts'
import { readPdf } from '../../src/features/tickets/server/pdf-reader.test-support.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { slugOf } from '#features/offers/offer-drafts.rules.ts'
import { makeRenditions } from '#features/pictures/server/index.ts'
import { formatDuration } from '#i18n/duration.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { countryName } from '#shared/countries.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { shopForfeitures } from '#server/build-app.ts'
import { wallClockOf } from '#shared/zoned-time.ts'
import { sharedBrowser, sidewaysScroll } from '../support/browser.ts'
import { seeAccessible } from '../support/page-checks.ts'
import {
  addButton,
  approve,
  beginPayment,
  field,
  press as pressButton,
  seeTitle,
  seeToast,
  wallet,
} from '../support/page-control.ts'
import { stageOf } from '../support/stage.ts'
import { isExtended, sized } from '../support/tier.ts'
import { words } from '../support/words.ts'
import { languageName } from '#i18n/language-name.ts'

const lab = await drawLab({
  pages: true,
  host: 'localhost',
  env: { DRAW_CLOSE_MARGIN_MINUTES: '4', DRAW_CLAIM_MINUTES: '60' },
})
const { shop, time, work } = lab
const { visit, member } = stageOf(shop, await sharedBrowser())
const zone = shop.config.timeZone
const tokens = claimTokens(shop.secret)
const prizes = shopForfeitures({
  config: shop.config,
  db: shop.db,
  log: shop.draws.log as never,
  logKey: shop.draws.key,
  secret: shop.secret,
})
const CLAIM = 3_600

const TOTAL = 20

/** Times of the shop's clock, as a field takes them. */
const wallClock = (seconds: number): string => wallClockOf(new Date(seconds * 1000), zone)

const photo = async () => ({
  name: 'auto.jpg',
  mimeType: 'image/jpeg',
  buffer: await sharp({ create: { width: 900, height: 600, channels: 3, background: '#356' } })
    .jpeg()
    .toBuffer(),
})

test.for(
  sized<readonly { language: Language; width: number; title: string }[]>({
    short: [{ language: 'nl', width: 360, title: 'Zomer in een Kever' }],
    extended: [
      { language: 'nl', width: 360, title: 'Zomer in een Kever' },
      { language: 'fr', width: 1440, title: 'Un été en Coccinelle' },
    ],
  }),
)(
  'in $language on $width pixels an operator who has read nothing makes, publishes, sells, draws and pays out a contest',
  async ({ language, width, title }, { annotate }) => {
    const t = words(language)
    const isPhone = width < 1024
    const { email, password } = await shop.newStaff('owner')
    const { page, faults } = await visit('/admin/', { width, language })
    const press = (key: MessageKey, values = {}) => pressButton(page, t(key, values))
    const dialog = page.getByRole('dialog')
    const look = async (): Promise<void> => {
      expect(await sidewaysScroll(page)).toBe(0)
      await seeAccessible(page)
    }
    const toScreen = async (key: MessageKey): Promise<void> => {
      if (isPhone) await press('console.frame.openMenu')
      await (isPhone ? dialog : page.getByRole('navigation').first())
        .getByRole('link', { name: t(key), exact: true })
        .click()
    }
    const confirmPassword = async (): Promise<void> => {
      await page.getByLabel(t('console.stepUp.password')).fill(password)
      await press('console.common.confirm')
    }

    await annotate('The operator signs in')
    await page.getByLabel(t('console.signIn.email')).fill(email)
    await page.getByLabel(t('console.signIn.password'), { exact: true }).fill(password)
    await press('console.signIn.submit')
    await seeTitle(page, t('console.today.title'))

    await annotate('The operator makes a contest')
    await toScreen('console.nav.offers')
    await page.getByRole('link', { name: t('consoleContests.list.new') }).click()
    const titled = (one: Language): string =>
      t('consoleContests.named', {
        field: t('consoleContests.fields.title'),
        language: languageName(one, language),
      })
    for (const one of LANGUAGES) await page.getByLabel(titled(one)).fill(title)
    await press('consoleContests.create.submit')
    await seeTitle(page, title)
    const input = (name: string) => page.locator(`#contest-${name}`)
    for (const one of LANGUAGES) {
      if (isPhone)
        await page
          .getByRole('button', { name: languageName(one, language) })
          .first()
          .click()
      await input(one === 'fr' ? 'description' : `description_${one}`).fill(title)
    }
    const closes = Math.ceil(time.seconds() / 60) * 60 + 30 * 60
    const draws = closes + 30 * 60
    for (const [name, text] of [
      ['ticket_price', '4.90'],
      ['total_tickets', String(TOTAL)],
      ['prize_value', '12500'],
      ['end_date', wallClock(closes)],
      ['draw_at', wallClock(draws)],
    ] as const)
      await input(name).fill(text)
    await press('consoleContests.editor.save')
    await page.getByText(t('consoleContests.editor.saved'), { exact: true }).waitFor()
    const pictures = page.locator('#contest-pictures')
    await pictures.locator('input[type=file][multiple]').setInputFiles([await photo()])
    for (const one of LANGUAGES)
      await pictures.locator('ol > li').getByLabel(languageName(one, language)).fill(title)
    await pictures.getByRole('heading').first().click()
    await pictures.getByText(t('consolePictures.status.saved')).waitFor()
    // As the worker does.
    await makeRenditions({ db: shop.db, log: pino({ level: 'silent' }) })
    await page.getByText(t('consoleContests.checklist.left', { count: 0 }), { exact: true }).waitFor()

    await annotate('The operator publishes the contest')
    await press('consoleContests.publish.button')
    await press('consoleContests.publish.confirmNow')
    await seeToast(page, t('consoleContests.publish.doneNow'))
    await work()
    const slug = slugOf(title)

    await annotate('A customer buys a ticket')
    const buyer = await member(paths.offers(), { width, language })
    await buyer.page.getByRole('link', { name: title }).first().click()
    await addButton(buyer.page, t).click()
    await buyer.page.getByText(t('offers.buy.added')).first().waitFor()
    await buyer.page.goto(paths.cart())
    await buyer.page.getByLabel(t('cart.country.label')).selectOption({ label: countryName('BE', language) })
    await wallet(buyer.page).waitFor()
    await approve(await beginPayment(buyer))
    await buyer.page.waitForURL(/\/profile\/participations/)
    await work()

    await annotate('The jobs alone draw a number, at the instants of the terms')
    await buyer.page.goto(paths.draw(slug))
    await seeTitle(buyer.page, title)
    for (const moment of [closes, closes + 60, draws - 6 * 60, draws + 3]) {
      await time.goTo(moment)
      await work()
    }
    await openClaims({ db: shop.db, tokens })
    const { rows } = await shop.pool.query<{ number: number; state: string }>(
      `SELECT number, state FROM draw_attempts JOIN offers ON offers.id = offer_id WHERE slug = $1`,
      [slug],
    )
    expect(rows).toMatchObject([{ state: 'drawn' }])
    const number = padTicketNumber(rows[0]!.number, TOTAL)

    await annotate('The winner claims the prize')
    await buyer.page.goto(paths.participations())
    await buyer.page.getByRole('link', { name: t('tickets.claim') }).click()
    await seeTitle(buyer.page, t('drawClaims.title'))
    await buyer.page.getByText(t('drawClaims.numberLabel', { number })).waitFor()
    for (const [name, text] of [
      ['name', 'Ada Peeters'],
      ['street', 'Kerkstraat 12'],
      ['postcode', '9000'],
      ['city', 'Gent'],
      ['phone', '0471 23 45 67'],
    ] as const)
      await field(buyer.page, t(`drawClaims.${name}`)).fill(text)
    for (const name of ['isAdult', 'isEligible', 'publish'] as const)
      await buyer.page.getByRole('checkbox', { name: t(`drawClaims.${name}`) }).check()
    await field(buyer.page, t('drawClaims.firstName')).fill('Ada')
    await field(buyer.page, t('drawClaims.place')).fill('Gent')
    await pressButton(buyer.page, t('drawClaims.submit'))
    await seeToast(buyer.page, t('drawClaims.submitted'))

    await annotate('The operator pays out the prize, with a second person')
    await toScreen('console.nav.draws')
    await page.getByRole('link', { name: title }).last().click()
    await seeTitle(page, t('consoleDraws.page.title', { title }))
    await page.getByText(t('consoleDraws.waits.identity')).waitFor()
    await look()
    await press('consoleDraws.claim.show')
    await confirmPassword()
    await page.getByText('Kerkstraat 12').waitFor()
    await press('consoleDraws.claim.identity')
    await press('consoleDraws.claim.identityConfirm')
    await seeToast(page, t('consoleDraws.claim.identityDone'))
    await press('consoleDraws.claim.award')
    await dialog.getByLabel(t('consoleDraws.claim.deliveredOn')).fill(wallClock(time.seconds()).slice(0, 10))
    await look()
    await press('consoleDraws.claim.awardConfirm')
    await confirmPassword()
    await seeToast(page, t('consoleDraws.claim.awardDone'))
    // Nobody hands a prize over alone.
    const partner = await shop.newStaff('owner')
    await partner.stepUp('draws.award')
    const [asked] = (await partner.get('/api/staff/approvals/')).body as unknown as { id: number }[]
    expect((await partner.post(`/api/staff/approvals/${asked?.id}/approve/`)).status).toBe(200)
    await page.getByText(t('consoleDraws.waits.nothing')).waitFor()
    await work()

    await annotate('A reader checks the draw')
    const reader = await visit(paths.draw(slug), { width, language })
    await reader.page
      .getByText(t('draws.result.name', { name: 'Ada', place: 'Gent' }))
      .first()
      .waitFor()
    await reader.page.getByRole('link', { name: t('draws.proof.verify') }).click()
    await reader.page.locator('[data-verdict=passed]').waitFor()
    expect(await reader.page.locator('[data-verdict]').innerText()).toContain(
      t('verifyReport.verdict.winner', { number }),
    )
    // Nobody forfeited: the second verifier has nothing else to check, either.
    expect((await lab.evidenceOf(slug)).open).toMatchObject([{ step: 'forfeitures', outcome: 'skipped' }])
    // The moved clock ends the first session token of the buyer; the console asks for the password.
    const all = [...buyer.faults, ...reader.faults, ...faults]
    expect(all.filter((fault) => !/status of 40[13]/.test(fault))).toEqual([])
  },
)

test.runIf(isExtended)(
  'a card without an email address wins: Today asks for a letter, and its code opens the claim long after the draw',
  async ({ annotate }) => {
    const t = words('nl')

    await annotate('A card without an email address wins')
    const contest = await lab.newContest({ title_nl: 'Brief in de bus' })
    const clerk = await shop.newStaff('postal')
    const card = lab.newPostcard(contest.id, { name: 'Jan Wouters', language: 'nl' })
    expect((await clerk.post('/api/staff/post/entries/', card)).status).toBe(201)
    await lab.goOn(contest, 'draw')
    const claims = async (): Promise<void> => {
      await openClaims({ db: shop.db, tokens })
      await forfeitPrizes(prizes)
    }
    await claims()
    // Nobody has posted a letter: the time of the terms is over, and nobody has lost the prize.
    await time.goTo(contest.draw + 3 * CLAIM)
    await claims()
    expect(await lab.stateOf(contest.id)).toBe('drawn')

    await annotate('Staff print the letter that Today asks for')
    const { email, password } = await shop.newStaff('support')
    const { page, faults } = await visit('/admin/', { width: 360, language: 'nl' })
    await page.getByLabel(t('console.signIn.email')).fill(email)
    await page.getByLabel(t('console.signIn.password'), { exact: true }).fill(password)
    await pressButton(page, t('console.signIn.submit'))
    await page
      .getByRole('link', { name: t('console.today.deadlines.letter', { title: 'Brief in de bus' }) })
      .click()
    await page.getByText(t('consoleDraws.claim.letterWaits')).waitFor()
    expect(await page.getByRole('button', { name: t('consoleDraws.claim.sent') }).count()).toBe(0)
    const download = page.waitForEvent('download')
    await pressButton(page, t('consoleDraws.claim.letter'))
    await page.getByLabel(t('console.stepUp.password')).fill(password)
    await pressButton(page, t('console.common.confirm'))
    const text = readPdf(readFileSync(await (await download).path()))
      .elements.map((element) => element.text)
      .join(' ')
      .replaceAll(/[\u00a0\u202f]/g, ' ')
    const code = tokens.of(`${contest.id}.0`)
    expect(text.replaceAll(/\s/g, '')).toContain(code)
    expect(text).toContain('Jan Wouters')
    expect(text).toContain(formatDuration(CLAIM, 'nl').replaceAll(/[\u00a0\u202f]/g, ' '))

    await annotate('Staff note that they have posted the letter')
    await seeAccessible(page)
    await pressButton(page, t('consoleDraws.claim.sent'))
    await seeAccessible(page)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('consoleDraws.claim.sent') })
      .click()
    await seeToast(page, t('consoleDraws.claim.sentDone'))
    await expect.poll(() => page.getByText(t('consoleDraws.claim.letterWaits')).count()).toBe(0)
    expect(await sidewaysScroll(page)).toBe(0)
    expect(faults.filter((fault) => !/status of 40[13]/.test(fault))).toEqual([])

    await annotate('The winner opens the claim with the code of the letter')
    // The time of the letter is almost over.
    await time.goTo(time.seconds() + CLAIM - 60)
    await claims()
    const winner = await visit(paths.claim(), { width: 360, language: 'nl' })
    await field(winner.page, t('drawClaims.letterCode')).fill(` ${code.slice(0, 12)} ${code.slice(12)} `)
    await pressButton(winner.page, t('drawClaims.openClaim'))
    await seeTitle(winner.page, t('drawClaims.title'))
    await winner.page.getByText(t('drawClaims.states.open')).waitFor()
    await field(winner.page, t('drawClaims.phone')).fill('0471 23 45 67')
    for (const name of ['isAdult', 'isEligible'] as const)
      await winner.page.getByRole('checkbox', { name: t(`drawClaims.${name}`) }).check()
    await pressButton(winner.page, t('drawClaims.submit'))
    await seeToast(winner.page, t('drawClaims.submitted'))

    await annotate('The time passes, and the winner keeps the prize')
    await time.goTo(time.seconds() + CLAIM)
    await claims()
    expect(await lab.stateOf(contest.id)).toBe('drawn')
    expect(winner.faults).toEqual([])
  },
)
