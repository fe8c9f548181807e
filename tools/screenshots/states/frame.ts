import { paths } from '#client/paths.ts'
import { translate } from '#i18n/server-translator.ts'
import { DEFAULT_LANGUAGE } from '#shared/languages.ts'
import { type Stage, type State, respond, go, see } from '../state.ts'

const PHONE = [360] as const
const WIDE = [768, 1440] as const

async function toggle(stage: Stage): Promise<void> {
  await stage.page.getByRole('button', { name: stage.t('frame.toggleSidebar') }).click()
}

const frame = (name: string, more: Omit<State, 'name'>): State => ({
  name: `frame/${name}`,
  window: true,
  ...more,
})

async function collapsed(stage: Stage): Promise<void> {
  await go(stage, paths.offers())
  const folded = stage.page.locator('[data-sidebar="collapsed"]')
  // Its cookie remembers the picture before.
  if ((await folded.count()) === 0) await toggle(stage)
  await folded.waitFor()
}

const UNFINISHED = {
  orders: [],
  unfinished: [
    {
      number: 'K7QM-2F9P',
      order_id: 'X',
      total: '37.51',
      lines: [{ title: 'Audi TT', quantity: 2 }],
      held_until: '2099-01-01T12:00:00.000Z',
    },
  ],
  next: null,
}

export const FRAME_STATES: readonly State[] = [
  frame('unfinished-payment', {
    who: 'buyer',
    open: async (stage) => {
      await respond(stage.page, '**/api/orders/?confirming=true', 200, UNFINISHED)
      await go(stage, paths.contact())
      await see(stage.page, stage.t('unfinished.giveBack'))
    },
  }),
  ...([undefined, 'buyer', 'staff'] as const).map((who) =>
    frame(`sheet-${who ?? 'visitor'}`, {
      ...(who && { who }),
      widths: PHONE,
      open: async (stage) => {
        await go(stage, paths.offers())
        await stage.page.waitForLoadState('networkidle')
        await toggle(stage)
        await stage.page.locator('dialog[open]').waitFor()
      },
    }),
  ),
  frame('sidebar-staff', { who: 'staff', widths: WIDE, open: (stage) => go(stage, paths.offers()) }),
  frame('sidebar-collapsed', { who: 'buyer', widths: WIDE, open: collapsed }),
  frame('sidebar-tooltip', {
    who: 'buyer',
    widths: WIDE,
    fleeting: true,
    hover: true,
    open: async (stage) => {
      await collapsed(stage)
      await stage.page.locator('aside nav a').nth(1).hover()
    },
  }),
  frame('profile-closed', {
    who: 'buyer',
    widths: WIDE,
    open: async (stage) => {
      await go(stage, paths.offers())
      await stage.page.locator('aside summary').click()
    },
  }),
  frame('skip-link', {
    fleeting: true,
    open: async (stage) => {
      await go(stage, paths.offers())
      await stage.page.keyboard.press('Tab')
    },
  }),
  frame('language-suggestion', {
    fleeting: true,
    open: async (stage) => {
      const { page, language } = stage
      const wanted = language === DEFAULT_LANGUAGE ? 'nl' : language
      await page.context().clearCookies()
      await page.addInitScript((one) => {
        Object.defineProperty(Navigator.prototype, 'languages', { get: () => [one] })
      }, wanted)
      await go(stage, paths.home())
      // What waits for a move has come.
      await page.waitForLoadState('networkidle')
      await page.keyboard.press('Shift')
      await see(page, translate(wanted, 'suggestion.question'))
    },
  }),
  frame('offline', {
    open: async (stage) => {
      await go(stage, paths.offers())
      await stage.page.context().setOffline(true)
      await see(stage.page, stage.t('frame.offline'))
    },
  }),
  frame('no-connection', {
    open: async ({ page, t, language }) => {
      await page.goto(paths.contact())
      await page.waitForFunction(async (lang) => {
        const worker = (await navigator.serviceWorker.ready).active?.state
        const kept = await (await caches.match('/', { cacheName: 'page-language' }))?.text()
        return worker === 'activated' && kept === lang
      }, language)
      await page.context().setOffline(true)
      await page.goto(paths.terms())
      await see(page, t('errors.unreachable.title'))
    },
  }),
  frame('welcome', {
    who: 'newcomer',
    open: async (stage) => {
      await go(stage, paths.offers())
      await see(stage.page, stage.t('frame.welcome', { name: 'alexandrine' }))
    },
  }),
]
