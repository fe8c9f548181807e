import { paths } from '#client/paths.ts'
import { type Stage, type State, answer, cut, go, hang, press, printed, see } from '../state.ts'

const TOKEN = /\/api\/token\/$/
const PROFILE = '**/api/user/profile/'
const TICKETS = '**/api/tickets/user/'

const state = (name: string, open: State['open'], more: Partial<State> = {}): State => ({
  name,
  open,
  ...more,
})
const buyer = { who: 'buyer' } as const
const FORGOT = '**/api/user/forgot-password/'
const RESET = '**/api/user/reset-password/'
/** A link whose token no server knows; only the answers that are put in its way make it good. */
const LINK = `${paths.resetPassword()}#not-a-token`

const label = (stage: Stage, name: Parameters<Stage['t']>[0]) =>
  stage.page.getByLabel(stage.t(name), { exact: true })

async function logIn(stage: Stage, path: string = paths.login()): Promise<void> {
  await go(stage, path)
  await label(stage, 'accounts.email').fill('alexandrine.vandenbroucke@example.com')
  await label(stage, 'accounts.password').fill('not the password')
  await press(stage.page, stage.t('accounts.login.submit'))
}

async function register(stage: Stage): Promise<void> {
  await go(stage, paths.register())
  await label(stage, 'accounts.username').fill('alexandrine2')
  await label(stage, 'accounts.email').fill('alexandrine.vandenbroucke@example.com')
  await label(stage, 'accounts.phone').fill('612345678')
  await label(stage, 'accounts.password').fill('Secret-1!')
  await label(stage, 'accounts.confirm').fill('Secret-1!')
  await press(stage.page, stage.t('accounts.register.submit'))
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

async function onData(stage: Stage): Promise<void> {
  await go(stage, paths.profileData())
  await see(stage.page, stage.t('accounts.profile.edit'))
}

async function onTickets(stage: Stage, query = ''): Promise<void> {
  await go(stage, paths.participations() + query)
  await stage.page.locator('main h1').waitFor()
}

/** Login, registration, and the two pages of one's own. */
export const ACCOUNT_STATES: readonly State[] = [
  state('login/idle', (stage) => go(stage, paths.login())),
  state('login/next', (stage) => go(stage, paths.login({ next: paths.offer(stage.contests.plain) }))),
  state('login/errors', async (stage) => {
    await go(stage, paths.login())
    await press(stage.page, stage.t('accounts.login.submit'))
    await see(stage.page, stage.t('errors.email.required'))
  }),
  state('login/refused', async (stage) => {
    await logIn(stage)
    await see(stage.page, stage.t('errors.auth.badCredentials'))
  }),
  state('login/loading', async (stage) => {
    await hang(stage.page, TOKEN)
    await logIn(stage)
    await see(stage.page, stage.t('accounts.loading'))
  }),
  state('login/no-server', async (stage) => {
    await cut(stage.page, TOKEN)
    await logIn(stage)
    await see(stage.page, stage.t('errors.network'))
  }),
  state('login/server-error', async (stage) => {
    await answer(stage.page, TOKEN, 500, {})
    await logIn(stage)
    await see(stage.page, stage.t('errors.unexpected'))
  }),
  state('register/idle', (stage) => go(stage, paths.register())),
  state('register/partner-code', (stage) => go(stage, paths.register({ code: 'GARAGE-42' }))),
  state('register/errors', async (stage) => {
    await go(stage, paths.register())
    await press(stage.page, stage.t('accounts.register.submit'))
    await see(stage.page, stage.t('errors.username.required'))
  }),
  state('register/strength', async (stage) => {
    await go(stage, paths.register())
    await label(stage, 'accounts.password').fill('Abc1')
  }),
  state('register/taken', async (stage) => {
    await register(stage)
    await see(stage.page, stage.t('errors.email.taken'))
  }),
  state('register/no-server', async (stage) => {
    await cut(stage.page, '**/api/user/register/')
    await register(stage)
    await see(stage.page, stage.t('errors.network'))
  }),
  state('forgot/idle', (stage) => go(stage, paths.forgotPassword())),
  state('forgot/errors', async (stage) => {
    await go(stage, paths.forgotPassword())
    await press(stage.page, stage.t('accounts.forgot.submit'))
    await see(stage.page, stage.t('errors.email.required'))
  }),
  state('forgot/sent', async (stage) => {
    await forget(stage)
    await see(stage.page, stage.t('accounts.forgot.sentTitle'))
  }),
  state('forgot/no-server', async (stage) => {
    await cut(stage.page, FORGOT)
    await forget(stage)
    await see(stage.page, stage.t('errors.network'))
  }),
  state('reset/idle', (stage) => go(stage, LINK)),
  state('reset/errors', async (stage) => {
    await reset(stage, 'weak', 'week')
    await see(stage.page, stage.t('errors.password.mismatch'))
  }),
  state('reset/refused', async (stage) => {
    await reset(stage, 'Secret-1!')
    await see(stage.page, stage.t('accounts.reset.invalidTitle'))
  }),
  state('reset/without-link', (stage) => go(stage, paths.resetPassword())),
  state('reset/done', async (stage) => {
    await answer(stage.page, RESET, 200, { email: 'alexandrine.vandenbroucke@example.com' })
    await reset(stage, 'Secret-1!')
    await see(stage.page, stage.t('accounts.reset.done'))
  }),
  state(
    'logout/working',
    async (stage) => {
      await hang(stage.page, '**/api/token/logout/')
      await stage.page.goto(paths.logout())
      await see(stage.page, stage.t('accounts.loggingOut'))
    },
    { who: 'newcomer' },
  ),
  state('data/reading', onData, buyer),
  state(
    'data/loading',
    async (stage) => {
      await hang(stage.page, PROFILE)
      await stage.page.goto(paths.profileData())
      await stage.page.locator('[aria-busy="true"], [role="status"]').first().waitFor({ state: 'attached' })
    },
    buyer,
  ),
  state(
    'data/editing',
    async (stage) => {
      await onData(stage)
      await press(stage.page, stage.t('accounts.profile.edit'))
    },
    buyer,
  ),
  state(
    'data/errors',
    async (stage) => {
      await onData(stage)
      await press(stage.page, stage.t('accounts.profile.edit'))
      await label(stage, 'accounts.email').fill('camille')
      await stage.page.getByLabel(stage.t('accounts.phone')).fill('12')
      await press(stage.page, stage.t('accounts.profile.save'))
      await see(stage.page, stage.t('errors.phone.FR'))
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
      await see(stage.page, stage.t('errors.password.currentRequired'))
    },
    buyer,
  ),
  state('participations/all', onTickets, buyer),
  state('participations/in-progress', (stage) => filtered(stage, 'tickets.filter.inProgress'), buyer),
  state('participations/expired', (stage) => filtered(stage, 'tickets.filter.expired'), buyer),
  state('participations/empty', onTickets, { who: 'newcomer' }),
  state(
    'participations/loading',
    async (stage) => {
      await hang(stage.page, TICKETS)
      await stage.page.goto(paths.participations())
      await stage.page.getByText(stage.t('tickets.loading')).first().waitFor({ state: 'attached' })
    },
    buyer,
  ),
  state(
    'participations/error',
    async (stage) => {
      await cut(stage.page, TICKETS)
      await onTickets(stage)
      await see(stage.page, stage.t('tickets.errorTitle'))
    },
    buyer,
  ),
  state(
    'participations/success',
    async (stage) => {
      await onTickets(stage, '?success=true')
      await see(stage.page, stage.t('checkout.success'))
    },
    { ...buyer, fleeting: true, window: true },
  ),
  state(
    'participations/printed',
    async (stage) => {
      await onTickets(stage)
      await printed(stage.page)
    },
    { ...buyer, widths: [768] },
  ),
  state(
    'participations/confirming',
    async (stage) => {
      const order = { id: 'X', order_id: 'X', progress: 'confirming', tickets: [] }
      await answer(stage.page, '**/api/paypal/orders/*/', 200, order)
      await onTickets(stage, '?confirming=X')
      await see(stage.page, stage.t('checkout.confirming.title'))
    },
    buyer,
  ),
]

async function filtered(stage: Stage, name: Parameters<Stage['t']>[0]): Promise<void> {
  await onTickets(stage)
  await stage.page
    .getByRole('group')
    .getByText(new RegExp(`^${stage.t(name)}`))
    .first()
    .click()
}
