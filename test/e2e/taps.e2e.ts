import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { MessageKey } from '#i18n/keys.ts'
import { countryName } from '#shared/countries.ts'
import { addButton, approve, arrive, beginPayment, field, seeTitle, wallet } from '../support/page-control.ts'
import { openStage } from '../support/stage.ts'
import { words } from '../support/words.ts'

const { shop, visit, member } = await openStage()
const t = words('en')

/**
 * Counts what a finger does: a press of a control or into a field is a tap, a choice in a list two, for it opens first. What is
 * then typed is a field. Scrolling is neither. In the provider's window only consent counts: its buyer is known there.
 */
function finger(page: Page) {
  const done = { taps: 0, fields: 0 }
  return {
    done,
    async tap(target: Locator): Promise<void> {
      done.taps += 1
      await target.click()
    },
    /** What is filled in already costs nothing. */
    async type(label: string, text: string): Promise<void> {
      const target = field(page, label)
      await target.waitFor()
      if ((await target.inputValue()) !== '') return
      done.taps += 1
      done.fields += 1
      await target.fill(text)
    },
  }
}

/** The ways through the shop, and the most that each costs from a card to a paid ticket. */
const WAYS = [
  { name: 'a new buyer', isNew: true, taps: 14, fields: 5 },
  { name: 'a customer whose country is known', isNew: false, taps: 5, fields: 0 },
]

test.each(WAYS)(
  '$name has a paid ticket after at most $taps taps and $fields typed fields',
  { timeout: 90_000 },
  async ({ name, isNew, taps, fields }) => {
    const slug = isNew ? 'taps-new' : 'taps-known'
    const offerId = await shop.newOffer({
      slug,
      title_en: name,
      question: 'Deux et deux ?',
      choices: ['3', '4', '22'],
      correct_choice: '4',
    })
    const phone = { width: 360, reducedMotion: 'reduce', timeZone: 'Europe/Paris' } as const
    const visitor = isNew
      ? await visit('/offers', phone)
      : await member('/offers', { ...phone, stored: { billing_country: 'BE' } })
    const { page } = visitor
    const hand = finger(page)
    const press = (role: 'button' | 'link', key: MessageKey) =>
      hand.tap(
        page
          .getByRole('main')
          .getByRole(role, { name: t(key), exact: true })
          .filter({ visible: true }),
      )
    await hand.tap(page.getByRole('link', { name: t('offers.card.viewDetailsOf', { title: name }) }))

    if (isNew) {
      await arrive(page, '/login')
      await press('link', 'accounts.login.toRegister')
      await seeTitle(page, t('accounts.register.title'))
      const password = 'correct horse'
      await hand.type(t('accounts.username'), 'one-handed')
      await hand.type(t('accounts.email'), 'one-handed@example.test')
      await hand.type(t('accounts.phone'), '612345678')
      await hand.type(t('accounts.password'), password)
      await hand.type(t('accounts.confirm'), password)
      await press('button', 'accounts.register.submit')
      await seeTitle(page, t('accounts.login.title'))
      await press('button', 'accounts.login.submit')
    }
    await arrive(page, `/offers/${slug}`)
    await hand.tap(page.getByRole('button', { name: '4', exact: true }))
    expect(await addButton(page, t).isEnabled()).toBe(true)
    await press('button', 'contest.buy.now')
    await seeTitle(page, t('cart.title'))
    const country = page.getByLabel(t('cart.country.label'))
    expect(await country.inputValue()).toBe(isNew ? '' : 'BE')
    if (isNew) {
      await hand.tap(
        page.getByRole('button', { name: t('cart.country.take', { country: countryName('FR', 'en') }) }),
      )
    }

    const approval = await beginPayment(visitor, () => hand.tap(wallet(page)))
    hand.done.taps += 1
    await approve(approval)
    await seeTitle(page, t('checkout.success'))
    expect((await shop.counters(offerId)).tickets_sold).toBe(1)
    expect(hand.done.taps, 'taps').toBeLessThanOrEqual(taps)
    expect(hand.done.fields, 'typed fields').toBeLessThanOrEqual(fields)
  },
)
