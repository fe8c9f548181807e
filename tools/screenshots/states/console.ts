import type { MessageKey } from '#i18n/keys.ts'
import type { Width } from '../options.ts'
import { type Stage, type State, go, press, see } from '../state.ts'

type Act = (stage: Stage) => Promise<unknown>

/** Opens a screen of the console and waits for its title. */
async function screen({ page }: Stage, path: string): Promise<void> {
  await go({ page }, `/admin${path}`)
  await page.locator('main h1').first().waitFor()
  await page.waitForLoadState('networkidle')
}

const state = (name: string, path: string, act?: Act, more: Partial<State> = {}): State => ({
  name: `console/${name}`,
  who: 'operator',
  open: async (stage) => {
    await screen(stage, path)
    await act?.(stage)
  },
  ...more,
})

/** Something that lies over a screen. */
const over = (name: string, path: string, act: Act, more: Partial<State> = {}): State =>
  state(name, path, act, { window: true, ...more })

const pressing =
  (key: MessageKey): Act =>
  ({ page, t }) =>
    press(page, t(key))

const following =
  (...acts: Act[]): Act =>
  async (stage) => {
    for (const act of acts) await act(stage)
  }

/** The first record of a list. */
const first: Act = async ({ page }) => {
  await page.locator('tbody a').first().click()
  await page.waitForURL(/\/[^/]+\/[^/?]+$/)
  await page.locator('main h1').first().waitFor()
  await page.waitForLoadState('networkidle')
}

/** A contest of the demonstration in that state. */
const contest =
  (name: 'draft' | 'scheduled' | 'open' | 'closed'): Act =>
  async (stage) => {
    const { id } = await stage.shop.db
      .selectFrom('offers')
      .select('id')
      .where('state', '=', name)
      .orderBy('tickets_sold', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    await screen(stage, `/offers/${id}`)
  }

const sent = new Map<string, Promise<unknown>>()
/** A message that waits for an answer, in the language of the pictures. */
const message: Act = async (stage) => {
  const { shop, language } = stage
  const template_params = {
    user_name: 'Jo Peeters',
    user_email: `jo.${language}@players.example`,
    message: stage.t('contact.title'),
  }
  const body = {
    user_id: 'volant',
    service_id: 'volant',
    template_id: `contact-${language}`,
    template_params,
  }
  const sending =
    sent.get(language) ??
    fetch(`${shop.publicUrl}/api/v1.0/email/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  sent.set(language, sending)
  await sending
  await screen(stage, '/messages')
  await first(stage)
}

const order = following(first, ({ page }) => page.getByRole('heading', { level: 2 }).first().waitFor())
const refund = following(order, pressing('consoleOrders.order.refund'))
const customer = following(first)
const NARROW: { widths: readonly Width[] } = { widths: [360] }

/** The console's screens, and what opens over them. */
export const CONSOLE_STATES: readonly State[] = [
  state('sign-in', '/sign-in', undefined, { who: 'visitor' }),
  state('today', '/'),
  over('menu', '/', pressing('console.frame.openMenu'), NARROW),
  over('palette', '/', async ({ page, t }) => {
    await page
      .getByRole('banner')
      .getByRole('button', { name: t('console.frame.palette') })
      .click()
    await page.getByRole('dialog').getByRole('combobox').fill('a')
  }),
  over('keys', '/', async ({ page }) => {
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Ctrl K').waitFor()
  }),
  state('contests', '/offers'),
  state('contest-new', '/offers/new'),
  state('contest-draft', '/offers', contest('draft')),
  state(
    'contest-faults',
    '/offers',
    following(
      contest('draft'),
      ({ page }) => page.locator('#contest-ticket_price').fill('x'),
      ({ page }) => page.locator('#contest-end_date').fill('2027-03-28T02:30'),
      pressing('consoleContests.editor.save'),
      ({ page, t }) => see(page, t('consoleContests.faults.timeSkipped')),
    ),
  ),
  state('contest-scheduled', '/offers', contest('scheduled')),
  state('contest-open', '/offers', contest('open')),
  over('contest-cancel', '/offers', following(contest('open'), pressing('consoleContests.cancel.button'))),
  over(
    'contest-duplicate',
    '/offers',
    following(contest('open'), pressing('consoleContests.actions.duplicate')),
  ),
  state('orders', '/orders'),
  state('order', '/orders?state=completed', order),
  state('order-in-review', '/orders?state=review', order),
  over('refund', '/orders?state=completed', refund),
  over(
    'refund-preview',
    '/orders?state=completed',
    following(
      refund,
      ({ page, t }) => page.getByLabel(t('consoleOrders.refund.note')).fill('Volant'),
      pressing('consoleOrders.refund.preview'),
      ({ page, t }) => see(page, t('consoleOrders.refund.will')),
    ),
  ),
  over(
    'step-up',
    '/orders',
    following(pressing('consoleOrders.list.export'), ({ page, t }) => see(page, t('console.stepUp.title'))),
  ),
  state('search', '/search?q=camille'),
  state('customers', '/customers'),
  state('customer', '/customers?q=client', customer),
  state('customer-suspended', '/customers?state=suspended', customer),
  over(
    'customer-erase',
    '/customers?q=client',
    following(customer, pressing('consoleCustomers.erase.do'), ({ page, t }) =>
      see(page, t('consoleCustomers.erase.warning')),
    ),
  ),
  state('post', '/post'),
  state(
    'post-faults',
    '/post',
    following(
      ({ page, t }) => page.getByLabel(t('consolePost.desk.name')).fill('12'),
      ({ page, t }) => page.getByLabel(t('consolePost.desk.birth')).fill('1985'),
      ({ page }) => page.keyboard.press('Enter'),
      ({ page, t }) => see(page, t('consolePost.faults.day')),
    ),
  ),
  state('post-entries', '/post/entries'),
  state('post-entry', '/post/entries?status=entered', first),
  state('messages', '/messages'),
  state('message', '/messages', message),
  state('draws', '/draws'),
  state('reports', '/reports'),
  state('statements', '/reports/statements'),
  state('statement', '/reports/statements', first),
  state('alerts', '/alerts'),
  state('approvals', '/approvals'),
  state('staff', '/staff'),
  over('staff-give', '/staff', pressing('console.people.give')),
  over('exclusion-add', '/staff/exclusions', pressing('consoleStaff.exclusions.add')),
  state('audit', '/audit'),
  over('audit-entry', '/audit', ({ page }) => page.locator('tbody button').first().click()),
  state('system', '/system'),
  state(
    'system-doctor',
    '/system',
    following(
      pressing('consoleSystem.doctorChecks.examine'),
      ({ page }) =>
        page
          .getByRole('cell', { name: /PostgreSQL/ })
          .first()
          .waitFor(),
      pressing('consoleSystem.doctorChecks.sendTest'),
      ({ page }) => page.waitForLoadState('networkidle'),
    ),
  ),
  state('account', '/account'),
  state('not-found', '/nowhere'),
]
