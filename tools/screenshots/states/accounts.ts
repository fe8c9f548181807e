import { paths } from '#client/paths.ts'
import { LINK_PURPOSES, type LinkPurpose } from '#features/accounts/accounts.contract.ts'
import {
  type Stage,
  type State,
  respond,
  responding,
  arriving,
  cutting,
  go,
  hanging,
  press,
  printed,
  see,
  seen,
  state,
} from '../state.ts'

const TOKEN = /\/api\/token\/$/
const busy = ({ page }: Stage) => page.locator('[aria-busy="true"], [role="status"]')
const loadingTickets = ({ page, t }: Stage) => page.getByText(t('tickets.loading'))
const PROFILE = '**/api/user/profile/'
const TICKETS = '**/api/tickets/user/'
const SESSIONS = '**/api/user/sessions/'
const ORDERS = '**/api/orders/'
const CONFIRMING = '**/api/orders/?confirming=true'

const FAVOURITES = '**/api/favourites'

const buyer = { who: 'buyer' } as const
/** A link whose token no server knows; only the responses that are put in its way make it good. */
const LINK = `${paths.resetPassword()}#not-a-token`

const EMAIL_LINK = '**/api/user/email-link/'
const LONG_EMAIL = 'alexandrine.vandenbroucke@example.com'
const CAMILLE = {
  username: 'camille',
  email: 'client@volant.example',
  phone: '+33612345678',
  is_staff: false,
  is_superuser: false,
  email_confirmed: true,
}

const label = (stage: Stage, name: Parameters<Stage['t']>[0]) =>
  stage.page.getByLabel(stage.t(name), { exact: true })

async function logIn(stage: Stage, path: string = paths.login()): Promise<void> {
  await go(stage, path)
  await label(stage, 'accounts.email').fill('alexandrine.vandenbroucke@example.com')
  await label(stage, 'accounts.password').fill('not the password')
  await press(stage.page, stage.t('accounts.login.submit'))
}

async function register(stage: Stage, path: string = paths.register()): Promise<void> {
  await go(stage, path)
  await label(stage, 'accounts.username').fill('alexandrine2')
  await label(stage, 'accounts.email').fill('alexandrine.vandenbroucke@example.com')
  await label(stage, 'accounts.phone').fill('612345678')
  await label(stage, 'accounts.password').fill('Secret-1!')
  await label(stage, 'accounts.confirm').fill('Secret-1!')
  await press(stage.page, stage.t('accounts.register.submit'))
}

/** A registration that the server takes, on the way to a contest. */
async function registered(stage: Stage): Promise<void> {
  await respond(stage.page, '**/api/user/register/', 201, {})
  await register(stage, paths.register({ next: paths.offer(stage.contests.plain) }))
  await see(stage.page, stage.t('accounts.login.ready'))
}

async function forget(stage: Stage): Promise<void> {
  await go(stage, paths.forgotPassword())
  await label(stage, 'accounts.email').fill('alexandrine.vandenbroucke@example.com')
  await press(stage.page, stage.t('accounts.forgot.submit'))
}

async function reset(stage: Stage, password: string, again = password): Promise<void> {
  await go(stage, LINK)
  await label(stage, 'accounts.profile.newPassword').fill(password)
  await label(stage, 'accounts.confirm').fill(again)
  await press(stage.page, stage.t('accounts.reset.submit'))
}

const onData = seen((stage) => go(stage, paths.profileData()), 'accounts.profile.edit')

async function edit(stage: Stage): Promise<void> {
  await onData(stage)
  await press(stage.page, stage.t('accounts.profile.edit'))
}

async function onNewAddress(stage: Stage): Promise<void> {
  await edit(stage)
  await label(stage, 'accounts.email').fill(LONG_EMAIL)
  await see(stage.page, stage.t('address.passwordHint'))
}

const emailLink = (purpose: LinkPurpose) =>
  seen(
    (stage: Stage) => go(stage, `${paths.emailLink()}#${purpose}.not-a-token`),
    `emailLink.${purpose}.title`,
  )

const pressLink = (purpose: LinkPurpose) => async (stage: Stage) => {
  await emailLink(purpose)(stage)
  await press(stage.page, stage.t(`emailLink.${purpose}.action`))
}

const submitted =
  (path: string, submit: Parameters<Stage['t']>[0]): State['open'] =>
  async (stage) => {
    await go(stage, path)
    await press(stage.page, stage.t(submit))
  }

async function onTickets(stage: Stage, query = ''): Promise<void> {
  await go(stage, paths.participations() + query)
  await stage.page.locator('main h1').waitFor()
}

/** Two contests of the list: one marked, one with reminders alone. */
async function onFavourites(stage: Stage): Promise<void> {
  const [first, second] = await stage.shop.call<unknown[]>('GET', '/api/offers/')
  const favourites = [
    { offer: first, isFavourite: true, reminders: [] },
    { offer: second, isFavourite: false, reminders: ['draw', 'result'] },
  ]
  await respond(stage.page, FAVOURITES, 200, { favourites })
  await go(stage, paths.favourites())
  await see(stage.page, stage.t('favourites.list.stop'))
}

const favouritesPage = (stage: Stage) => go(stage, paths.favourites())

export const ACCOUNT_STATES: readonly State[] = [
  state('login/idle', (stage) => go(stage, paths.login())),
  state('login/next', (stage) => go(stage, paths.login({ next: paths.offer(stage.contests.plain) }))),
  state('login/registered', registered, { fleeting: true }),
  state('login/registered-window', registered, { fleeting: true, window: true }),
  state('login/errors', seen(submitted(paths.login(), 'accounts.login.submit'), 'errors.email.required')),
  state('login/refused', seen(logIn, 'errors.auth.badCredentials')),
  state('login/loading', seen(hanging(TOKEN, logIn), 'accounts.loading')),
  state('login/no-server', seen(cutting(TOKEN, logIn), 'errors.network')),
  state('login/server-error', seen(responding(TOKEN, 500, {}, logIn), 'errors.unexpected')),
  state('register/idle', (stage) => go(stage, paths.register())),
  state('register/next', (stage) => go(stage, paths.register({ next: paths.offer(stage.contests.plain) }))),
  state('register/filled', async (stage) => {
    await go(stage, paths.register())
    await label(stage, 'accounts.phone').fill('+32 471 23 45 67')
    await label(stage, 'accounts.password').fill('Secret-1!')
    await label(stage, 'accounts.confirm').fill('Secret-1!')
    await label(stage, 'accounts.username').fill('alexandrine2')
  }),
  state('register/partner-code', (stage) => go(stage, paths.register({ code: 'GARAGE-42' }))),
  state(
    'register/errors',
    seen(submitted(paths.register(), 'accounts.register.submit'), 'formErrors.username.required'),
  ),
  state('register/strength', async (stage) => {
    await go(stage, paths.register())
    await label(stage, 'accounts.password').fill('Abc1')
  }),
  state('register/taken', seen(register, 'errors.email.taken')),
  state('register/no-server', seen(cutting('**/api/user/register/', register), 'errors.network')),
  state('forgot/idle', (stage) => go(stage, paths.forgotPassword())),
  state(
    'forgot/errors',
    seen(submitted(paths.forgotPassword(), 'accounts.forgot.submit'), 'errors.email.required'),
  ),
  state('forgot/sent', seen(forget, 'accounts.forgot.sentTitle')),
  state('forgot/no-server', seen(cutting('**/api/user/forgot-password/', forget), 'errors.network')),
  state('reset/idle', (stage) => go(stage, LINK)),
  state(
    'reset/errors',
    seen((stage) => reset(stage, 'weak', 'week'), 'formErrors.password.mismatch'),
  ),
  state(
    'reset/refused',
    seen((stage) => reset(stage, 'Secret-1!'), 'accounts.reset.invalidTitle'),
  ),
  state('reset/without-link', (stage) => go(stage, paths.resetPassword())),
  state('reset/done', async (stage) => {
    const email = 'alexandrine.vandenbroucke@example.com'
    await respond(stage.page, '**/api/user/reset-password/', 200, { email })
    await reset(stage, 'Secret-1!')
    await see(stage.page, stage.t('accounts.reset.done'))
  }),
  state(
    'logout/working',
    seen(
      hanging('**/api/token/logout/', async ({ page }) => void (await page.goto(paths.logout()))),
      'accounts.loggingOut',
    ),
    { who: 'newcomer' },
  ),
  state('favourites/list', onFavourites, buyer),
  state('favourites/empty', seen(favouritesPage, 'favourites.list.empty'), { who: 'newcomer' }),
  state('favourites/no-server', seen(cutting(FAVOURITES, favouritesPage), 'errors.network'), buyer),
  state('favourites/loading', seen(hanging(FAVOURITES, favouritesPage), 'favourites.list.loading'), buyer),
  state('data/reading', onData, buyer),
  state('data/loading', hanging(PROFILE, arriving(paths.profileData(), busy)), buyer),
  state('data/editing', edit, buyer),
  state('data/unconfirmed', seen(onData, 'address.unconfirmedTitle'), { who: 'newcomer' }),
  state('data/new-address', onNewAddress, buyer),
  ...(['present', 'new'] as const).map((pending_link) =>
    state(
      `data/pending-${pending_link}`,
      seen(
        responding(PROFILE, 200, { ...CAMILLE, pending_email: LONG_EMAIL, pending_link }, onData),
        'address.pendingTitle',
      ),
      buyer,
    ),
  ),
  ...LINK_PURPOSES.flatMap((purpose) => [
    state(`email-link/${purpose}`, emailLink(purpose)),
    state(
      `email-link/${purpose}-done`,
      seen(
        responding(EMAIL_LINK, 200, { purpose, email: LONG_EMAIL }, pressLink(purpose)),
        `emailLink.${purpose}.doneTitle`,
      ),
    ),
  ]),
  state('email-link/refused', seen(pressLink('change'), 'emailLink.invalidTitle')),
  state('email-link/no-server', seen(cutting(EMAIL_LINK, pressLink('undo')), 'errors.network')),
  state(
    'data/errors',
    async (stage) => {
      await edit(stage)
      await label(stage, 'accounts.email').fill('camille')
      await stage.page.getByLabel(stage.t('accounts.phone')).fill('12')
      await press(stage.page, stage.t('accounts.profile.save'))
      await see(stage.page, stage.t('formErrors.phone.FR'))
    },
    buyer,
  ),
  state(
    'data/password-errors',
    async (stage) => {
      await onData(stage)
      await label(stage, 'accounts.profile.newPassword').fill('weak')
      await label(stage, 'accounts.confirm').fill('week')
      await press(stage.page, stage.t('accounts.profile.changePassword'))
      await see(stage.page, stage.t('formErrors.password.currentRequired'))
    },
    buyer,
  ),
  state('participations/all', onTickets, buyer),
  state('participations/in-progress', (stage) => filtered(stage, 'tickets.filter.inProgress'), buyer),
  state('participations/expired', (stage) => filtered(stage, 'tickets.filter.expired'), buyer),
  state('participations/empty', onTickets, { who: 'newcomer' }),
  state('participations/loading', hanging(TICKETS, arriving(paths.participations(), loadingTickets)), buyer),
  state('participations/error', seen(cutting(TICKETS, onTickets), 'tickets.errorTitle'), buyer),
  state(
    'participations/success',
    seen((stage) => onTickets(stage, '?success=true'), 'checkout.success'),
    { ...buyer, fleeting: true, window: true },
  ),
  state('participations/arrival', arrivedWith(2), { ...buyer, fleeting: true }),
  state('participations/arrival-many', arrivedWith(100), { ...buyer, fleeting: true }),
  state('participations/every-phase', everyPhase, buyer),
  state(
    'participations/thousand',
    async (stage) => {
      await changeTickets(stage, (tickets) => numbered(tickets, 1_000))
      await onTickets(stage)
      await press(stage.page, stage.t('tickets.showAll', { count: 1_000 }))
    },
    { ...buyer, window: true },
  ),
  state(
    'participations/printed',
    async (stage) => {
      await onTickets(stage)
      await printed(stage.page)
    },
    { ...buyer, widths: [768] },
  ),
  state('orders/all', onOrders, buyer),
  state(
    'orders/every-phase',
    async (stage) => {
      await respond(stage.page, ORDERS, 200, { orders: EVERY_PHASE, next: 'B4NE-YT33' })
      await onOrders(stage)
      await see(stage.page, stage.t('orders.phase.refunding'))
    },
    buyer,
  ),
  state('orders/empty', onOrders, { who: 'newcomer' }),
  state('orders/loading', hanging(ORDERS, arriving(paths.orders(), busy)), buyer),
  state('orders/error', seen(cutting(ORDERS, onOrders), 'orders.errorTitle'), buyer),
  state('sessions/all', onSessions, buyer),
  state(
    'sessions/many',
    async (stage) => {
      await respond(stage.page, SESSIONS, 200, DEVICES)
      await onSessions(stage)
    },
    buyer,
  ),
  state('sessions/ending-one', (stage) => ending(stage, 'sessions.endUnknown'), buyer),
  state('sessions/ending-all', (stage) => ending(stage, 'sessions.everywhere'), buyer),
  state(
    'sessions/wrong-password',
    async (stage) => {
      await ending(stage, 'sessions.endUnknown')
      await label(stage, 'accounts.profile.currentPassword').fill('not the password')
      const fields = { current_password: [stage.t('formErrors.password.currentWrong')] }
      await respond(stage.page, '**/api/user/sessions/*/end/', 400, fields)
      await stage.page.keyboard.press('Enter')
      await see(stage.page, stage.t('formErrors.password.currentWrong'))
    },
    buyer,
  ),
  state('sessions/loading', hanging(SESSIONS, arriving(paths.sessions(), busy)), buyer),
  state('sessions/error', seen(cutting(SESSIONS, onSessions), 'sessions.errorTitle'), buyer),
  state('participations/pending', (stage) => waiting(stage, paths.participations()), buyer),
  state('frame/pending-payment', (stage) => waiting(stage, paths.contact()), buyer),
  state(
    'participations/confirming',
    async (stage) => {
      const order = { id: 'X', order_id: 'X', progress: 'confirming', tickets: [] }
      await respond(stage.page, '**/api/paypal/orders/*/', 200, order)
      await onTickets(stage, '?confirming=X')
      await see(stage.page, stage.t('checkout.confirming.title'))
    },
    buyer,
  ),
]

type Fields = Record<string, unknown>

/** Changes what the server says about the buyer's tickets. */
const changeTickets = (stage: Stage, change: (tickets: Fields[]) => Fields[]): Promise<unknown> =>
  stage.page.route(TICKETS, async (route) => {
    const tickets = (await (await route.fetch()).json()) as Fields[]
    await route.fulfill({ json: change(tickets) })
  })

/** So many tickets of one contest, of a payment that is newer than all others. */
const numbered = ([first]: Fields[], count: number): Fields[] =>
  Array.from({ length: count }, (_, index) => ({
    ...first,
    id: `new-${index}`,
    ticket_number: String(1_000 + index * 37).padStart(5, '0'),
    source: 'paid',
    status: 'valid',
    issued_at: '2099-01-01T00:00:00.000Z',
  }))

/** The buyer has just paid for so many. */
function arrivedWith(count: number): (stage: Stage) => Promise<void> {
  return async (stage) => {
    await changeTickets(stage, (tickets) => [...numbered(tickets, count), ...tickets])
    await onTickets(stage, '?success=true')
    await see(stage.page, stage.t('tickets.fresh', { count }))
  }
}

/** Each contest of the buyer in another phase. */
async function everyPhase(stage: Stage): Promise<void> {
  const phases: Fields[] = [
    { outcome: 'notWon' },
    { outcome: 'won', prize: 'toClaim', claim_until: '2026-12-08T19:00:00.000Z' },
    { prize: 'forfeited' },
    {},
  ]
  await changeTickets(stage, (tickets) => {
    const contests = [...Map.groupBy(tickets, (one) => one['offer_id']).values()]
    return contests.flatMap((group, at) =>
      group.map((one, index) => ({
        ...one,
        status: 'valid',
        end_date: '2026-11-01T19:00:00.000Z',
        ...(index === 0 && phases[at]),
      })),
    )
  })
  await onTickets(stage)
  await see(stage.page, stage.t('tickets.won.title'))
}

/** An order in another state than those of the shop's buyers. */
const order = (phase: string, more: object = {}) => ({
  number: 'K7QM-2F9P',
  order_id: 'X',
  phase,
  placed_at: '2026-11-20T18:24:00Z',
  paid_at: null,
  lines: [
    {
      offer_slug: 'corsaro-71',
      title: 'Corsaro 71 rouge, restaurée à la main',
      quantity: 12,
      unit_price: '4.90',
    },
    { offer_slug: 'other', title: 'Brise 2', quantity: 1, unit_price: '14.90' },
  ],
  tickets: { valid: 0, void: 0 },
  subtotal: '73.70',
  tax_rate: 25.5,
  tax_amount: '18.79',
  total: '92.49',
  country: 'FI',
  refunds: [],
  has_receipt: false,
  ...more,
})
const EVERY_PHASE = [
  order('confirming'),
  order('checking', { number: '3DXA-77KV' }),
  order('partlyRefunded', {
    number: '9PZC-4TQ2',
    tickets: { valid: 1, void: 12 },
    refunds: [{ amount: '73.79', done: true, at: '2026-11-22T09:05:00Z' }],
    has_receipt: true,
  }),
  order('refunding', {
    number: 'HW68-RSJ5',
    tickets: { valid: 0, void: 13 },
    refunds: [{ amount: '92.49', done: false, at: '2026-11-22T09:05:00Z' }],
    has_receipt: true,
  }),
  order('refunded', {
    number: 'B4NE-YT33',
    tickets: { valid: 0, void: 13 },
    refunds: [{ amount: '92.49', done: true, at: '2026-11-22T09:05:00Z' }],
    has_receipt: true,
  }),
]

const device = (browser: string | null, system: string | null, is_current = false) => ({
  id: `${browser} ${system}`,
  browser,
  system,
  started_at: '2026-11-20T18:30:00Z',
  last_used_at: '2026-11-23T08:05:00Z',
  is_current,
})
const DEVICES = [
  device('Firefox', 'Windows', true),
  device('Samsung Internet', 'Android'),
  device(null, 'iPad'),
  device(null, null),
]

async function onSessions(stage: Stage): Promise<void> {
  await go(stage, paths.sessions())
  await stage.page.locator('main h1').waitFor()
}

/** The dialog that asks for the password. */
async function ending(stage: Stage, button: Parameters<Stage['t']>[0]): Promise<void> {
  await respond(stage.page, SESSIONS, 200, DEVICES)
  await onSessions(stage)
  await press(stage.page, stage.t(button))
  await stage.page.getByRole('dialog').waitFor()
}

async function onOrders(stage: Stage): Promise<void> {
  await go(stage, paths.orders())
  await stage.page.locator('main h1').waitFor()
}

async function waiting(stage: Stage, path: string): Promise<void> {
  await respond(stage.page, CONFIRMING, 200, { orders: [order('confirming')], next: null })
  await go(stage, path)
  await stage.page.locator('html[data-confirming]').waitFor()
}

async function filtered(stage: Stage, name: Parameters<Stage['t']>[0]): Promise<void> {
  await onTickets(stage)
  await stage.page
    .getByRole('group')
    .getByText(new RegExp(`^${stage.t(name)}`))
    .first()
    .click()
}
