import { paths } from '#client/paths.ts'
import {
  type Stage,
  type State,
  respond,
  responding,
  arriving,
  cut,
  cutting,
  go,
  inZone,
  hanging,
  press,
  printed,
  see,
  seen,
  state,
} from '../state.ts'

const CART = /\/api\/cart\/$/
const TAX = '**/api/cart/calculate_tax/'
const SCRIPT = '**/sdk/js*'
const CREATE = '**/api/paypal/create-order/'
const OPEN_ORDER = '**/api/paypal/open-order/'
const STATUS = '**/api/paypal/orders/*/'

/** The cart of somebody who has two lines in it. */
const cart = (name: string, open: State['open'], more: Partial<State> = {}): State =>
  state(`cart/${name}`, open, { who: 'buyer', ...more })

const inBelgium = (stage: Stage): Promise<void> => onCart(stage, 'BE')

async function toProvider(stage: Stage): Promise<void> {
  await withoutWallet(stage)
  await press(stage.page, stage.t('checkout.toProvider'))
}

async function onCart(stage: Stage, country?: string, path: string = paths.cart()): Promise<void> {
  const { page } = stage
  await page.addInitScript((code) => {
    if (code === null) localStorage.removeItem('billing_country')
    else localStorage.setItem('billing_country', code)
  }, country ?? null)
  await go(stage, path)
  await page.locator('main h1').waitFor()
}

/** The way to the provider's page, which stands there when its script does not load. */
async function withoutWallet(stage: Stage): Promise<void> {
  await cut(stage.page, SCRIPT)
  await onCart(stage, 'BE')
  await see(stage.page, stage.t('checkout.scriptFailed'))
}

/** Tickets of the cart are held for so many seconds, by an order that was begun elsewhere. */
async function held(stage: Stage, seconds: number, more: object = {}): Promise<void> {
  const version = 7
  await stage.page.route(CART, async (route) => {
    const response = await route.fetch()
    const carts = (await response.json()) as object[]
    await route.fulfill({ response, json: carts.map((one) => ({ ...one, version })) })
  })
  const until = new Date(Date.now() + seconds * 1_000).toISOString()
  await respond(stage.page, OPEN_ORDER, 200, {
    order_id: 'X',
    cart_version: version,
    tickets: 7,
    total: '1.00',
    held_until: until,
    seconds_left: seconds,
    can_extend: true,
    ...more,
  })
  await onCart(stage, 'BE')
  await stage.page.locator('[data-funding-source]').first().waitFor()
}

const FAR = '2099-01-01T12:00:00.000Z'
const FIGURES = { subtotal: '31.00', tax_rate: 21, tax_amount: '6.51', total: '37.51' }
const NEW_PRICE = { code: 'checkout.priceChanged', detail: '37.51', ...FIGURES }
const MADE = { order_id: 'X', id: 'X', status: 'CREATED', links: [] }
const WITHOUT_URL = { ...MADE, payment_url: null, expires_at: FAR, total: '1.00' }

export const CART_STATES: readonly State[] = [
  cart('empty', (stage) => onCart(stage), { who: 'newcomer' }),
  cart(
    'loading',
    hanging(
      CART,
      arriving(paths.cart(), ({ page, t }) => page.getByText(t('cart.loading'))),
    ),
  ),
  cart(
    'error',
    seen(
      cutting(CART, (stage) => go(stage, paths.cart())),
      'cart.errorTitle',
    ),
  ),
  cart(
    'no-country',
    seen((stage) => onCart(stage), 'cart.country.warning'),
  ),
  cart('no-country-window', (stage) => onCart(stage), { window: true }),
  cart('guessed-country', async (stage) => {
    await inZone(stage, 'Europe/Brussels')
    await onCart(stage)
    await see(stage.page, stage.t('cart.country.guess'))
  }),
  cart('country', async (stage) => {
    await onCart(stage, 'BE')
    await stage.page.locator('[data-funding-source]').first().waitFor()
  }),
  cart(
    'printed',
    async (stage) => {
      await onCart(stage, 'BE')
      await printed(stage.page)
    },
    { widths: [768] },
  ),
  cart('script-loading', seen(hanging(SCRIPT, inBelgium), 'checkout.scriptLoading')),
  cart('script-rejected', withoutWallet),
  ...([400, 500] as const).map((status) =>
    cart(`tax-${status}`, async (stage) => {
      await respond(stage.page, TAX, status, {})
      await onCart(stage, 'BE')
      const key = status === 400 ? 'cart.taxCheckCountry' : 'cart.taxDefault'
      await see(stage.page, new RegExp(stage.t(key, { rate: '\u0000' }).split('\u0000')[0] ?? ''))
    }),
  ),
  cart('preparing', seen(hanging(CREATE, toProvider), 'checkout.starting')),
  cart('price-changed', seen(responding(CREATE, 409, NEW_PRICE, toProvider), 'checkout.priceChanged.title')),
  cart('start-failed', async (stage) => {
    const refusal = { detail: stage.t('errors.checkout.providerDown'), code: 'checkout.providerDown' }
    await respond(stage.page, CREATE, 503, refusal)
    await toProvider(stage)
    await see(stage.page, stage.t('errors.checkout.providerDown'))
  }),
  cart('unconfirmed', async (stage) => {
    const detail = stage.t('errors.checkout.unconfirmed', { available: 20 })
    await respond(stage.page, CREATE, 409, { detail, code: 'checkout.unconfirmed', available: 20 })
    await toProvider(stage)
    await see(stage.page, stage.t('checkout.sendLink'))
  }),
  cart('url-missing', seen(responding(CREATE, 200, WITHOUT_URL, toProvider), 'checkout.urlMissing')),
  cart('held', (stage) => held(stage, 1_080), { fleeting: true }),
  cart('held-extended', (stage) => held(stage, 45, { can_extend: false }), { fleeting: true }),
  cart('hold-expired', async (stage) => {
    await held(stage, 1)
    await respond(stage.page, OPEN_ORDER, 200, null)
    await see(stage.page, stage.t('checkout.held.expiredTitle'))
  }),
  cart('held-given-back', async (stage) => {
    await held(stage, 1_080)
    const closed = { order_id: 'X', progress: 'closed', expires_at: null, total: '1.00', tickets: [] }
    await respond(stage.page, '**/api/paypal/cancel-order/', 200, closed)
    await respond(stage.page, OPEN_ORDER, 200, null)
    await press(stage.page, stage.t('checkout.held.giveBack'))
    await see(stage.page, stage.t('checkout.held.givenBackTitle'))
  }),
  cart('confirming', async (stage) => {
    await pending(stage, { progress: 'confirming', tickets: [] })
    await onCart(stage, 'BE')
    await see(stage.page, stage.t('checkout.confirming.title'))
  }),
  cart('paid', (stage) => ended(stage, 'completed'), { fleeting: true }),
  cart('taken-back', (stage) => ended(stage, 'takenBack'), { fleeting: true }),
  ...(['refunded', 'review', 'closed'] as const).map((progress) =>
    cart(progress, (stage) => ended(stage, progress), { fleeting: true }),
  ),
  cart('capture-refused', async (stage) => {
    await pending(stage, { progress: 'open', tickets: [] })
    await respond(stage.page, '**/api/paypal/capture-payment/', 409, { detail: stage.t('errors.unexpected') })
    await onCart(stage, 'BE')
    await see(stage.page, stage.t('checkout.captureFailed'))
  }),
  cart('approving', async (stage) => {
    const soon = new Date(Date.now() + 150_000).toISOString()
    const order = { order_id: 'X', id: 'X', status: 'CREATED', payment_url: null, links: [], total: '1.00' }
    await respond(stage.page, CREATE, 200, { ...order, expires_at: soon })
    await onCart(stage, 'BE')
    await stage.page.locator('[data-funding-source]').first().click()
    await see(stage.page, stage.t('checkout.approvalOpen', { provider: 'PayPal' }))
  }),
  cart('quantity-failed', async (stage) => {
    await respond(stage.page, '**/update_item/', 500, {})
    await onCart(stage, 'BE')
    await press(stage.page, stage.t('offers.buy.more'))
    await see(stage.page, stage.t('cart.quantityError'))
  }),
  cart('declined-return', async (stage) => {
    await onCart(stage, 'BE', `${paths.cart()}?payment=declined`)
    await see(stage.page, stage.t('errors.checkout.declined'))
  }),
  cart('canceled', (stage) => toasted(stage, stage.t('checkout.canceled')), { fleeting: true, window: true }),
  cart('ended-removed', endedRemoved, { fleeting: true, window: true }),
  cart('few-left', async (stage) => {
    await changeCart(stage, (offer) => ({ ...offer, tickets_sold: Number(offer['total_tickets']) - 1 }))
    await onCart(stage, 'BE')
  }),
  cart(
    'clear-question',
    async (stage) => {
      await onCart(stage, 'BE')
      await press(stage.page, stage.t('cart.clear'))
      await see(stage.page, stage.t('cart.clearTitle'))
    },
    { window: true },
  ),
]

/** Lets the page find a payment that is not final, with this response about it. */
async function pending(stage: Stage, order: { progress: string; tickets: unknown[] }): Promise<void> {
  await stage.page.addInitScript(() => sessionStorage.setItem('volant-pending-order', 'X'))
  await respond(stage.page, STATUS, 200, { id: 'X', order_id: 'X', ...order })
}

/** Titles of the ends without tickets. */
const ENDS = {
  refunded: 'refundedTitle',
  takenBack: 'takenBackTitle',
  review: 'reviewTitle',
  closed: 'closedTitle',
} as const

/** The end of a payment; the page would leave a paid one after two seconds. */
async function ended(stage: Stage, progress: 'completed' | keyof typeof ENDS): Promise<void> {
  const buyer = await stage.shop.logIn('buyer')
  const tickets = await stage.shop.call<unknown[]>('GET', '/api/tickets/user/', buyer)
  await pending(stage, { progress, tickets: progress === 'completed' ? tickets.slice(0, 8) : [] })
  await stage.page.addInitScript(() => {
    const real = window.setTimeout.bind(window)
    const staying = (work: () => void, delay = 0): number => (delay === 2_000 ? 0 : real(work, delay))
    Object.assign(window, { setTimeout: staying })
  })
  await onCart(stage, 'BE')
  const title =
    progress === 'completed' ? 'checkout.success' : (`checkout.outcome.${ENDS[progress]}` as const)
  await stage.page.getByRole('heading', { level: 1, name: stage.t(title) }).waitFor()
}

async function toasted(stage: Stage, text: string): Promise<void> {
  await onCart(stage, 'BE', paths.cart({ canceled: true }))
  await see(stage.page, text)
}

type Fields = Record<string, unknown>

const changeCart = (stage: Stage, change: (offer: Fields) => Fields): Promise<unknown> =>
  stage.page.route(CART, async (route) => {
    const carts = (await (await route.fetch()).json()) as { items: { offer: Fields }[] }[]
    const first = carts[0]?.items[0]
    if (first) first.offer = change(first.offer)
    await route.fulfill({ json: carts })
  })

async function endedRemoved(stage: Stage): Promise<void> {
  await changeCart(stage, (offer) => ({ ...offer, is_active: false }))
  await stage.page.route('**/remove_item/', async (route) => {
    const carts = await route.fetch({ url: `${stage.shop.publicUrl}/api/cart/`, method: 'GET' })
    const [cart] = (await carts.json()) as { items: unknown[] }[]
    await route.fulfill({ json: { ...cart, items: cart?.items.slice(1) } })
  })
  await onCart(stage, 'BE')
  await see(stage.page, stage.t('cart.expiredRemoved', { count: 1 }))
}
