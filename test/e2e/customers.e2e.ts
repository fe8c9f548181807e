import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Language } from '#shared/languages.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { type Visitor, sidewaysScroll } from '../support/browser.ts'
import { seeAccessible, smallTargets } from '../support/page-checks.ts'
import { answerWith, arrive, press, seeToast } from '../support/page-control.ts'
import type { Staff } from '../support/shop.ts'
import { openStage } from '../support/stage.ts'
import { sized } from '../support/tier.ts'
import { words } from '../support/words.ts'

const { shop, visit, member } = await openStage({ env: { LIMITS_FACTOR: '1000', TRUST_PROXY: 'true' } })
const { hostname } = new URL(shop.config.publicUrl)

/** Opens a screen of the console for somebody who is signed in. */
async function open(
  path: string,
  { role = 'owner', ...options }: { role?: StaffRole; width?: number; language?: Language } = {},
): Promise<Visitor & { staff: Staff }> {
  const staff = await shop.newStaff(role)
  const visitor = await visit(undefined, options)
  const [name = '', value = ''] = staff.cookie.split('=')
  await visitor.context.addCookies([
    { name, value, domain: hostname, path: '/api/staff/', httpOnly: true, sameSite: 'Strict' },
  ])
  await visitor.page.goto(`/admin${path}`)
  await seeScreen(visitor.page)
  return { ...visitor, staff }
}

const seeScreen = (page: Page): Promise<void> => page.locator('main h1').first().waitFor()
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

let networks = 0
async function sendMessage(user_email: string, message: string, language: Language = 'nl'): Promise<string> {
  const template_params = { user_name: 'Jo Peeters', user_email, message }
  const call = { user_id: 'volant', service_id: 'volant', template_id: `contact-${language}`, template_params }
  const from = { 'x-forwarded-for': `198.51.100.${(networks += 1)}` }
  await shop.anonymous('POST', '/api/v1.0/email/send', call, { headers: from })
  const { rows } = await shop.pool.query('SELECT id FROM messages WHERE email = $1 ORDER BY id DESC', [user_email])
  return rows[0].id
}

const LOOKS = sized<readonly (readonly [Language, number])[]>({
  short: [
    ['nl', 360],
    ['fr', 1440],
  ],
  extended: (['fr', 'nl', 'en'] as const).flatMap((language) =>
    ([360, 1440] as const).map((width) => [language, width] as const),
  ),
})

describe('The screens of customers and messages', () => {
  test.each(LOOKS)(
    'have no error, no accessibility fault and no sideways scroll: %s, %i pixels',
    async (language, width) => {
      const t = words(language)
      const { customer } = await shop.paidOrder(2)
      const id = await sendMessage(customer.email, 'Waar blijven mijn tickets? Ik wacht al drie dagen.')
      const { page, faults } = await open('/customers', { language, width })
      const look = async (what: string): Promise<void> => {
        expect(await sidewaysScroll(page), what).toBe(0)
        // A checkbox is pressed by its label.
        const small = (await smallTargets(page)).filter((line) => !line.startsWith('INPUT ""'))
        expect(small, what).toEqual([])
        if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/${language}-${width}-${what.replaceAll('/', '_')}.png`, fullPage: !what.match(/^[a-z]/) })
        await seeAccessible(page)
      }
      for (const screen of ['/customers', `/customers/${customer.id}`, '/messages', `/messages/${id}`]) {
        await page.goto(`/admin${screen}`)
        await seeScreen(page)
        await look(screen)
      }
      await page.goto(`/admin/customers/${customer.id}`)
      for (const deed of ['email', 'suspend', 'export', 'erase'] as const) {
        await press(page, t(`consoleCustomers.${deed}.do`))
        await page.getByRole('dialog').getByRole('button', { name: t('console.common.cancel') }).waitFor()
        if (deed === 'erase') await page.getByText(t('consoleCustomers.erase.blocked')).waitFor()
        await look(deed)
        await page.keyboard.press('Escape')
      }
      expect(faults).toEqual([])
    },
  )
})
