import type { Page } from 'playwright-core'
import { paths } from '#client/paths.ts'
import type { Winner, WinnerPage } from '#features/draws/winners.contract.ts'
import type { Offer } from '#features/offers/offers.contract.ts'
import type { MessageKey } from '#i18n/keys.ts'
import {
  type Stage,
  type State,
  responding,
  cutting,
  go,
  hang,
  hanging,
  inZone,
  press,
  see,
  seen,
  state,
} from '../state.ts'

const OFFERS = '**/api/offers/'
const WINNERS = '**/api/winners/**'

const plain = (name: string, path: string, more?: Partial<State>): State =>
  state(name, (stage) => go(stage, path), more)

const withoutScripts = (name: string, path: string): State =>
  state(name, async ({ page, language }) => void (await page.goto(`${path}?lang=${language}`)), {
    withoutScripts: true,
  })

/** Goes to a page by a link of the login page, so that its calls can be prepared. */
const following =
  (path: string): State['open'] =>
  ({ page }) =>
    follow(page, path)
/** @param prepared opens the page with prepared responses */
const fromLogin = (name: string, prepared: State['open']): State =>
  state(name, async (stage) => {
    await go(stage, paths.login())
    await prepared(stage)
  })

const PLATES = [4_211, 27, 31_907] as const

/** Contests of the demonstration as if they were drawn: one winner agreed to be named, one has the prize. */
const showing =
  (url: string, open: State['open'], key: MessageKey): State['open'] =>
  async (stage) => {
    const offers = await stage.shop.call<Offer[]>('GET', '/api/offers/')
    const items = PLATES.map((number, index): Winner => ({
      contest: offers[index]!,
      prize_value: '45900.00',
      number: number % offers[index]!.total_tickets,
      drawn_at: offers[index]!.end_date,
      is_awarded: index === 1,
      winner: index < 2 ? { first_name: 'Alexandrine', place: 'Saint-Gilles' } : null,
    }))
    await seen(responding(url, 200, { items, next: null } satisfies WinnerPage, open), key)(stage)
  }

/** What everybody sees: home, the list of contests, the rules, and pages that are not there. */
export const PUBLIC_STATES: readonly State[] = [
  plain('home/page', paths.home()),
  plain('home/top', paths.home(), { window: true }),
  {
    name: 'home/bottom',
    window: true,
    fleeting: true,
    open: async (stage) => {
      await go(stage, paths.home())
      await stage.page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
    },
  },
  ...([1, 2] as const).map((tab): State => ({
    name: `home/tab-${tab + 1}`,
    window: true,
    fleeting: true,
    open: async (stage) => {
      await go(stage, paths.home())
      const tabs = stage.page.getByRole('tab')
      await tabs.nth(tab).click()
      await tabs.first().scrollIntoViewIfNeeded()
    },
  })),
  plain('home/signed-in', paths.home(), { who: 'newcomer' }),
  fromLogin('home/winners', showing(WINNERS, following(paths.home()), 'winners.all')),
  fromLogin('winners/list', showing(WINNERS, following(paths.winners()), 'winners.lead')),
  plain('winners/empty', paths.winners()),
  withoutScripts('home/without-scripts', paths.home()),
  plain('offers/list', paths.offers()),
  plain('offers/list-signed-in', paths.offers(), { who: 'buyer' }),
  state('offers/guessed-country', async (stage) => {
    await inZone(stage, 'Europe/Brussels')
    await go(stage, paths.offers())
    await see(stage.page, stage.t('offers.price.guessed'))
  }),
  withoutScripts('offers/without-scripts', paths.offers()),
  fromLogin('offers/loading', async (stage) => {
    await hanging(OFFERS, following(paths.offers()))(stage)
    await stage.page.getByText(stage.t('offers.loading')).first().waitFor({ state: 'attached' })
  }),
  fromLogin('offers/error', seen(cutting(OFFERS, following(paths.offers())), 'offers.retry')),
  fromLogin('offers/empty', seen(responding(OFFERS, 200, [], following(paths.offers())), 'offers.empty')),
  plain('rules/page', paths.terms()),
  plain('accessibility/page', paths.accessibility()),
  plain('mailbox/list', paths.mailbox()),
  plain('mailbox/filtered', `${paths.mailbox()}?topic=tickets`),
  plain('mailbox/none-found', `${paths.mailbox()}?q=zzz`),
  state('mailbox/mail', async (stage) => {
    const [mail] = await stage.shop.call<{ id: string }[]>('GET', '/api/demo/emails/')
    await go(stage, paths.mailbox(mail?.id))
  }),
  // Its links open a new document; only a way back asks from the page.
  state('mailbox/empty', async (stage) => {
    await go(stage, paths.mailbox())
    await follow(stage.page, paths.offers())
    await stage.page.waitForURL(`**${paths.offers()}`)
    await see(stage.page, stage.t('offers.title'))
    const back: State['open'] = ({ page }) => page.goBack().then(() => undefined)
    await seen(responding('**/api/demo/emails/', 200, [], back), 'mailbox.empty')(stage)
  }),
  plain('not-found/page', '/nowhere'),
  fromLogin(
    'error/page',
    seen(responding('**/api/policies/terms/', 500, {}, following(paths.terms())), 'pages.error.title'),
  ),
  plain('contact/idle', paths.contact()),
  plain('contact/signed-in', paths.contact(), { who: 'newcomer' }),
  withoutScripts('contact/without-scripts', paths.contact()),
  state('contact/errors', seen(submitEmpty, 'formErrors.correctFirst')),
  ...(['sending', 'sent', 'blocked', 'rateLimited', 'other', 'headless'] as const).map(contactState),
]

async function submitEmpty(stage: Stage): Promise<void> {
  await go(stage, paths.contact())
  await press(stage.page, stage.t('contact.submit'))
}

type ContactEnd = 'sending' | 'sent' | 'blocked' | 'rateLimited' | 'other' | 'headless'

/** The contact form after a message. The e-mail service's client refuses driven browsers, which is one of the states. */
function contactState(end: ContactEnd): State {
  return {
    name: `contact/${end === 'rateLimited' ? 'rate-limited' : end}`,
    open: async (stage) => {
      const { page, t } = stage
      await go(stage, paths.contact())
      if (end !== 'headless')
        await page.evaluate(() => Object.defineProperty(navigator, 'webdriver', { get: () => false }))
      const url = '**/api/v1.0/email/send'
      if (end === 'sending') await hang(page, url)
      if (end === 'sent') await page.route(url, (route) => route.fulfill({ body: 'OK' }))
      if (end === 'other') await page.route(url, (route) => route.fulfill({ status: 502, body: '<html>' }))
      if (end === 'blocked') await page.route(url, (route) => route.fulfill({ status: 403 }))
      if (end === 'rateLimited') await page.route(url, (route) => route.fulfill({ status: 429 }))
      await page.getByLabel(t('contact.name'), { exact: true }).fill('Alexandrine Vandenbroucke')
      await page.getByLabel(t('contact.email'), { exact: true }).fill('alexandrine.vandenbroucke@example.com')
      await page.getByLabel(t('contact.message'), { exact: true }).fill(t('contact.lead'))
      await press(page, t('contact.submit'))
      if (end === 'sending') return see(page, t('contact.sending'))
      if (end === 'sent') return see(page, t('contact.sent'))
      const email = 'contact@volant.example'
      return see(page, t(`contact.failed.${end}`, { email }))
    },
  }
}

/** Follows a link of the page, so that what the next page loads can be seen or replaced. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate((address) => {
    document.querySelector<HTMLAnchorElement>(`a[href="${address}"]`)?.click()
  }, path)
}
