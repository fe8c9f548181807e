import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { SCREENS } from '#apps/console/navigation.ts'
import { audit } from '#platform/audit-log.ts'
import { transact } from '#platform/transaction.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { settled } from '../support/browser.ts'
import { consoleOf, lookAgain } from '../support/console.ts'
import { hasFocus } from '../support/page-control.ts'
import { postcard } from '../support/postcards.ts'
import type { Staff } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import { isExtended } from '../support/tier.ts'
import { words } from '../support/words.ts'

const stage = await openStage({ env: { LIMITS_FACTOR: '1000' }, host: 'localhost' })
const { shop } = stage
const open = consoleOf(stage)

/** A screen that somebody looks at, while somebody else changes what it shows. */
interface Move {
  /** Its address, when that is not its path. */
  at?: string
  /** @param text is shown afterwards @param reader looks at the screen */
  change: (text: string, reader: Staff) => Promise<unknown>
  /** The button of a dialog in which somebody writes meanwhile. */
  dialog?: string
  /** Waits for what is shown afterwards, when that is not the text. @param shown before */
  see?: (page: Page, shown: string) => Promise<unknown>
}

/** By paths of screens: something that happens. A screen of the menu or the palette need not be there. */
async function movesOfScreens(): Promise<Partial<Record<string, Move>>> {
  const t = words('en')
  const origin = shop.config.publicUrl
  const inHours = (hours: number): Date => new Date(Date.now() + hours * 3_600_000)
  const run = async (statement: string, ...values: unknown[]): Promise<string> =>
    String((await shop.pool.query(statement, values)).rows[0]?.id)

  const colleague = await shop.newStaff('owner')
  const { ours, offerId, customer } = await shop.paidOrder(2)
  const order = shownOrderNumber(ours.number)
  const unsold = await shop.newOffer({ end_date: inHours(1), draw_at: inHours(20) })
  const card = postcard(offerId)
  await colleague.post('/api/staff/post/entries/', card)
  await shop.anonymous('POST', '/api/v1.0/email/send', {
    user_id: 'volant',
    service_id: 'volant',
    template_id: 'contact-en',
    // The name is as long as what it becomes, so that no line more moves the page.
    template_params: {
      user_name: 'Jo, whose name is as long',
      user_email: 'jo@person.test',
      message: 'Where are my tickets?',
    },
  })
  const message = await run('SELECT id FROM messages')
  await shop.checkout.alerts.raise(shop.db, { kind: 'jobMissing', subject: 'sweep' })
  await run(`UPDATE alerts SET taken_by = $1, taken_at = now() WHERE subject = 'sweep'`, colleague.id)
  await colleague.stepUp('exclusions.change')
  await colleague.post('/api/staff/exclusions/', { kind: 'payer_id', value: 'QYR5Z8XDVJNXQ', reason: 'self' })
  await run(
    `INSERT INTO approvals (permission, subject_kind, subject, input, preview, reason, requested_by)
     VALUES ('staff.change', 'staff', $1, '{}', '{"name": "Ada", "to": "support"}', 'Ada helps.', $2)`,
    (await shop.newStaff('postal')).id,
    colleague.id,
  )
  const statement = await run(
    `INSERT INTO statements (file_hash, imported_by, from_day, to_day, rows, unbooked, agreed, sums, found)
     VALUES (sha256('file'), $1, '2026-10-01', '2026-10-31', 1, 0, 1, '[]', '[]') RETURNING id`,
    colleague.id,
  )
  const email = await run(
    `UPDATE emails SET state = 'failed', last_error = 'away', closed_at = now()
     WHERE id = (SELECT id FROM emails ORDER BY queued_at DESC LIMIT 1) RETURNING id`,
  )

  const rename = (id: number) => (text: string) =>
    run('UPDATE users SET username = $2 WHERE id = $1', id, text)
  const [ofBuyer, ofColleague] = [{ change: rename(customer.id) }, { change: rename(colleague.id) }]
  const ofContest = {
    change: (text: string) => shop.changeOffer(unsold, { title: text, title_nl: text, title_en: text }),
  }
  const ofCard = {
    change: (text: string) => run('UPDATE postal_entries SET name = $2 WHERE id = $1', card.id, text),
  }
  const ofMessage = {
    change: (text: string) => run('UPDATE messages SET name = $2 WHERE id = $1', message, text),
  }
  return {
    '/': ofContest,
    '/offers': ofContest,
    '/orders': ofBuyer,
    '/orders/:id': { at: `/orders/${order}`, ...ofBuyer },
    '/customers': { at: `/customers?q=${encodeURIComponent(customer.email)}`, ...ofBuyer },
    '/customers/:id': { at: `/customers/${customer.id}`, ...ofBuyer },
    '/post': { at: `/post?bag=${card.bag}`, ...ofCard },
    '/post/entries': ofCard,
    '/post/entries/:id': { at: `/post/entries/${card.id}`, ...ofCard },
    '/draws': ofContest,
    '/draws/:id': { at: `/draws/${unsold}`, ...ofContest },
    '/messages': ofMessage,
    '/messages/:id': { at: `/messages/${message}`, ...ofMessage },
    '/reports': {
      at: '/reports?group=contest',
      change: () => shop.paidOrder(3, undefined, offerId),
      // The sums of the period are others.
      see: (page, shown) => expect.poll(() => page.locator('main').innerText()).not.toBe(shown),
    },
    '/reports/statements': ofColleague,
    '/reports/statements/:id': { at: `/reports/statements/${statement}`, ...ofColleague },
    '/alerts': ofColleague,
    '/approvals': ofColleague,
    '/staff': { ...ofColleague, dialog: t('console.people.give') },
    '/staff/exclusions': { ...ofColleague, dialog: t('consoleStaff.exclusions.add') },
    '/system': {
      change: (text) => run('UPDATE emails SET last_error = $2 WHERE id = $1', email, text),
    },
    '/audit': {
      change: (reason) =>
        transact(shop.db, (trx) => audit(trx, { actor: 'command line', action: 'demo.load', reason })),
      see: (page) => page.getByRole('button', { name: t('console.common.news.show') }).waitFor(),
    },
    '/account': {
      change: (_, { email: address, password }) =>
        shop.anonymous('POST', '/api/staff/session/', { email: address, password }, { headers: { origin } }),
      see: (page) =>
        page
          .locator('main')
          .getByRole('button', { name: t('console.account.endSession') })
          .waitFor(),
    },
  }
}

const moves = await movesOfScreens()

describe('A screen that is open', () => {
  const following = SCREENS.filter(({ follows }) => follows !== false).map(({ path }) => path)

  test('follows what happens, unless its slice says why not', () => {
    expect(Object.keys(moves).filter((path) => !following.some((one) => one === path))).toEqual([])
    const isOpenable = (path: string): boolean => path in moves || !path.endsWith('/:id')
    expect(following.filter((path) => !isOpenable(path))).toEqual([])
  })

  const TEXT_FIELDS = 'input:is([type=text], [type=search], [type=email], :not([type])), textarea'

  /** What every screen asks for, whatever it shows. */
  const FRAME = /\/(?:session|live)\/$/
  const asks = (page: Page) =>
    page.waitForResponse((response) => {
      const { pathname } = new URL(response.url())
      return pathname.startsWith('/api/staff/') && !FRAME.test(pathname)
    })

  // In the short form of the tests a list follows in `console-follow.e2e.ts`, and here the page of a row of it does.
  test.each(isExtended ? following : following.filter((path) => !(`${path}/:id` in moves)))(
    'shows what moves, and keeps what is typed, the focus and the scroll position: %s',
    async (path) => {
      const { at = path, change, dialog, see } = moves[path] ?? {}
      const { page, staff, faults } = await open(at, { language: 'en' })
      // What comes later would move the page; Today has a live connection, which never ends.
      if (path !== '/') await settled(page)
      const main = page.locator('main')
      if (dialog !== undefined) await main.getByRole('button', { name: dialog }).click()
      const written = dialog === undefined ? main : page.getByRole('dialog')
      const field = written.locator(TEXT_FIELDS).filter({ visible: true }).first()
      if (dialog !== undefined) await field.waitFor()
      const isTyped = (await field.count()) > 0
      const focused = isTyped ? field : main.locator('a, button').filter({ visible: true }).first()
      if (isTyped) await field.fill('half a sen')
      await focused.focus()
      await page.evaluate(() => window.scrollTo(0, 60))
      const read = async () => ({
        hasFocus: await hasFocus(focused),
        typed: isTyped ? await field.inputValue() : '',
        scrolled: await page.evaluate(() => window.scrollY),
      })
      const before = await read()
      expect(before).toMatchObject({ hasFocus: true, typed: isTyped ? 'half a sen' : '' })
      const text = `Moved to (${path})`
      const shown = await main.innerText()
      expect(shown).not.toContain(text)
      await change?.(text, staff)
      const asked = asks(page)
      await lookAgain(page)
      expect((await asked).ok()).toBe(true)
      if (see) await see(page, shown)
      else if (change) await main.getByText(text).filter({ visible: true }).first().waitFor()
      expect(await read()).toEqual(before)
      expect(faults).toEqual([])
    },
  )
})
