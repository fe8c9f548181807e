import { describe, expect, test } from 'vitest'
import { awake } from '../support/browser.ts'
import { seeAccessible } from '../support/page-checks.ts'
import { addButton, field, toast } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { TESTED_LANGUAGES, words } from '../support/words.ts'

const { shop, member } = await openStage({ processes: 2 })
const { pool } = shop

const ARRIVED = 1_000
const PHONE = ['a phone', 360] as const
const WIDE = ['a wide window', 1440] as const

/** A contest with a question, in whose line so many stand. */
async function crowded(): Promise<{ offerId: number; slug: string }> {
  const offerId = await shop.newOffer({
    question: 'Combien de roues ?',
    choices: ['Trois', 'Quatre'],
    correct_choice: 'Quatre',
  })
  // It moves on evenly, although the shop has nothing to do.
  await pool.query(
    `INSERT INTO waiting_rooms (offer_id, arrived, frontier, rate, slowed_at)
     VALUES ($1, $2, 0, 100, clock_timestamp() + interval '1 hour')`,
    [offerId, ARRIVED],
  )
  const { rows } = await pool.query('SELECT slug FROM offers WHERE id = $1', [offerId])
  const { slug } = rows[0]
  await expect
    .poll(async () => (await shop.anonymous('GET', `/api/offers/${slug}/waiting-room/`)).body['is_open'], {
      timeout: 20_000,
    })
    .toBe(true)
  return { offerId, slug }
}

describe.each(TESTED_LANGUAGES)('in %s', (language) => {
  const t = words(language)

  test.each(sized({ short: [PHONE], extended: [PHONE, WIDE] }))(
    'on %s a buyer waits in line over a reload, and gets the tickets at the turn',
    async (_, width) => {
      const { offerId, slug } = await crowded()
      const { page, context, customer } = await member(`/offers/${slug}`, { language, width })
      await field(page, 'Combien de roues ?').selectOption('Quatre')
      await page.getByRole('button', { name: t('offers.buy.more') }).click()
      await addButton(page, t).click()

      const notice = page.getByText(t('waitingRoom.title'), { exact: true })
      await notice.waitFor()
      const [beginning = ''] = t('waitingRoom.place', { position: 777, minutes: 9 }).split('777')
      const place = new RegExp(`^${beginning}[\\d.,\\s]+`)
      await page.getByText(place).waitFor()
      // Told once, not at each step of the line.
      const told = page.getByRole('status').filter({ hasText: t('waitingRoom.title') })
      await told.waitFor({ state: 'attached' })
      const first = await told.textContent()
      const before = await page.getByText(place).textContent()
      await expect.poll(() => page.getByText(place).textContent(), { timeout: 60_000 }).not.toBe(before)
      expect(await told.textContent()).toBe(first)
      // Nobody's turn comes until the test says so; who waits longer looks less often.
      await pool.query('UPDATE waiting_rooms SET frontier = frontier - $2 WHERE offer_id = $1', [
        offerId,
        ARRIVED,
      ])
      await seeAccessible(page)

      await page.reload()
      await awake(page)
      await notice.waitFor()
      const other = await context.newPage()
      await other.goto(`/offers/${slug}`)
      await awake(other)
      await field(other, 'Combien de roues ?').selectOption('Quatre')
      await addButton(other, t).click()
      await other.getByText(t('waitingRoom.title'), { exact: true }).waitFor()
      await other.close()
      const { rows } = await pool.query('SELECT number FROM waiting_places WHERE offer_id = $1', [offerId])
      expect(rows).toEqual([{ number: ARRIVED + 1 }])

      await pool.query('UPDATE waiting_rooms SET frontier = $2 WHERE offer_id = $1', [offerId, ARRIVED + 1])
      await toast(page, t('offers.buy.added')).waitFor({ timeout: 60_000 })
      await notice.waitFor({ state: 'detached' })
      const cart = await customer.get('/api/cart/')
      expect(cart.body[0].items).toMatchObject([{ quantity: 2 }])
    },
  )
})
